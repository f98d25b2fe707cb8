"""An application with the interface of KDBusService, which prints what it gets on standard error.

usage: kde-application.py NAME [URL]
"""

import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

name = sys.argv[1]
path = "/" + name.replace(".", "/").replace("-", "_")


def say(*words):
    print("kde-application", *words, file=sys.stderr, flush=True)


class Application(dbus.service.Object):
    @dbus.service.method("org.kde.KDBusService", "assa{sv}", "i")
    def CommandLine(self, arguments, folder, platform):
        say("command-line", arguments[-1])
        return 3 if arguments[-1].endswith("refused") else 0


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
if bus.name_has_owner(name):
    say("second process", sys.argv[-1])
    sys.exit(0)
application = Application(bus, path)
owned = dbus.service.BusName(name, bus)
say("started", sys.argv[-1])
GLib.MainLoop().run()
