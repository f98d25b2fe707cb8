"""An identity provider that logs everybody in.

Usage: identity-provider.py ADDRESS; prints "port N".
"""

import http.server
import json
import sys
import urllib.parse


class Provider(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        answer = urllib.parse.urlencode({"code": "the-code", "state": query["state"]})
        self.send_response(302)
        self.send_header("Location", query["redirect_uri"] + "?" + answer)
        self.end_headers()

    def do_POST(self):
        form = dict(
            urllib.parse.parse_qsl(
                self.rfile.read(int(self.headers["Content-Length"])).decode()
            )
        )
        token = {"access_token": "token-for-" + form["code"], "token_type": "Bearer"}
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps({**token, "expires_in": 3600}).encode())

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer((sys.argv[1], 0), Provider)
print("port", server.server_port, flush=True)
server.serve_forever()
