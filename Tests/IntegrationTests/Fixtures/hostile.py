"""A D-Bus client that means harm, with nothing but a socket: no library stops it from sending anything.

usage: hostile.py ATTACK   at the session bus of the environment

Prints what it did, and ends with 0 when the service answered as it should; 1 with a sentence if not.
"""

import os
import select
import random
import socket
import struct
import sys
import xml.etree.ElementTree as ElementTree

NAME = "org.launchservices.LaunchServices1"
PATH = "/org/launchservices/LaunchServices1"
WORKSPACE = "org.launchservices.Workspace1"
REGISTRY = "org.launchservices.Registry1"
LAUNCH = "org.launchservices.Launch1"
CALL, RETURN, ERROR = 1, 2, 3


# ---- Marshalling, little endian. A value is a pair of a signature and what Python has for it.

ALIGNMENT = dict(y=1, b=4, n=2, q=2, i=4, u=4, x=8, t=8, d=8, s=4, o=4, g=1, v=1, a=4, h=4)
FORMAT = dict(y="B", b="I", n="h", q="H", i="i", u="I", x="q", t="Q", d="d", h="I")


def alignment(signature):
    return 8 if signature[0] in "({" else ALIGNMENT[signature[0]]


def first_type(signature):
    """The first complete type of a signature, and the rest."""
    if signature[0] == "a":
        inner, rest = first_type(signature[1:])
        return "a" + inner, rest
    if signature[0] in "({":
        depth = 0
        for index, letter in enumerate(signature):
            depth += (letter in "({") - (letter in ")}")
            if depth == 0:
                return signature[: index + 1], signature[index + 1 :]
    return signature[0], signature[1:]


def types(signature):
    found = []
    while signature:
        one, signature = first_type(signature)
        found.append(one)
    return found


def put(out, signature, value):
    out += b"\0" * (-len(out) % alignment(signature))
    kind = signature[0]
    if kind in FORMAT:
        out += struct.pack("<" + FORMAT[kind], value)
    elif kind in "so":
        data = value if isinstance(value, bytes) else value.encode()
        out += struct.pack("<I", len(data))
        out += data
        out += b"\0"
    elif kind == "g":
        out += bytes([len(value)]) + value.encode() + b"\0"
    elif kind == "v":
        put(out, "g", value[0])
        put(out, value[0], value[1])
    elif kind == "a":
        at = len(out)
        out += b"\0\0\0\0"
        out += b"\0" * (-len(out) % alignment(signature[1:]))
        start = len(out)
        for element in value:
            put(out, signature[1:], element)
        struct.pack_into("<I", out, at, len(out) - start)
    else:
        for one, element in zip(types(signature[1:-1]), value):
            put(out, one, element)


def body_of(signature, values):
    body = bytearray()
    for one, value in zip(types(signature), values):
        put(body, one, value)
    return bytes(body)


def nothing(signature):
    """The smallest value of a type."""
    kind = signature[0]
    if kind == "v":
        return ("y", 0)
    if kind in "({":
        return [nothing(one) for one in types(signature[1:-1])]
    return {"a": [], "s": "", "o": "/", "g": ""}.get(kind, 0)


# ---- The connection


