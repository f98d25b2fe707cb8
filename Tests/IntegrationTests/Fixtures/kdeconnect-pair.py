"""Runs two daemons of KDE Connect, pairs them, and prints what the second one receives. Needs the rights of root.

usage: kdeconnect-pair.py FOLDER

The first daemon connects to the session bus of the environment, the second to a bus of its own. Each has a network
namespace of its own; a pair of virtual network interfaces connects the two. Prints "paired ID NAME" when the first
daemon can send URLs to the second, then "received URL" for each URL that the second daemon receives. The line "leave"
on standard input ends the second daemon, and "left" is printed when the first daemon knows. The script ends with its
standard input, with SIGTERM, or with its parent process; its processes end with the script, also when the script is
killed. The output of each daemon is in a file of FOLDER.
"""

import ctypes
import os
import signal
import subprocess
import sys
import traceback

import dbus
import dbus.bus
import dbus.mainloop.glib
from gi.repository import GLib

KDECONNECTD = next(
    path
    for path in (
        "/usr/lib/x86_64-linux-gnu/libexec/kdeconnectd",
        "/usr/lib/aarch64-linux-gnu/libexec/kdeconnectd",
        "/usr/libexec/kdeconnectd",
        "/usr/lib/libexec/kdeconnectd",
    )
    if os.access(path, os.X_OK)
)
folder = sys.argv[1]
processes = []
PR_SET_PDEATHSIG = 1
prctl = ctypes.CDLL(None).prctl


def end_with_parent():
    """For a child process: the kernel kills the process when the script ends."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def start(command, name, namespace, address):
    home = os.path.join(folder, name)
    os.makedirs(home + "/run", mode=0o700, exist_ok=True)
    environment = {
        "PATH": os.environ["PATH"], "HOME": home, "XDG_CONFIG_HOME": home + "/config",
        "XDG_CACHE_HOME": home + "/cache", "XDG_DATA_HOME": home + "/data", "XDG_RUNTIME_DIR": home + "/run",
        "QT_QPA_PLATFORM": "offscreen", "LANG": "C.UTF-8", "DBUS_SESSION_BUS_ADDRESS": address,
    }
    log = open(os.path.join(folder, name + ".log"), "ab")
    enter = ["nsenter", "--net", "--target", str(namespace.pid)] if namespace else []
    process = subprocess.Popen(
        enter + command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        preexec_fn=end_with_parent)
    processes.append(process)
    return process


def network():
    """A process in a new network namespace."""
    process = subprocess.Popen(
        ["unshare", "--net", "sh", "-c", "echo ready; exec sleep infinity"], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, start_new_session=True, preexec_fn=end_with_parent)
    processes.append(process)
    process.stdout.readline()
    return process


def ip(namespace, *arguments):
    subprocess.run(["nsenter", "--net", "--target", str(namespace.pid), "ip", *arguments], check=True)


def end(*_):
    for process in reversed(processes):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
    sys.exit(0)


def say(*words):
    print(*words, flush=True)


def daemon(bus):
    path = "/modules/kdeconnect"
    return dbus.Interface(bus.get_object("org.kde.kdeconnect", path, introspect=False), "org.kde.kdeconnect.daemon")


def device(bus, id, plugin=""):
    return bus.get_object("org.kde.kdeconnect", f"/modules/kdeconnect/devices/{id}{plugin}", introspect=False)


def wait_for_name(bus):
    while not bus.name_has_owner("org.kde.kdeconnect"):
        GLib.MainContext.default().iteration(False)
        GLib.usleep(50_000)


def property_of(bus, id, *names):
    """The first of the properties that exists: names differ between versions."""
    properties = device(bus, id).GetAll(
        "org.kde.kdeconnect.device", dbus_interface="org.freedesktop.DBus.Properties")
    return next((properties[name] for name in names if name in properties), None)


def main():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, end)
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    here, there = network(), network()
    ip(here, "link", "add", "va", "type", "veth", "peer", "name", "vb", "netns", str(there.pid))
    for namespace, link, address in ((here, "va", "10.99.7.1"), (there, "vb", "10.99.7.2")):
        ip(namespace, "link", "set", "lo", "up")
        ip(namespace, "addr", "add", address + "/24", "dev", link)
        ip(namespace, "link", "set", link, "up")
        # The daemons broadcast to 255.255.255.255.
        ip(namespace, "route", "add", "default", "dev", link)
    socket = os.path.join(folder, "phone-bus")
    start(
        ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1", "--address=unix:path=" + socket],
        "bus", None, "")
    while not os.path.exists(socket):
        GLib.usleep(20_000)
    address = "unix:path=" + socket
    start([KDECONNECTD], "computer", here, os.environ["DBUS_SESSION_BUS_ADDRESS"])
    phone = start([KDECONNECTD], "phone", there, address)
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    computer_bus = dbus.bus.BusConnection(os.environ["DBUS_SESSION_BUS_ADDRESS"])
    phone_bus = dbus.bus.BusConnection(address)
    for bus in (computer_bus, phone_bus):
        wait_for_name(bus)
    phone_bus.add_signal_receiver(lambda url: say("received", url), "shareReceived")
    daemons = {bus: daemon(bus) for bus in (computer_bus, phone_bus)}
    daemons[phone_bus].setAnnouncedName("Pocket Phone")
    name = "kdeconnect-pair"
    for bus in daemons:
        # Unpaired devices are forgotten when nobody looks for devices.
        daemons[bus].acquireDiscoveryMode(name)
        daemons[bus].forceOnNetworkChange()
    id = str(daemons[phone_bus].selfId())
    own = str(daemons[computer_bus].selfId())
    steps = requested = 0

    def announce():
        for bus in daemons:
            daemons[bus].forceOnNetworkChange()

    def pair():
        nonlocal steps, requested
        steps += 1
        # A connection may be made in one direction only, or be replaced by another: then both look for devices again.
        if steps % 20 == 0:
            announce()
            requested = 0
            return True
        if not property_of(computer_bus, id, "isReachable") or not property_of(phone_bus, own, "isReachable"):
            return True
        if property_of(computer_bus, id, "isPaired", "isTrusted"):
            # The objects of plugins follow a little later.
            device(computer_bus, id, "/share").Introspect(dbus_interface="org.freedesktop.DBus.Introspectable")
            say("paired", id, str(daemons[computer_bus].deviceNames(True, True).get(id, "")))
            return False
        if not requested:
            device(computer_bus, id).requestPair(dbus_interface="org.kde.kdeconnect.device")
            requested = steps
        device(phone_bus, own).acceptPairing(dbus_interface="org.kde.kdeconnect.device")
        return True

    def guarded(step):
        """What a daemon cannot do yet is tried again."""
        try:
            return step()
        except dbus.DBusException as error:
            print(error, file=sys.stderr)
            return True

    GLib.timeout_add(200, lambda: guarded(pair))

    def command(channel, _):
        line = sys.stdin.readline()
        if not line:
            end()
        if line.strip() == "leave":
            os.killpg(phone.pid, signal.SIGTERM)
            phone.wait()
            GLib.timeout_add(100, lambda: guarded(left))
        return True

    def left():
        if id in daemons[computer_bus].devices(True, True):
            return True
        say("left")
        return False

    GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, command)
    GLib.MainLoop().run()


try:
    main()
except Exception:
    traceback.print_exc()
    end()
