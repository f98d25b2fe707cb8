"""Runs a command at a terminal of its own, types ANSWER (nothing for -) when it is asked, and prints what it shows
while it does. With @FIFO as ANSWER, types y when something was written to the pipe.

usage: at-terminal.py ANSWER COMMAND [ARGUMENT]...
"""
import os
import pty
import sys
import termios

answer, command = sys.argv[1], sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    attributes = termios.tcgetattr(1)
    attributes[1] &= ~termios.OPOST  # a line ends with a newline alone
    termios.tcsetattr(1, termios.TCSANOW, attributes)
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
    sys.stdout.buffer.write(part)
    sys.stdout.buffer.flush()
    if answer != "-" and shown.endswith((b"ne[v]er: ", b"[n]o: ")):
        if answer.startswith("@"):
            open(answer[1:]).readline()
            answer = "y"
        os.write(terminal, answer.encode() + b"\n")
status = os.waitpid(pid, 0)[1]
sys.exit(os.waitstatus_to_exitcode(status))