class Bus:
    def __init__(self):
        address = os.environ["DBUS_SESSION_BUS_ADDRESS"]
        path = address.split("unix:path=")[1].split(",")[0]
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        identity = str(os.getuid()).encode().hex()
        self.socket.sendall(f"\0AUTH EXTERNAL {identity}\r\n".encode())
        self.unread = b""
        while b"\r\n" not in self.unread:
            self.unread += self.receive()
        self.unread = b""
        self.socket.sendall(b"BEGIN\r\n")
        self.serial = 0
        bus = "org.freedesktop.DBus"
        self.answer(self.send(bus, "Hello", to=bus, path="/org/freedesktop/DBus"))

    def receive(self):
        data = self.socket.recv(1 << 20)
        if not data:
            raise EOFError("the bus closed the connection")
        return data

    def message(self, interface, member, signature="", values=(), to=NAME, path=PATH, flags=0):
        """The values are a list, or the bytes of the body."""
        self.serial += 1
        body = values if isinstance(values, bytes) else body_of(signature, values)
        fields = [(1, ("o", path)), (3, ("s", member)), (6, ("s", to))]
        if interface:
            fields.append((2, ("s", interface)))
        if signature:
            fields.append((8, ("g", signature)))
        header = bytearray(b"l" + bytes([CALL, flags, 1]) + struct.pack("<II", len(body), self.serial))
        put(header, "a(yv)", fields)
        header += b"\0" * (-len(header) % 8)
        return header + body

    def send(self, interface, member, signature="", values=(), **more):
        self.socket.sendall(self.message(interface, member, signature, values, **more))
        return self.serial

    def length(self):
        """Of the next message, whose beginning has been read."""
        _, _, _, _, size, _, fields = struct.unpack("<cBBBIII", self.unread[:16])
        return 16 + fields + (-fields % 8) + size

    def read(self):
        """The next message: its kind, the serial that it answers, its error name and its body."""
        while len(self.unread) < 16:
            self.unread += self.receive()
        _, kind, _, _, size, _, fields = struct.unpack("<cBBBIII", self.unread[:16])
        start = 16 + fields + (-fields % 8)
        while len(self.unread) < start + size:
            self.unread += self.receive()
        header, body = self.unread[16 : 16 + fields], self.unread[start : start + size]
        self.unread = self.unread[start + size :]
        answered, error, at = 0, "", 0
        while at < len(header):
            at += -at % 8
            code, kind_of_field = header[at], chr(header[at + 2])
            at += 4
            if kind_of_field == "g":
                at += 2 + header[at]
                continue
            at += -at % 4
            (number,) = struct.unpack_from("<I", header, at)
            at += 4
            if kind_of_field == "u":
                answered = number if code == 5 else answered
            else:
                if code == 4:
                    error = header[at : at + number].decode()
                at += number + 1
        return kind, answered, error, body

    def answer(self, serial):
        while True:
            kind, answered, error, body = self.read()
            if answered == serial:
                return kind, error, body

    def call(self, *arguments, **more):
        return self.answer(self.send(*arguments, **more))


def contract(bus):
    """Every method of the service: interface, member, signature."""
    _, _, body = bus.call("org.freedesktop.DBus.Introspectable", "Introspect")
    (size,) = struct.unpack_from("<I", body)
    for interface in ElementTree.fromstring(body[4 : 4 + size].decode()).iter("interface"):
        for method in interface.iter("method"):
            inputs = [a.get("type") for a in method.iter("arg") if a.get("direction") != "out"]
            yield interface.get("name"), method.get("name"), "".join(inputs)


def must(condition, sentence):
    if not condition:
        sys.exit(sentence)


# ---- Attacks

BASIC = "ybnqiuxtdsogv"
SIGNATURES = [""] + list(BASIC) + ["a" + one for one in BASIC]
SIGNATURES += ["aas", "a{sv}", "a{ss}", "a{us}", "aa{sv}", "a(sa{sv})", "(s)", "(sa{sv})", "ssss"]
SIGNATURES += ["sv", "sa{ss}", "sa{sv}s", "ssa{sv}", "sas", "ua{sv}", "a{sa{sv}}", "a" * 32 + "s"]
SIGNATURES += ["(" * 32 + "s" + ")" * 32, "s" * 255]


def wrong_signatures():
    """Every method with every wrong signature, and each is an error."""
    bus, sent = Bus(), 0
    for interface, member, right in contract(bus):
        for signature in SIGNATURES + [right + "s", right[:-1] if right[-1:] in BASIC else "y" + right]:
            if signature == right:
                continue
            values = [nothing(one) for one in types(signature)]
            kind, error, _ = bus.call(interface, member, signature, values)
            expected = "org.freedesktop.DBus.Error.InvalidArgs"
            must(kind == ERROR, f"{interface}.{member} accepted ({signature})")
            must(error == expected, f"{interface}.{member} answered ({signature}) with {error}")
            sent += 1
    print(f"{sent} calls of the wrong signature")


OPTIONS = """as application own-application new-instance activate universal-links-only arguments
environment activation-token annotation cancellation-id interactive from-link confirmation-agent request-id
hidden fresh limit since token bundle-identifier object-path running remembers-requests state will did
define type title subtitle icon user-info opener scheme handler allowed""".split()


def nested(depth, innermost):
    for _ in range(depth):
        innermost = ("v", innermost)
    return innermost


ODD = [("a{sv}", []), ("av", [nested(8, ("y", 1))] * 64), ("s", ""), ("s", "x" * 70000), ("g", "a{sv}")]
ODD += [("i", -1), ("t", 2**64 - 1), ("d", float("nan")), ("as", [""] * 5000), ("o", "/" + "a" * 5000)]


