"""A process that nobody started for an application takes a bus name and checks in as that application.

usage: check-in-as.py NAME   at the session bus of the environment

Prints "admitted", or the error.
"""

import sys

from hostile import LAUNCH, Bus

bus = Bus()
name = sys.argv[1]
dbus = "org.freedesktop.DBus"
bus.call(dbus, "RequestName", "su", [name, 4], to=dbus, path="/org/freedesktop/DBus")
_, error, body = bus.call(LAUNCH, "CheckIn", "a{sv}", [[["bundle-identifier", ("s", name)]]])
text = body[4:-1].decode(errors="replace") if error else "admitted"
print("check-in:", error, text, flush=True)
