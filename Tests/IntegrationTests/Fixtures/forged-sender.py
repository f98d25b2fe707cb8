"""usage: forged-sender.py SOCKET PID

Asks the daemon on a direct connection who this is, with messages that say they were sent by the connection
that PID has on the session bus. Prints the answer of the daemon.
"""

import sys

import dbus
import dbus.connection
import dbus.lowlevel

bus = dbus.SessionBus()
driver = dbus.Interface(bus.get_object("org.freedesktop.DBus", "/org/freedesktop/DBus"), "org.freedesktop.DBus")


def names_of(pid):
    for name in driver.ListNames():
        if name.startswith(":") and driver.GetConnectionUnixProcessID(name) == pid:
            yield name


direct = dbus.connection.Connection("unix:path=" + sys.argv[1])
for name in names_of(int(sys.argv[2])):
    message = dbus.lowlevel.MethodCallMessage(
        "org.launchservices.LaunchServices1", "/org/launchservices/LaunchServices1",
        "org.launchservices.Workspace1", "Explain")
    message.append("photos:1", {}, signature="sa{sv}")
    message.set_sender(name)
    steps = direct.send_message_with_reply_and_block(message, 20).get_args_list()[0]["steps"]
    print("caller:", next(text for step, text in steps if step == "caller"), flush=True)
