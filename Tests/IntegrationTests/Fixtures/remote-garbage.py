"""Sends random bytes to a socket, before, during and after the handshake of D-Bus.

Usage: remote-garbage.py SOCKET SEED
"""

import random
import socket
import sys

path, seed = sys.argv[1], int(sys.argv[2])
chance = random.Random(seed)
begin = b"\0AUTH ANONYMOUS 61\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n"
for number in range(60):
    peer = socket.socket(socket.AF_UNIX)
    peer.settimeout(20)
    peer.connect(path)
    noise = chance.randbytes(chance.randrange(1, 4096))
    handshake = begin[: chance.randrange(len(begin) + 1)] if number % 2 else begin
    try:
        peer.sendall(handshake + noise)
        peer.shutdown(socket.SHUT_WR)
        while peer.recv(4096):
            pass
    except (BrokenPipeError, ConnectionResetError):
        pass
    peer.close()
