#!/usr/bin/python3
"""An application for `note:` URLs in Python, without any Launch Services library.

A handler must

1. export org.launchservices.Application1,
2. call CheckIn with the token from the environment,
3. launch, and call FinishLaunching,
4. answer OpenURLs: for each URL whether it was handled,
5. call CheckIn again for a new daemon, and answer repeated requests as the first time.

Needs python3-dbus and python3-gi.
"""

import os
import sys
import traceback

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

SERVICE = "org.launchservices.LaunchServices1"
SERVICE_PATH = "/org/launchservices/LaunchServices1"
LAUNCH = "org.launchservices.Launch1"
APPLICATION = "org.launchservices.Application1"
APPLICATION_PATH = "/org/launchservices/Application"

# The option `remembers-requests` of CheckIn promises to remember so many requests at least.
REMEMBERED = 10_000


class Refused(dbus.DBusException):
    """The caller is not the daemon."""

    _dbus_error_name = "org.freedesktop.DBus.Error.AccessDenied"


class Failed(dbus.DBusException):
    """A URL was not opened."""

    _dbus_error_name = "org.freedesktop.DBus.Error.Failed"


class Application(dbus.service.Object):
    """The object that the daemon calls."""

    def __init__(self, bus):
        super().__init__(bus, APPLICATION_PATH)
        self.bus = bus
        self.daemon = ""
        # The daemon with which this process has checked in; None until it has launched.
        self.checked_in_with = None
        self.answers = {}
        # Called immediately with the owner of the name, and after each change.
        bus.watch_name_owner(SERVICE, self.set_daemon)

    def set_daemon(self, unique_name):
        self.daemon = str(unique_name)
        if self.daemon and self.checked_in_with not in (None, self.daemon):
            self.checked_in_with = self.daemon
            self.come_back()

    def come_back(self):
        """The new daemon identifies this process by its process identifier; no token is needed."""
        options = {"running": True, "remembers-requests": True, "state": "active"}
        self.bus.call_async(
            SERVICE, SERVICE_PATH, LAUNCH, "CheckIn", "a{sv}", [options],
            lambda _: None, lambda error: print(f"handler.py: {error}", file=sys.stderr))

    def check(self, sender):
        """Refuses callers other than the daemon: any client of the bus can call this object."""
        if not self.daemon or sender != self.daemon:
            raise Refused(f"only the owner of {SERVICE} may call this")

    @dbus.service.method(APPLICATION, "a(sa{sv})", "ab", sender_keyword="sender")
    def OpenURLs(self, urls, sender=None):
        self.check(sender)
        answer = self.open_once(urls)
        if isinstance(answer, str):
            raise Failed(answer)
        return dbus.Array(answer, signature="b")

    def open_once(self, urls):
        """Opens each request once: a daemon that was killed may have delivered it before. Documents that were opened
        together are one request. The answer is a list, or the reason of a refusal, and either is given again."""
        options = urls[0][1]
        request = options.get("request")
        known = self.answers.get(request) if options.get("repeated") else None
        if isinstance(known, str) or (known is not None and len(known) == len(urls)):
            return known
        try:
            answer = [self.open(*url) for url in urls]
        except Exception as error:
            traceback.print_exc()
            answer = f"{type(error).__name__}: {error}"[:2000]
        if request is not None:
            self.answers.pop(request, None)
            self.answers[request] = answer
            if len(self.answers) > REMEMBERED:
                del self.answers[next(iter(self.answers))]
        return answer

    @dbus.service.method(APPLICATION, "sa{sv}", "b", sender_keyword="sender")
    def PerformQuickAction(self, action, options, sender=None):
        self.check(sender)
        return False  # the property list contains no quick actions

    @dbus.service.method(APPLICATION, "sa{sv}", "b", sender_keyword="sender")
    def ContinueUserActivity(self, activity, options, sender=None):
        self.check(sender)
        return False

    @dbus.service.method(APPLICATION, "s", "", sender_keyword="sender")
    def StateChanged(self, state, sender=None):
        self.check(sender)

    def open(self, url, options):
        """Handles `note:TEXT`; the source is given if the opener is of the same team."""
        print(f"note {url} from {options.get('source-application', 'unknown')}", flush=True)
        return len(url) > len("note:")


def main():
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    loop = GLib.MainLoop()
    bus = dbus.SessionBus()
    bus.set_exit_on_disconnect(False)
    bus.call_on_disconnection(lambda _: loop.quit())
    application = Application(bus)

    options = {"object-path": dbus.ObjectPath(APPLICATION_PATH)}
    for variable, key in (
        ("LAUNCH_SERVICES_TOKEN", "token"),
        ("LAUNCH_SERVICES_BUNDLE_IDENTIFIER", "bundle-identifier"),
    ):
        if variable in os.environ:
            options[key] = os.environ.pop(variable)

    launch = dbus.Interface(bus.get_object(SERVICE, SERVICE_PATH, introspect=False), LAUNCH)
    try:
        answer = launch.CheckIn(dbus.Dictionary(options, signature="sv"))
        reason = answer["launch-options"].get("url", "no URL")
        print(f"launched for {reason}", flush=True)
        # The results of the launch methods; with False, the URL would not be delivered.
        launch.FinishLaunching(dbus.Dictionary({"did": True}, signature="sv"))
        application.checked_in_with = str(bus.get_name_owner(SERVICE))
    except dbus.DBusException as error:
        sys.exit(f"handler.py: {error.get_dbus_message()}")
    loop.run()


if __name__ == "__main__":
    main()
