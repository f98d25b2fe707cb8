"""Sites that answer as a test says. Usage: sites.py FOLDER

FOLDER holds key.pem and certificate.pem, and for each host a file HOST.reply: JSON with status, headers,
body, or hang; "paths" has other
replies for some paths. Prints its port, and then each request.
"""

import http.server
import json
import os
import ssl
import sys
import threading

folder = sys.argv[1]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        host = self.headers.get("Host", "")
        print("asked", host, self.path, flush=True)
        try:
            with open(os.path.join(folder, host + ".reply")) as file:
                reply = json.load(file)
        except FileNotFoundError:
            reply = {"status": 404}
        reply = reply.get("paths", {}).get(self.path, reply)
        if reply.get("hang"):
            threading.Event().wait()
        body = reply.get("body", "").encode()
        self.send_response(reply.get("status", 200))
        for name, value in reply.get("headers", {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, address):
        print("failed", flush=True)


server = Server(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(folder + "/certificate.pem", folder + "/key.pem")
server.socket = context.wrap_socket(server.socket, server_side=True)
print("port", server.server_address[1], flush=True)
server.serve_forever()
