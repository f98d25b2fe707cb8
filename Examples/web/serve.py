#!/usr/bin/python3
"""Serves this folder on a free port of localhost, and prints the URL of the page."""

import functools
import http.server
import pathlib

handler = functools.partial(
    http.server.SimpleHTTPRequestHandler, directory=pathlib.Path(__file__).parent)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(f"http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
