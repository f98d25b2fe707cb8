"""Closes the connections of another process, as a bus does that closes a single connection. Needs the right to
trace the process.

usage: closed-connections.py PROCESS

Prints the number of closed connections.
"""

import ctypes
import os
import socket
import sys

PIDFD_GETFD = 438

process = int(sys.argv[1])
handle = os.pidfd_open(process)
system = ctypes.CDLL(None, use_errno=True)
# All sockets are taken first: the process may end when the first connection is closed.
sockets = []
for number in os.listdir(f"/proc/{process}/fd"):
    try:
        if not os.readlink(f"/proc/{process}/fd/{number}").startswith("socket:"):
            continue
    except FileNotFoundError:
        continue  # closed since the folder was listed
    descriptor = system.syscall(PIDFD_GETFD, handle, int(number), 0)
    if descriptor < 0:
        sys.exit(f"descriptor {number}: {os.strerror(ctypes.get_errno())}")
    sockets.append(socket.socket(fileno=descriptor))
closed = 0
for connection in sockets:
    with connection:
        try:
            connection.shutdown(socket.SHUT_RDWR)
            closed += 1
        except OSError:
            pass  # a socket without a connection
print(closed)
