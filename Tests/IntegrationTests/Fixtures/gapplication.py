"""A GApplication with the flags of the first argument, which prints what it gets on standard error.

usage: gapplication.py open|command-line|both|both-no-open NAME [URL ...]

With the variable GAPPLICATION_GATE, it takes its name when something is written to the pipe at this path.
A URL that ends with "quit" makes the application end 0.2 s later, with "leave" 2.5 s later; one that ends with "hang"
makes it sleep.
With one that ends with "kept", another process keeps the connection to the bus for two seconds after the end of the
application, like a bus that is busy.
"""

import os
import sys
import time

from gi.repository import Gio, GLib

kind, name = sys.argv[1:3]
flags = {
    "open": Gio.ApplicationFlags.HANDLES_OPEN,
    "command-line": Gio.ApplicationFlags.HANDLES_COMMAND_LINE,
    "both": Gio.ApplicationFlags.HANDLES_OPEN | Gio.ApplicationFlags.HANDLES_COMMAND_LINE,
    "both-no-open": Gio.ApplicationFlags.HANDLES_OPEN | Gio.ApplicationFlags.HANDLES_COMMAND_LINE,
}
application = Gio.Application(application_id=name, flags=flags[kind])


def say(*words):
    print("gapplication", *words, file=sys.stderr, flush=True)


say("process")
if gate := os.environ.get("GAPPLICATION_GATE"):
    open(gate).readline()


def took(way, url):
    say(way, url)
    if url.endswith("quit"):
        GLib.timeout_add(200, application.quit)
    if url.endswith("leave"):
        GLib.timeout_add(2500, application.quit)
    if url.endswith("hang"):
        time.sleep(60)
    if url.endswith("kept"):
        keep_connection()


def keep_connection():
    own = os.getpid()
    if os.fork() == 0:
        for name in os.listdir("/proc/self/fd"):
            try:
                os.set_inheritable(int(name), True)
            except OSError:  # the folder itself
                pass
        os.execv("/bin/sh", ["sh", "-c", f"while kill -0 {own}; do sleep 0.1; done; sleep 2"])
    say("kept", own)


def opened(_, files, count, hint):
    for file in files:
        took("open", file.get_uri())


def command_line(_, line):
    took("command-line", line.get_arguments()[-1])
    return 3 if line.get_arguments()[-1].endswith("refused") else 0


application.connect("startup", lambda _: (say("started"), application.hold()))
application.connect("activate", lambda _: say("activated"))
if kind != "both-no-open":
    application.connect("open", opened)
application.connect("command-line", command_line)
sys.exit(application.run([sys.argv[0]] + sys.argv[3:]))
