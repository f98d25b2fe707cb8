"""Clicks a link as a person would, in a Firefox that was started with --marionette.

usage: click-in-firefox.py PORT PAGE SELECTOR

Prints "connected", "shown" and "clicked" when it is so.
"""
import json
import socket
import sys

port, page, selector = sys.argv[1:]
marionette = socket.create_connection(("127.0.0.1", int(port)), timeout=120).makefile("rwb", buffering=0)


def receive():
    length = b""
    while not length.endswith(b":"):
        length += marionette.read(1)
    text = b""
    while len(text) < int(length[:-1]):
        text += marionette.read(int(length[:-1]) - len(text))
    return json.loads(text)


def command(number, name, arguments):
    text = json.dumps([0, number, name, arguments]).encode()
    marionette.write(b"%d:%s" % (len(text), text))
    _, _, error, result = receive()
    if error:
        sys.exit(f"{name}: {error}")
    return result


receive()
command(1, "WebDriver:NewSession", {})
print("connected", flush=True)
command(2, "WebDriver:Navigate", {"url": page})
print("shown", flush=True)
element = command(3, "WebDriver:FindElement", {"using": "css selector", "value": selector})
command(4, "WebDriver:ElementClick", {"id": next(iter(element["value"].values()))})
print("clicked", flush=True)
command(5, "WebDriver:DeleteSession", {})
