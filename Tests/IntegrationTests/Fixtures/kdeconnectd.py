"""A stand-in for the daemon of KDE Connect on the session bus.

usage: kdeconnectd.py BEHAVIOUR PAIRED DEVICE...

DEVICE is ID:NAME:TYPE:STATES, where STATES contains p for paired and r for reachable. PAIRED is the name of the property
that says whether a device is paired: isTrusted until 23.04, isPaired later. BEHAVIOUR is one of:

  takes    prints "shared ID URL" for each URL
  gone     reports devices as reachable, but has no object for their plugins
  refuses  answers a URL with an error
  silent   prints the URL, and answers nothing
  ends     prints the URL, and ends without an answer
  hangs    answers no call at all
"""

import os
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

behaviour, paired = sys.argv[1:3]
DEVICE = "org.kde.kdeconnect.device"


def say(*words):
    print(*words, file=sys.stderr, flush=True)


class Daemon(dbus.service.Object):
    @dbus.service.method(
        "org.kde.kdeconnect.daemon", in_signature="bb", out_signature="as", async_callbacks=("reply", "fail"))
    def devices(self, reachable, paired, reply, fail):
        say("listed")
        if behaviour != "hangs":
            reply(dbus.Array([id for id in devices if id in trusted or not paired], signature="s"))


class Device(dbus.service.Object):
    def __init__(self, bus, path, name, kind, states):
        super().__init__(bus, path)
        self.properties = {"name": name, "type": kind, paired: "p" in states, "isReachable": "r" in states}

    @dbus.service.method("org.freedesktop.DBus.Properties", in_signature="s", out_signature="a{sv}")
    def GetAll(self, interface):
        return self.properties if interface == DEVICE else {}


class Share(dbus.service.Object):
    def __init__(self, bus, path, id):
        super().__init__(bus, path)
        self.id = id

    @dbus.service.method(DEVICE + ".share", in_signature="s", out_signature="", async_callbacks=("reply", "fail"))
    def shareUrl(self, url, reply, fail):
        if behaviour == "refuses":
            return fail(dbus.DBusException("no room for " + url, name="org.kde.kdeconnect.Error"))
        say("shared", self.id, url)
        if behaviour == "ends":
            os._exit(0)
        if behaviour != "silent":
            reply()


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
devices, trusted = [], set()
objects = [Daemon(bus, "/modules/kdeconnect")]
for text in sys.argv[3:]:
    id, name, kind, states = text.split(":")
    devices.append(id)
    if "p" in states:
        trusted.add(id)
    path = "/modules/kdeconnect/devices/" + id
    objects.append(Device(bus, path, name, kind, states))
    if "p" in states and "r" in states and behaviour != "gone":
        objects.append(Share(bus, path + "/share", id))
name = dbus.service.BusName("org.kde.kdeconnect", bus)
say("ready")
GLib.MainLoop().run()