def odd_body(signature, key, value):
    options = [[key, value]]
    filled = {"a{sv}": options, "aa{sv}": [options], "s": "nobody:1"}
    return body_of(signature, [filled.get(one, nothing(one)) for one in types(signature)])


def odd_options():
    """Every method that takes options with every option of every odd value, and each is answered."""
    bus, sent = Bus(), 0
    passed = ["Monitor", "WaitForExit"]
    # Many methods have the same signature.
    bodies = {}
    for interface, member, signature in contract(bus):
        if "a{sv}" not in signature or member in passed:
            continue
        if signature not in bodies:
            bodies[signature] = [odd_body(signature, key, value) for key in OPTIONS for value in ODD]
        for body in bodies[signature]:
            kind, _, _ = bus.call(interface, member, signature, body)
            must(kind in (RETURN, ERROR), "no answer")
            sent += 1
    print(f"{sent} calls with odd options")


def odd_urls():
    """URLs of random pieces; each is explained or refused."""
    seed = int(os.environ.get("LAUNCH_SERVICES_SEED", "1"))
    chance, bus = random.Random(seed), Bus()
    pieces = ["photos", "tel", "mailto", "sms", "https", ":", "//", "/", "?", "#", "%", "%4", "%00", "@", "&"]
    pieces += ["[::1]", "..", "maps.apple.com", "q0z", "q1z", "\u202e", "e\u0301", " ", "\n", "x" * 500, "1"]
    for _ in range(3000):
        url = "".join(chance.choices(pieces, k=chance.randint(0, 12)))
        for member in ("Explain", "CanOpenURL"):
            kind, _, _ = bus.call(WORKSPACE, member, "sa{sv}", [url, []])
            must(kind in (RETURN, ERROR), "no answer")
    print(f"3000 URLs; LAUNCH_SERVICES_SEED={seed}")


def deep_variants():
    """As deep as the bus lets it, for every method that takes options."""
    bus, sent = Bus(), 0
    for interface, member, signature in contract(bus):
        if "a{sv}" not in signature or member == "Monitor":
            continue
        for depth in (1, 16, 40, 58):
            for key in ("annotation", "user-info", "unknown"):
                options = [[key, nested(depth, ("s", "x"))]]
                values = [
                    {"a{sv}": options, "aa{sv}": [options], "s": "nobody:1"}.get(one, nothing(one))
                    for one in types(signature)
                ]
                kind, _, _ = bus.call(interface, member, signature, values)
                must(kind in (RETURN, ERROR), "no answer")
                sent += 1
    print(f"{sent} calls with deep variants")


def long_strings():
    """100 MB in one string, which the bus takes its time over; where it refuses, it ends the connection."""
    text = b"x" * 100_000_000
    calls = [
        (WORKSPACE, "OpenURL", "sa{sv}", [text, []]),
        (WORKSPACE, "CanOpenURL", "sa{sv}", ["nobody:1", [["as", ("s", text)]]]),
        (LAUNCH, "CheckIn", "a{sv}", [[["token", ("s", text)]]]),
    ]
    for call in calls:
        try:
            kind, _, _ = Bus().call(*call)
            must(kind == ERROR, f"{call[1]} was not refused")
        except (EOFError, OSError):
            pass
    print(f"{len(calls)} calls with 100 MB")


def long_urls_of_a_stranger():
    """A connection that nobody knows yet sends 200 URLs of 1 MB, then asks, and leaves."""
    sent = 0
    for _ in range(2):
        bus = Bus()
        data = bus.message(WORKSPACE, "CanOpenURL", "sa{sv}", ["nobody:" + "x" * 1_000_000, []], flags=1)
        for _ in range(200):
            bus.socket.sendall(data)
            sent += 1
        kind, _, _ = bus.call(WORKSPACE, "CanOpenURL", "sa{sv}", ["nobody:1", []])
        must(kind == RETURN, "CanOpenURL was not answered")
    print(f"{sent} URLs of 1 MB")


def long_urls_behind_a_slow_call():
    """While the service reads a file for the caller, the caller sends 200 URLs of 1 MB."""
    bus = Bus()
    bus.call(WORKSPACE, "CanOpenURL", "sa{sv}", ["nobody:1", []])
    big = os.path.join(os.environ["HOME"], "big.plist")
    with open(big, "w") as file:
        file.write("<plist version='1.0'><dict><key>CFBundleIdentifier</key><array>")
        file.write("<string>x</string>" * 400_000)
        file.write("</array></dict></plist>")
    data = bus.message(WORKSPACE, "CanOpenURL", "sa{sv}", ["nobody:" + "x" * 1_000_000, []], flags=1)
    for _ in range(4):
        bus.send(REGISTRY, "Lint", "s", [big])
    for _ in range(200):
        bus.socket.sendall(data)
    last = bus.send(WORKSPACE, "CanOpenURL", "sa{sv}", ["nobody:1", []])
    kind, _, _ = bus.answer(last)
    must(kind == RETURN, "CanOpenURL was not answered")
    print("200 URLs of 1 MB behind a slow call")


