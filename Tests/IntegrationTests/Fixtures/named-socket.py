"""A program with the socket of Telegram Desktop or of LibreOffice, which prints what it gets on standard error.

usage: named-socket.py telegram|libreoffice FOLDER -- [URL]

FOLDER is the folder whose checksum the name of the socket has. A URL that ends with "silent" gets no answer, and one
that ends with "quit" ends the program after the answer. The answers come in two pieces.
"""

import hashlib
import os
import pathlib
import signal
import socket
import sys
import time

kind, folder = sys.argv[1:3]
done = {"telegram": b"RES:%d_1;" % os.getpid(), "libreoffice": b"InternalIPC::ProcessingDone\0"}[kind]
end = {"telegram": b";", "libreoffice": b"\0"}[kind]
if kind == "telegram":
    name = hashlib.md5(folder.encode()).hexdigest() + "-{87A94AB0-E370-4cde-98D3-ACC110C5967D}"
else:
    digest = hashlib.md5(pathlib.Path(folder).as_uri().encode("utf-16-le")).digest()
    name = "OSL_PIPE_%d_SingleOfficeIPC_" % os.getuid() + "".join("%x" % byte for byte in digest)
path = "/tmp/" + name


def say(*words):
    print("named-socket", *words, file=sys.stderr, flush=True)


def leave(*_):
    os.unlink(path)
    os._exit(0)


def in_pieces(connection, data):
    connection.sendall(data[:9])
    time.sleep(0.02)
    connection.sendall(data[9:])


server = socket.socket(socket.AF_UNIX)
try:
    server.bind(path)
except OSError:
    say("second process", sys.argv[-1])
    sys.exit(0)
signal.signal(signal.SIGTERM, leave)
server.listen()
say("started", sys.argv[-1])
while True:
    connection, _ = server.accept()
    if kind == "libreoffice":
        try:
            in_pieces(connection, b"InternalIPC::SendArguments\0")
        except OSError:
            continue
    data = b""
    while not data.endswith(end):
        piece = connection.recv(4096)
        if not piece:
            break
        data += piece
    if not data.endswith(end):
        continue
    say("got", data[:-1].decode())
    if b"silent" not in data:
        in_pieces(connection, done)
    if b"quit" in data:
        leave()
    connection.close()
