"""Passes connections on to another Unix socket, and cuts them at random moments, as a bad network does.

Usage: cutting-proxy.py LISTEN TARGET SEED
Prints "ready", and then a line for each cut: its number, and the bytes that had passed in both directions.
A connection that is cut loses what the proxy holds at that moment.
"""

import random
import selectors
import socket
import sys
import threading

listen, target, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
chance = random.Random(seed)
lock = threading.Lock()
cuts = 0


def serve(client, budget, delay):
    """Passes on at most `budget` bytes, or all of them when it is None, and waits before the cut."""
    global cuts
    try:
        server = socket.socket(socket.AF_UNIX)
        server.connect(target)
    except OSError:
        client.close()
        return
    passed = 0
    ends = {client: server, server: client}
    selector = selectors.DefaultSelector()
    for end in ends:
        selector.register(end, selectors.EVENT_READ)
    try:
        while ends:
            # After its last byte a connection lives for a moment, in which answers may be under way.
            events = selector.select(delay if passed == budget else None)
            if not events:
                break
            for key, _ in events:
                if passed == budget:
                    continue
                most = 65536 if budget is None else min(65536, budget - passed)
                data = key.fileobj.recv(most)
                if not data:
                    return
                passed += len(data)
                ends[key.fileobj].sendall(data)
            if passed == budget and events and delay == 0:
                break
            if passed == budget:
                for end in ends:
                    selector.unregister(end)
                threading.Event().wait(delay)
                break
    except OSError:
        pass
    finally:
        if budget is not None and passed == budget:
            with lock:
                cuts += 1
                print("cut", cuts, passed, flush=True)
        client.close()
        server.close()


listener = socket.socket(socket.AF_UNIX)
listener.bind(listen)
listener.listen(64)
print("ready", flush=True)
while True:
    client, _ = listener.accept()
    with lock:
        # The handshake of a connection has about 150 bytes, an open about 400, and its answer about 200.
        budget = chance.randrange(0, 1100) if chance.random() < 0.6 else None
        delay = chance.choice([0, 0, 0.002, 0.02])
    threading.Thread(target=serve, args=(client, budget, delay), daemon=True).start()
