"""Starts and ends the processes of a world. A program of its own, which needs the standard library alone.

It reads commands from its standard input, one line of JSON each, and writes events to its standard output. When the
input ends, because the test has ended or was killed, it ends all processes that descend from it, also those that left
their parents, and removes the folder of the world.

    {"start": NAME, "argv": [PROGRAM, ...], "env": {...}, "log": PATH}  ->  {"started": NAME, "pid": PID}
                                                                       or  {"failed": NAME, "reason": TEXT}
    the end of a started process                                       ->  {"ended": NAME, "pid": PID, "status": STATUS}
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from typing import Any

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PATIENCE = 2.0
"""The seconds between SIGTERM and SIGKILL."""

_libc = ctypes.CDLL(None, use_errno=True)


def _die_with_parent() -> None:
    """For the case that this process is killed. Runs between fork and exec."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


class Warden:
    """The processes of one world."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.names: dict[int, str] = {}

    def say(self, event: dict[str, Any]) -> None:
        # The test may have ended.
        with contextlib.suppress(OSError):
            os.write(1, json.dumps(event).encode() + b"\n")

    def run(self) -> None:
        """Serves until the input ends."""
        wakeup, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        buffer = b""
        while True:
            ready, _, _ = select.select([0, wakeup], [], [])
            if wakeup in ready:
                with contextlib.suppress(BlockingIOError):
                    os.read(wakeup, 4096)
                self.reap()
            if 0 in ready:
                data = os.read(0, 65536)
                if not data:
                    return
                *lines, buffer = (buffer + data).split(b"\n")
                for line in lines:
                    self.start(json.loads(line))

    def start(self, command: dict[str, Any]) -> None:
        name = command["start"]
        try:
            with open(command["log"], "ab") as log:
                process = subprocess.Popen(
                    command["argv"],
                    env=command["env"],
                    cwd=command.get("cwd", self.folder),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    preexec_fn=_die_with_parent,
                )
        except OSError as error:
            self.say({"failed": name, "reason": str(error)})
            return
        # `reap` waits for it, as for all others.
        process.returncode = 0
        self.names[process.pid] = name
        self.say({"started": name, "pid": process.pid})

    def reap(self) -> bool:
        """Takes the ends of children, also of those that this process adopted.

        :returns: whether there are descendants: this process adopts those that lose their parents.
        """
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            name = self.names.pop(pid, None)
            if name is not None:
                self.say({"ended": name, "pid": pid, "status": os.waitstatus_to_exitcode(status)})

    def end(self) -> list[str]:
        """Ends all descendants, and returns those that had to be killed."""
        stubborn = []
        for number in (signal.SIGTERM, signal.SIGKILL):
            end = time.monotonic() + PATIENCE
            signalled: set[int] = set()
            # A list of processes misses those whose parent ends meanwhile, so it does not say when all have ended.
            while self.reap():
                descendants = _descendants()
                for pid in descendants - signalled:
                    if number == signal.SIGKILL:
                        stubborn.append(_command(pid))
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, number)
                        # The daemon stops applications in the background.
                        os.kill(pid, signal.SIGCONT)
                signalled |= descendants
                if time.monotonic() > end:
                    break
                signal.sigtimedwait([signal.SIGCHLD], 0.05)
        return stubborn


def _descendants() -> set[int]:
    parents: dict[int, int] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{entry}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
                if fields[0] != b"Z":
                    parents[int(entry)] = int(fields[1])
    found: set[int] = set()
    wave = {os.getpid()}
    while wave:
        wave = {pid for pid, parent in parents.items() if parent in wave} - found
        found |= wave
    return found


def _command(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return f"{pid} {file.read().replace(bytes(1), b' ').decode(errors='replace').strip()}"
    except OSError:
        return str(pid)


def main() -> None:
    """``_warden.py FOLDER``"""
    # A signal of the terminal ends the test, which then ends this process by the end of the input.
    # Not SIG_IGN, which all processes of the world would inherit.
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    warden = Warden(sys.argv[1])
    warden.run()
    signal.set_wakeup_fd(-1)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    stubborn = warden.end()
    shutil.rmtree(warden.folder, ignore_errors=True)
    warden.say({"stubborn": stubborn})


if __name__ == "__main__":
    main()
