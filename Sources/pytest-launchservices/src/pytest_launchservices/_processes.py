"""The warden of a world, as the test sees it."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


class WorldFailure(Exception):
    """A world cannot be made, or processes of it had to be killed."""


class Processes:
    """Starts the processes of a world, and knows which have ended."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._warden = subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(__file__).with_name("_warden.py")), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Not in the process group of the terminal: the end of the input ends it, after the test.
            start_new_session=True,
        )
        self._buffer = b""
        self._ends: dict[int, int] = {}

    def start(self, name: str, argv: Sequence[str], env: Mapping[str, str], log: Path) -> int:
        """Starts a process, and returns its PID."""
        command = {"start": name, "argv": list(argv), "env": dict(env), "log": str(log)}
        assert self._warden.stdin is not None
        self._warden.stdin.write(json.dumps(command).encode() + b"\n")
        self._warden.stdin.flush()
        while True:
            event = self._event()
            if event.get("started") == name:
                return int(event["pid"])
            if event.get("failed") == name:
                raise WorldFailure(f"{argv[0]} could not be started: {event['reason']}")

    def status(self, pid: int, *, timeout: float) -> int | None:
        """The exit status of an ended process, negative for a signal; None when it still runs after the timeout."""
        end = time.monotonic() + timeout
        while pid not in self._ends:
            if not self.wait([], max(0.0, end - time.monotonic())):
                return None
        return self._ends[pid]

    def wait(self, descriptors: Sequence[int], timeout: float) -> bool:
        """Waits until a descriptor can be read, or a process has ended; False when neither was in time."""
        assert self._warden.stdout is not None
        if b"\n" in self._buffer:
            self._event()
            return True
        warden = self._warden.stdout.fileno()
        ready, _, _ = select.select([warden, *descriptors], [], [], timeout)
        if warden in ready:
            self._event()
        return bool(ready)

    def end(self) -> None:
        """Ends all processes. Raises when some had to be killed."""
        assert self._warden.stdin is not None and self._warden.stdout is not None
        self._warden.stdin.close()
        stubborn: list[str] = []
        try:
            while True:
                event = self._event()
                stubborn = event.get("stubborn", stubborn)
        except WorldFailure:
            pass  # It has ended.
        self._warden.stdout.close()
        self._warden.wait()
        if stubborn:
            raise WorldFailure(f"processes did not end on SIGTERM and were killed: {'; '.join(stubborn)}")

    def _event(self) -> dict[str, Any]:
        assert self._warden.stdout is not None
        while b"\n" not in self._buffer:
            data = os.read(self._warden.stdout.fileno(), 65536)
            if not data:
                raise WorldFailure("the process that starts the world's processes has ended")
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        event: dict[str, Any] = json.loads(line)
        if "ended" in event:
            self._ends[event["pid"]] = event["status"]
        return event
