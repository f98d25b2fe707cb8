"""The program of a simulated application: passes what arrives to the test, and answers as the test says.

Run by the daemon: ``python -m pytest_launchservices.stub SOCKET KEY``.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Sequence
from typing import Any

from launchservices.deliveries import ConnectionOptions, DeliveryOptions, LaunchOptions, QuickAction
from launchservices.errors import LaunchServicesError, Refused
from launchservices.handler import Handler


class Stub(Handler):
    """Asks the test for each answer."""

    scenes = True

    def __init__(self, path: str, key: str) -> None:
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(path)
        self._stream = connection.makefile("rw", encoding="utf-8")
        self._key = key
        self._has_scene = False
        # Until the first delivery of a process that was started for one.
        self._is_cold = False

    def _ask(self, kind: str, **values: Any) -> dict[str, Any]:
        event = {"kind": kind, "key": self._key, "pid": os.getpid(), **values}
        self._stream.write(json.dumps(event, default=repr) + "\n")
        self._stream.flush()
        line = self._stream.readline()
        if not line:
            sys.exit(0)  # The test has ended.
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _deliver(self, callback: str, url: str, options: DeliveryOptions) -> bool:
        launch = "cold" if self._is_cold else "warm"
        self._is_cold = False
        answer = self._ask(
            "delivery",
            callback=callback,
            url=url,
            launch=launch,
            source_application=options.source_application,
            annotation=options.annotation,
        )
        if "refuse" in answer:
            raise Refused(answer["refuse"])
        return bool(answer["handled"])

    def will_finish_launching(self, options: LaunchOptions) -> bool | None:
        self._launched = self._ask("launch")
        self._is_cold = any((options.url, options.documents, options.webpage_url, options.quick_action))
        will: bool | None = self._launched["will"]
        return will

    def did_finish_launching(self, options: LaunchOptions) -> bool | None:
        did: bool | None = self._launched["did"]
        return did

    def will_connect(self, options: ConnectionOptions) -> None:
        self._has_scene = True
        self._is_cold = True
        for url, of_url in options.urls:
            self._deliver("willConnectTo", url, of_url)
            self._is_cold = True
        for link, of_link in options.links:
            self._deliver("willConnectTo", link, of_link)
        if options.quick_action is not None:
            self._deliver("willConnectTo", options.quick_action.type, DeliveryOptions())
        self._is_cold = False

    def open(self, url: str, options: DeliveryOptions) -> bool:
        return self._deliver("openURLContexts" if self._has_scene else "application:openURL", url, options)

    def open_documents(self, documents: Sequence[tuple[str, DeliveryOptions]]) -> list[bool]:
        callback = "openURLContexts" if self._has_scene else "application:openURLs"
        return [self._deliver(callback, url, options) for url, options in documents]

    def continue_user_activity(self, webpage_url: str, options: DeliveryOptions) -> bool:
        return self._deliver("continue", webpage_url, options)

    def perform_quick_action(self, action: QuickAction, options: DeliveryOptions) -> bool:
        return self._deliver("performActionFor", action.type, options)

    def reopen(self, options: DeliveryOptions) -> None:
        self._deliver("reopen", "", options)


if __name__ == "__main__":
    try:
        Stub(*sys.argv[1:]).run()
    except LaunchServicesError as error:
        sys.exit(f"simulated application: {error}")
    except OSError:
        pass  # The test has ended.
