"""Simulated applications, as the test sees them."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from launchservices.errors import NotRunning, Refused

if TYPE_CHECKING:
    from launchservices import Client

Callback = Literal[
    "application:openURL",
    "application:openURLs",
    "willConnectTo",
    "openURLContexts",
    "continue",
    "performActionFor",
    "reopen",
]


@dataclass(frozen=True, slots=True)
class Received:
    """One URL, universal link or quick action that an application received."""

    url: str
    """The URL, exactly as the opener sent it; the type of a quick action; empty for ``reopen``."""
    callback: Callback
    """The method that Apple's systems would have called."""
    launch: Literal["cold", "warm"]
    """``cold`` if the process was started for it."""
    pid: int
    """The process that received it."""
    source_application: str | None
    """The opener, if the opener is an application of the same team."""
    annotation: object
    """The annotation of the opener."""


Answer = bool | Callable[[Received], bool]


class Application:
    """A simulated application: records what it receives, and answers as the test says."""

    def __init__(self, identifier: str, client: Client) -> None:
        self.identifier = identifier
        """The bundle identifier."""
        self.answer: Answer = True
        """Whether the application says that it handled a URL, or a function that decides. The function runs in another
        thread than the test. It may raise :class:`launchservices.Refused`, so that the opener gets an error."""
        self.will_finish_launching: bool | None = None
        """The answer of ``application:willFinishLaunchingWithOptions:``; None if it is not implemented."""
        self.did_finish_launching: bool | None = None
        """The answer of ``application:didFinishLaunchingWithOptions:``. False refuses what the application was started
        for; None if it is not implemented."""
        self.launches: list[int] = []
        """The processes that were started, in order."""
        self._client = client
        self._received: list[Received] = []
        self._changed = threading.Condition()

    def __repr__(self) -> str:
        return f"<Application {self.identifier}, received {self.urls}>"

    @property
    def received(self) -> list[Received]:
        """All that has arrived, in order."""
        with self._changed:
            return list(self._received)

    @property
    def urls(self) -> list[str]:
        """The URLs that have arrived, in order."""
        return [one.url for one in self.received]

    def wait(self, count: int, *, timeout: float = 10.0) -> list[Received]:
        """Waits until ``count`` deliveries have arrived, and returns all of them.

        :param timeout: in seconds; raises ``TimeoutError`` after it.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: len(self._received) >= count, timeout):
                raise TimeoutError(
                    f"{self.identifier} received {len(self._received)} of {count} deliveries within {timeout} s"
                )
            return list(self._received)

    def clear(self) -> None:
        """Forgets what has arrived."""
        with self._changed:
            self._received.clear()

    def kill(self) -> None:
        """Kills the process that was started last, and waits until the daemon knows it. The next open is cold."""
        pid = self.launches[-1]
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(NotRunning):
            self._client.wait_for_exit(pid)

    def _take(self, event: dict[str, Any]) -> dict[str, Any]:
        if event["kind"] == "launch":
            self.launches.append(event["pid"])
            return {"will": self.will_finish_launching, "did": self.did_finish_launching}
        received = Received(
            url=event["url"],
            callback=event["callback"],
            launch=event["launch"],
            pid=event["pid"],
            source_application=event["source_application"],
            annotation=event["annotation"],
        )
        with self._changed:
            self._received.append(received)
            self._changed.notify_all()
        try:
            return {"handled": self.answer(received) if callable(self.answer) else self.answer}
        except Refused as refusal:
            return {"refuse": str(refusal)}
        except Exception as error:
            return {"refuse": f"{type(error).__name__}: {error}"}


class Director:
    """Answers the processes of simulated applications, each in a thread of its own."""

    def __init__(self, path: Path) -> None:
        self._applications: dict[str, Application] = {}
        self.path = path
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(path))
        self._socket.listen(128)
        threading.Thread(target=self._accept, name="launchservices-director", daemon=True).start()

    def add(self, application: Application) -> str:
        """Returns the key by which the processes of the application say whose they are."""
        key = str(len(self._applications))
        self._applications[key] = application
        return key

    def close(self) -> None:
        """Accepts no more processes."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return  # The world has ended.
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rw", encoding="utf-8") as stream, contextlib.suppress(OSError):
            for line in stream:
                event = json.loads(line)
                stream.write(json.dumps(self._applications[event["key"]]._take(event)) + "\n")
                stream.flush()


def wait_for_line(path: Path, text: str, timeout: float) -> str:
    """Waits for a line in a file that grows."""
    end = time.monotonic() + timeout
    while True:
        for line in path.read_text(errors="replace").splitlines():
            if text in line:
                return line
        if time.monotonic() > end:
            raise TimeoutError(f"no line with {text!r} came within {timeout} s; the output is:\n{path.read_text()}")
        time.sleep(0.01)
