#!/usr/bin/python3
"""An application for `paint:` URLs without any Launch Services library.

It is a Gio.Application, the base of every GTK application: GLib exports org.freedesktop.Application under
its bus name, and the daemon opens URLs with that interface. Its property list contains DBusActivatable. It
ends after a minute without a call.

Needs python3-gi.
"""

import sys

from gi.repository import Gio


class Paint(Gio.Application):
    def __init__(self):
        super().__init__(
            application_id="com.example.gtk-handler", flags=Gio.ApplicationFlags.HANDLES_OPEN)
        self.set_inactivity_timeout(60_000)
        self.token = None
        self.add_quick_action("clear", lambda *_: print("paint cleared", flush=True))
        self.add_quick_action("quit", lambda *_: self.quit())

    def add_quick_action(self, name, body):
        action = Gio.SimpleAction.new(name, None)
        action.connect("activate", body)
        self.add_action(action)

    def do_before_emit(self, platform_data):
        """Called before each call: GTK shows its window with this token."""
        token = platform_data.lookup_value("activation-token", None)
        self.token = token.get_string() if token else None

    def do_open(self, files, n_files, hint):
        self.hold()  # like an open window; the minute starts at the release
        for file in files:
            token = f" with token {self.token}" if self.token else ""
            print(f"paint {file.get_uri()}{token}", flush=True)
        self.release()

    def do_activate(self):
        print("paint activated", flush=True)


if __name__ == "__main__":
    sys.exit(Paint().run(sys.argv))
