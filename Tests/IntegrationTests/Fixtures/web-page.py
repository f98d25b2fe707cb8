"""Does what a browser does with a link on a page: runs a command as GIO does, in a process that loses its parent.
Run it with a copy of Python that is called like a browser.

usage: web-page.py double-fork|setsid|ended COMMAND [ARGUMENT]...

double-fork   the browser waits until the command has ended
setsid        the same, and the command leads a session of its own
ended         the browser has ended when the command begins
"""
import os
import sys

way, command = sys.argv[1], sys.argv[2:]


def run_when_orphaned(parent):
    while os.getppid() == parent:
        os.sched_yield()
    if way == "setsid":
        os.setsid()
    os.execv(command[0], command)


if way == "ended":
    browser = os.getpid()
    if os.fork() == 0:
        run_when_orphaned(browser)
    os._exit(0)
# The command holds the writing end until it has ended.
reading, writing = os.pipe()
os.set_inheritable(writing, True)
between = os.fork()
if between == 0:
    between = os.getpid()
    if os.fork() == 0:
        run_when_orphaned(between)
    os._exit(0)
os.waitpid(between, 0)
os.close(writing)
os.read(reading, 1)
