"""An application of KDE of which several processes may run, and which prints what it gets on standard error.

usage: kde-multiple.py NAME [URL]

A process that runs after another passes its URL on, and goes on running, as Kate does with its option --block.
"""

import os
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

name = sys.argv[1]


def say(*words):
    print("kde-multiple", *words, file=sys.stderr, flush=True)


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
if any(str(other).startswith(name + "-") for other in bus.list_names()):
    say("second process", sys.argv[-1])
else:
    owned = dbus.service.BusName(f"{name}-{os.getpid()}", bus)
    say("started", os.getpid(), sys.argv[-1])
GLib.MainLoop().run()