def pending_calls():
    """Thousands of calls at once, whose answers nobody reads, from a caller that leaves."""
    methods = list(contract(Bus()))
    sent = 0
    for _ in range(4):
        bus = Bus()
        for number in range(6000):
            interface, member, signature = methods[number % len(methods)]
            if member in ("Reload", "RegisterApplication", "UnregisterApplication", "SetDesktopExport", "SetDefaultsGuard"):
                continue
            values = [nothing(one) for one in types(signature)]
            bus.send(interface, member, signature, values)
            sent += 1
        bus.socket.close()
    print(f"{sent} pending calls")


def unread_answers():
    """Answers of 20 KB each that nobody reads, until the caller leaves."""
    bus, sent = Bus(), 0
    data = bus.message("org.freedesktop.DBus.Introspectable", "Introspect")
    for _ in range(10_000):
        bus.socket.sendall(data)
        sent += 1
    kind, _, _ = Bus().call(WORKSPACE, "CanOpenURL", "sa{sv}", ["nobody:1", []])
    must(kind == RETURN, "another caller was not answered")
    bus.socket.close()
    print(f"{sent} answers that nobody read")


def a_flood_before_one():
    """4,000 calls at once, and then one of another caller, which need not wait for all of them."""
    flood, other = Bus(), Bus()
    flood.socket.sendall(flood.message(REGISTRY, "ListApplications") * 4000)
    other.send("org.freedesktop.DBus.Peer", "Ping")
    before = 0
    while True:
        ready, _, _ = select.select([flood.socket, other.socket], [], [])
        if other.socket in ready:
            break
        flood.unread += flood.receive()
        while len(flood.unread) >= 16 and len(flood.unread) >= flood.length():
            flood.read()
            before += 1
    # Not 0: some are answered before the other one asks.
    must(before < 3500, f"the other caller waited for {before} answers")
    print(f"{before} of 4,000 calls before one")


def connections():
    """Thousands of connections at once, each of which asks and leaves without reading."""
    many = []
    for number in range(3000):
        bus = Bus()
        bus.send(WORKSPACE, "CanOpenURL", "sa{sv}", [f"nobody:{number}", []])
        many.append(bus)
    kind, error, body = many[-1].answer(many[-1].serial)
    # A daemon that is slow may refuse some of the 3,000 questions, all of one process, because of a limit.
    refused = error in ("org.launchservices.Error.LimitExceeded", "org.freedesktop.DBus.Error.LimitsExceeded")
    must(kind == RETURN or refused, f"the last one was answered with {error} {body}")
    for bus in many:
        bus.socket.close()
    print(f"{len(many)} connections")


def broken_messages():
    """Messages of a real call with some bytes changed; the bus ends most of these connections."""
    seed = int(os.environ.get("LAUNCH_SERVICES_SEED", "1"))
    chance = random.Random(seed)
    sent = 0
    for _ in range(300):
        bus = Bus()
        try:
            for _ in range(20):
                data = bytearray(
                    bus.message(WORKSPACE, "Explain", "sa{sv}", ["nobody:1", [["as", ("s", "x.y")]]])
                )
                for _ in range(chance.randint(1, 4)):
                    data[chance.randrange(len(data))] = chance.randrange(256)
                bus.socket.sendall(data)
                sent += 1
        except OSError:
            pass
        bus.socket.close()
    print(f"{sent} broken messages; LAUNCH_SERVICES_SEED={seed}")


ATTACKS = {
    attack.__name__.replace("_", "-"): attack
    for attack in (
        wrong_signatures, odd_options, odd_urls, deep_variants, long_strings, long_urls_of_a_stranger,
        long_urls_behind_a_slow_call, pending_calls, unread_answers, a_flood_before_one,
        connections, broken_messages,
    )
}  # fmt: skip

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in ATTACKS:
        sys.exit("usage: hostile.py " + "|".join(ATTACKS))
    ATTACKS[sys.argv[1]]()
