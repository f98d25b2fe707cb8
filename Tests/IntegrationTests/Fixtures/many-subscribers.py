"""Connections that subscribe to events, and read none of them.

usage: many-subscribers.py connections NUMBER   of this process; they subscribe to opens and applications in turn
       many-subscribers.py processes NUMBER     one connection of each, which subscribes to opens
at the session bus of the environment. Prints how many were made and admitted, and stays until it is ended.
"""

import os
import resource
import signal
import sys
import time

from hostile import REGISTRY, RETURN, WORKSPACE, Bus

kind, number = sys.argv[1], int(sys.argv[2])


def subscribe(bus, index):
    interface, member = [(WORKSPACE, "Monitor"), (REGISTRY, "WatchApplications")][index % 2]
    return bus.send(interface, member, "a{sv}", [[]])


def connections():
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    held = []
    for index in range(number):
        bus = Bus()
        held.append((bus, subscribe(bus, index)))
    return held, sum(bus.answer(serial)[0] == RETURN for bus, serial in held)


def processes():
    read, write = os.pipe()
    for _ in range(number):
        if os.fork() == 0:
            # They end with their parent.
            os.close(read)
            bus = Bus()
            os.write(write, b"y" if bus.answer(subscribe(bus, 0))[0] == RETURN else b"n")
            signal.pause()
    os.close(write)
    answers = b""
    while len(answers) < number:
        answers += os.read(read, 65536)
    return range(number), answers.count(b"y")


# The tests start it as the leader of a process group.
signal.signal(signal.SIGTERM, lambda *_: os.killpg(0, signal.SIGKILL))
held, admitted = {"connections": connections, "processes": processes}[kind]()
print(f"{len(held)} made, {admitted} admitted", flush=True)
time.sleep(600)
