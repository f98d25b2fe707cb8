"""A program that takes the place of an application, starts a process, and executes the program of the application: the
kernel and the bus then name a process that executes the right program, and the started process reads.

usage: passing-on.py bus|socket closed|kept PLACE PROGRAM [ARGUMENT ...]

PLACE is the bus name, or the path of the socket. With "kept", the executed program has the connection open, too.
"""

import os
import socket
import sys

kind, held, place = sys.argv[1:4]
program = sys.argv[4:]


def say(*words):
    print("passing-on", *words, file=sys.stderr, flush=True)


def become_program():
    if held == "kept":
        for name in os.listdir("/proc/self/fd"):
            try:
                os.set_inheritable(int(name), True)
            except OSError:  # the folder itself
                pass
    os.execv(program[0], program)


def serve_bus():
    import dbus
    import dbus.mainloop.glib
    import dbus.service
    from gi.repository import GLib

    class Application(dbus.service.Object):
        @dbus.service.method("org.freedesktop.Application", "asa{sv}", "")
        def Open(self, uris, platform):
            say("got", *uris)

    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.SessionBus()
    name = dbus.service.BusName(place, bus)
    application = Application(bus, "/" + place.replace(".", "/").replace("-", "_"))
    own = os.getpid()
    if os.fork():
        become_program()
    say("serves")
    loop = GLib.MainLoop()
    # The end of the process that was started by the test.
    GLib.timeout_add(100, lambda: os.getppid() == own or loop.quit())
    loop.run()
    return name, application


def serve_socket():
    server = socket.socket(socket.AF_UNIX)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    server.bind(place)
    server.listen()
    server.settimeout(0.1)
    own = os.getpid()
    if os.fork():
        become_program()
    say("serves")
    while os.getppid() == own:
        try:
            connection, _ = server.accept()
        except TimeoutError:
            continue
        connection.settimeout(5)
        if data := connection.recv(4096):
            say("got", data)
            connection.sendall(b"ack")


serve_bus() if kind == "bus" else serve_socket()
