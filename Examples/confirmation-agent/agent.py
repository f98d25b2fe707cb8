#!/usr/bin/python3
"""A confirmation agent in Python: asks at its terminal, or with zenity where there is a display.

An agent must

1. export org.launchservices.ConfirmationAgent1,
2. call RegisterAgent, and again for each new daemon,
3. answer Confirm: whether the open is allowed, and whether the answer is remembered,
4. drop the question when Withdraw is called.

Needs python3-dbus and python3-gi; zenity is optional.
"""

import os
import shutil
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

SERVICE = "org.launchservices.LaunchServices1"
SERVICE_PATH = "/org/launchservices/LaunchServices1"
CONFIRMATION = "org.launchservices.Confirmation1"
AGENT = "org.launchservices.ConfirmationAgent1"
AGENT_PATH = "/org/example/ConfirmationAgent"


class Agent(dbus.service.Object):
    """The object that the daemon calls."""

    def __init__(self, bus):
        super().__init__(bus, AGENT_PATH)
        self.bus = bus
        self.dialogues = {}
        # Questions at the terminal by identifier, oldest first.
        self.questions = {}
        bus.watch_name_owner(SERVICE, lambda owner: owner and self.register())
        GLib.io_add_watch(sys.stdin.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN, self.typed)

    def register(self):
        self.bus.call_async(
            SERVICE, SERVICE_PATH, CONFIRMATION, "RegisterAgent", "oa{sv}", [AGENT_PATH, {}],
            lambda: print("ready", flush=True),
            lambda error: print(f"agent.py: {error}", file=sys.stderr))

    @dbus.service.method(
        AGENT, "a{sv}", "a{sv}", async_callbacks=("answer", "fail"))
    def Confirm(self, question, answer, fail):
        def decided(allowed):
            answer({"allowed": dbus.Boolean(allowed), "remember": dbus.Boolean(False)})

        if shutil.which("zenity") and ("DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ):
            self.ask_with_zenity(str(question["id"]), str(question["question"]), decided)
        else:
            self.questions[str(question["id"])] = (str(question["question"]), decided)
            if len(self.questions) == 1:
                self.show_next()

    @dbus.service.method(AGENT, "s", "")
    def Withdraw(self, identifier):
        process = self.dialogues.pop(str(identifier), None)
        if process is not None:
            os.kill(process, 15)
        was_shown = next(iter(self.questions), None) == str(identifier)
        self.questions.pop(str(identifier), None)
        if was_shown:
            print("(no longer)", flush=True)
            self.show_next()

    def ask_with_zenity(self, identifier, text, decided):
        process, *_ = GLib.spawn_async(
            ["zenity", "--question", "--no-markup", f"--text={text}"],
            flags=GLib.SpawnFlags.SEARCH_PATH | GLib.SpawnFlags.DO_NOT_REAP_CHILD)
        self.dialogues[identifier] = process

        def ended(process, status):
            self.dialogues.pop(identifier, None)
            decided(os.waitstatus_to_exitcode(status) == 0)

        GLib.child_watch_add(GLib.PRIORITY_DEFAULT, process, ended)

    def show_next(self):
        if self.questions:
            text, _ = next(iter(self.questions.values()))
            print(f"{text} [y/N]", flush=True)

    def typed(self, *_):
        """Answers the displayed question with a line from the terminal."""
        line = sys.stdin.readline()
        if self.questions:
            _, decided = self.questions.pop(next(iter(self.questions)))
            decided(line.strip().lower() in ("y", "yes"))
            self.show_next()
        return line != ""  # stops at the end of the input


def main():
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.SessionBus()
    loop = GLib.MainLoop()
    bus.call_on_disconnection(lambda _: loop.quit())
    agent = Agent(bus)
    loop.run()
    return agent


if __name__ == "__main__":
    main()
