"""A program with the socket of QtSingleApplication, which prints what it gets on standard error.

usage: qt-local-peer.py SOCKET [URL]

A message that ends with "silent" gets no answer, and one that ends with "quit" ends the program after the answer.
"""

import os
import socket
import struct
import sys

path = sys.argv[1]


def say(*words):
    print("qt-local-peer", *words, file=sys.stderr, flush=True)


server = socket.socket(socket.AF_UNIX)
try:
    server.bind(path)
except OSError:
    say("second process", sys.argv[-1])
    sys.exit(0)
server.listen()
say("started", sys.argv[-1])
while True:
    connection, _ = server.accept()
    stream = connection.makefile("rb")
    head = stream.read(4)
    if len(head) == 4:
        text = stream.read(struct.unpack(">I", head)[0]).decode()
        say("got", text)
        if not text.endswith("silent"):
            # Qt closes a connection whose other end writes no more, before it answers.
            connection.sendall(b"ack")
        if text.endswith("quit"):
            os.unlink(path)
            sys.exit(0)
    connection.close()
