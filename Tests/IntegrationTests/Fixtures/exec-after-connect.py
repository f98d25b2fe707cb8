"""exec-after-connect.py SOCKET PROGRAM

Connects to the daemon's own socket, and runs PROGRAM as the process that has connected; then its child asks
on that connection who it is. Prints what the daemon says of the caller.
"""

import os
import signal
import socket
import sys
import time

from hostile import WORKSPACE, Bus

path, program = sys.argv[1:]


class Direct(Bus):
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.socket.sendall(f"\0AUTH EXTERNAL {str(os.getuid()).encode().hex()}\r\n".encode())
        # The daemon has seen the connection when it answers.
        self.receive()
        self.socket.sendall(b"BEGIN\r\n")
        self.serial = 0
        self.unread = b""


direct = Direct(path)
if os.fork() == 0:
    while os.readlink(f"/proc/{os.getppid()}/exe") != program:
        time.sleep(0.001)
    _, error, body = direct.call(WORKSPACE, "Explain", "sa{sv}", ["bank:1", []])
    print("caller:", error or body.replace(b"\0", b" ").decode(errors="replace").replace("\n", " "), flush=True)
    os.kill(os.getppid(), signal.SIGKILL)
    os._exit(0)
os.execv(program, [program, "1000"])
