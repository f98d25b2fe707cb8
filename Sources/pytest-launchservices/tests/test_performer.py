"""What a handler does for a request that comes again: calls of the daemon without a daemon."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from launchservices import ConnectionOptions, DeliveryOptions, Handler
from launchservices._performer import Performer


def _call(method: Callable[..., Any], *arguments: Any) -> Any:
    """As :meth:`Handler.run` calls methods."""

    async def finish(result: Awaitable[Any]) -> Any:
        return await result

    result = method(*arguments)
    return asyncio.run(finish(result)) if isinstance(result, Awaitable) else result


class Notes(Handler):
    def __init__(self) -> None:
        self.heard: list[str] = []

    def open(self, url: str, options: DeliveryOptions) -> bool:
        self.heard.append(url)
        return not url.endswith("/unknown")

    def continue_user_activity(self, webpage_url: str, options: DeliveryOptions) -> bool:
        self.heard.append(webpage_url)
        return True


def _options(request: int, *, repeated: bool) -> dict[str, Any]:
    return {"request": request, **({"repeated": True} if repeated else {})}


def _urls(*urls: str, request: int = 1, repeated: bool = False) -> tuple[Any, ...]:
    return ([(url, _options(request, repeated=repeated)) for url in urls],)


@pytest.mark.parametrize(
    ("key", "value", "member", "body", "reply"),
    [
        (
            "url-contexts",
            [("note:1", {"request": 1})],
            "OpenURLs",
            _urls("note:1", repeated=True),
            ("ab", ([True],)),
        ),
        (
            "user-activities",
            [("web", {"webpage-url": "https://example.com/", "request": 1})],
            "ContinueUserActivity",
            ("web", {"webpage-url": "https://example.com/", **_options(1, repeated=True)}),
            ("b", (True,)),
        ),
    ],
)
def test_what_a_scene_was_connected_for_is_not_performed_again(
    key: str, value: object, member: str, body: tuple[Any, ...], reply: object
) -> None:
    handler = Notes()
    performer = Performer(handler, _call)
    performer.connect(ConnectionOptions.of({key: value}))
    first = list(handler.heard)
    assert first
    assert performer.perform(member, body) == reply
    assert handler.heard == first
