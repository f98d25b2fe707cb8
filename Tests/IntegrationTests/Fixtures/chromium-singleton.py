"""A program with the singleton of Chromium or Electron, which prints what it gets on standard error.

usage: chromium-singleton.py FOLDER right-cookie|wrong-cookie|electron [URL]

A message whose last argument ends with "shutdown" is answered as by a browser that ends; one that ends with "silent"
gets no answer. With one that ends with "end-shutdown" the program ends 0.3 s later.
"""

import os
import socket
import sys
import tempfile
import time

folder, kind = sys.argv[1:3]
lock = os.path.join(folder, "SingletonLock")


def say(*words):
    print("chromium-singleton", *words, file=sys.stderr, flush=True)


os.makedirs(folder, exist_ok=True)
try:
    os.symlink(f"{socket.gethostname()}-{os.getpid()}", lock)
except FileExistsError:
    say("second process", sys.argv[-1])
    sys.exit(0)
place = tempfile.mkdtemp()
os.symlink("17", os.path.join(folder, "SingletonCookie"))
os.symlink("18" if kind == "wrong-cookie" else "17", os.path.join(place, "SingletonCookie"))
os.symlink(os.path.join(place, "SingletonSocket"), os.path.join(folder, "SingletonSocket"))
server = socket.socket(socket.AF_UNIX)
server.bind(os.path.join(place, "SingletonSocket"))
server.listen()
say("started", sys.argv[-1])
while True:
    connection, _ = server.accept()
    data = b""
    while more := connection.recv(1 << 16):
        data += more
    words = data.decode().split("\0")
    say("got", *words)
    # Electron expects the number of arguments, and takes no other message.
    if kind == "electron" and words[2] != str(len(words) - 3):
        connection.close()
        continue
    if not words[-1].endswith("silent"):
        connection.sendall(b"SHUTDOWN" if words[-1].endswith("shutdown") else b"ACK")
    connection.close()
    if words[-1].endswith("end-shutdown"):
        time.sleep(0.3)
        os.unlink(lock)
        for name in ["SingletonCookie", "SingletonSocket"]:
            os.unlink(os.path.join(folder, name))
        sys.exit(0)
