"""A GApplication with the flags of the first argument, which prints what it gets on standard error.

usage: gapplication.py open|command-line|both|both-no-open NAME [URL ...]

A URL that ends with "quit" makes the application end 0.2 s later; one that ends with "hang" makes it sleep.
"""

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


def took(way, url):
    say(way, url)
    if url.endswith("quit"):
        GLib.timeout_add(200, application.quit)
    if url.endswith("hang"):
        time.sleep(60)


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
