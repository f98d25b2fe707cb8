# A chat server that prints what its clients join: "irc-server NUMBER joined CHANNEL", where NUMBER counts connections.
import socketserver, threading

count = 0
lock = threading.Lock()


class Client(socketserver.StreamRequestHandler):
    def handle(self):
        global count
        with lock:
            count += 1
            number = count
        nick = user = None
        is_welcome = False
        for raw in self.rfile:
            words = raw.decode(errors="replace").split()
            if not words:
                continue
            command = words[0].upper()
            if command == "NICK":
                nick = words[1].lstrip(":")
            if command == "USER":
                user = words[1]
            if nick and user and not is_welcome:
                is_welcome = True
                self.say("001 %s :Welcome" % nick)
                self.say("005 %s CHANTYPES=# NETWORK=test :are supported" % nick)
                self.say("376 %s :End" % nick)
            if command == "CAP" and words[1] == "LS":
                self.say("CAP * LS :")
            if command == "PING":
                self.say("PONG test %s" % words[1])
            if command == "JOIN":
                for channel in words[1].lstrip(":").split(","):
                    print("irc-server", number, "joined", channel, flush=True)
                    self.wfile.write((":%s!u@h JOIN %s\r\n" % (nick, channel)).encode())
                    self.say("366 %s %s :End" % (nick, channel))

    def say(self, text):
        self.wfile.write((":test " + text + "\r\n").encode())


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


server = Server(("127.0.0.1", 0), Client)
print("irc-server port", server.server_address[1], flush=True)
server.serve_forever()
