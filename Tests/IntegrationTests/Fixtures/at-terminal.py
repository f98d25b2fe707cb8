"""Runs a command at a terminal of its own, types ANSWER (nothing for -) when it is asked, and prints what it shows.

usage: at-terminal.py ANSWER COMMAND [ARGUMENT]...
"""
import os
import pty
import sys

answer, command = sys.argv[1], sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    os.execv(command[0], command)
shown = b""
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        break
    if not part:
        break
    shown += part
    if answer != "-" and shown.endswith(b"ne[v]er: "):
        os.write(terminal, answer.encode() + b"\n")
status = os.waitpid(pid, 0)[1]
sys.stdout.write(shown.decode().replace("\r\n", "\n"))
sys.exit(os.waitstatus_to_exitcode(status))
