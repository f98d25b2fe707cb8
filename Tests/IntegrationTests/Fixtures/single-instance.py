#!/usr/bin/python3
"""A program with the single instance of Tauri or of Wails 2, which prints what it gets on standard error.

usage: single-instance.py [URL]

A file beside this one, with ".kind" after its name, has "tauri", "tauri-older" or "wails", and the bus name.

A second process ends with the status of the framework: 0 of Tauri, 1 of Wails.
"""

import json
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

kind, name = open(sys.argv[0] + ".kind").read().split()


def say(*words):
    print("single-instance", *words, file=sys.stderr, flush=True)


class Tauri(dbus.service.Object):
    @dbus.service.method("org.SingleInstance.DBus", "ass", "")
    def ExecuteCallback(self, arguments, folder):
        say("got", *arguments[1:], folder)


class Wails(dbus.service.Object):
    @dbus.service.method("org.wails_app_chat.SingleInstance", "s", "")
    def SendMessage(self, text):
        message = json.loads(text)
        say("got", *message["Args"], message["WorkingDirectory"])


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
if bus.request_name(name, dbus.bus.NAME_FLAG_DO_NOT_QUEUE) != 1:  # the only owner
    say("second process", sys.argv[-1])
    sys.exit(0 if kind.startswith("tauri") else 1)
path = "/" + name.replace(".", "/").replace("-", "_")
if kind == "tauri-older":
    path = "/" + name.rpartition(".")[0].replace(".", "_").replace("-", "_") + "/SingleInstance"
application = (Wails if kind == "wails" else Tauri)(bus, path)
say("started", sys.argv[-1])
GLib.MainLoop().run()
