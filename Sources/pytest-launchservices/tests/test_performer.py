"""What a handler does for a request that comes again: calls of the daemon without a daemon."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

import pytest

from launchservices import ConnectionOptions, DeliveryOptions, Handler, Refused
from launchservices._performer import Performer, Refusal


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
            [("file:///a", {"request": 1}), ("file:///b", {"request": 1})],
            "OpenURLs",
            _urls("file:///a", "file:///b", repeated=True),
            ("ab", ([True, True],)),
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


def _outcome(performer: Performer, member: str, body: tuple[Any, ...]) -> object:
    """The reply, or the name and the text of the error reply."""
    try:
        return performer.perform(member, body)
    except Refusal as refusal:
        return refusal.name, str(refusal)


@pytest.mark.parametrize("error", [Refused("not today"), KeyError("album")])
@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("member", ["OpenURLs", "ContinueUserActivity", "PerformQuickAction", "Reopen"])
def test_a_refusal_is_the_answer_to_a_request_that_comes_again(member: str, is_async: bool, error: Exception) -> None:
    calls = []

    def perform(*arguments: object) -> bool:
        calls.append(arguments)
        raise error

    async def perform_later(*arguments: object) -> bool:
        return perform(*arguments)

    method = perform_later if is_async else perform
    handler = Handler()
    for name in ("open", "continue_user_activity", "perform_quick_action", "reopen"):
        setattr(handler, name, method)
    performer = Performer(handler, _call)

    def body(*, repeated: bool) -> tuple[Any, ...]:
        options = _options(1, repeated=repeated)
        match member:
            case "OpenURLs":
                return ([("note:1", options)],)
            case "Reopen":
                return (options,)
            case _:
                return ("type", options)

    first = _outcome(performer, member, body(repeated=False))
    assert isinstance(first, tuple)
    assert first[0] == "org.freedesktop.DBus.Error.Failed"
    assert _outcome(performer, member, body(repeated=True)) == first
    assert len(calls) == 1
    # A daemon that has lost its record uses numbers again.
    _outcome(performer, member, body(repeated=False))
    assert len(calls) == 2


def test_an_open_without_a_url_is_performed_once() -> None:
    class Reopened(Handler):
        count = 0

        def reopen(self, options: DeliveryOptions) -> None:
            self.count += 1

    handler = Reopened()
    performer = Performer(handler, _call)
    assert performer.perform("Reopen", (_options(1, repeated=False),)) == (None, ())
    assert performer.perform("Reopen", (_options(1, repeated=True),)) == (None, ())
    assert handler.count == 1


def test_a_long_reason_is_cut_because_it_is_remembered() -> None:
    class Refusing(Handler):
        def open(self, url: str, options: DeliveryOptions) -> bool:
            raise Refused("x" * 100_000)

    performer = Performer(Refusing(), _call)
    reasons = [_outcome(performer, "OpenURLs", _urls("note:1", repeated=repeated)) for repeated in (False, True)]
    assert reasons == [("org.freedesktop.DBus.Error.Failed", "x" * 2000 + "…")] * 2


def test_remembers_the_last_10000_requests() -> None:
    handler = Notes()
    performer = Performer(handler, _call)
    for request in range(10_001):
        performer.perform("OpenURLs", _urls("note:1", request=request))
    del handler.heard[:]
    performer.perform("OpenURLs", _urls("note:1", request=1, repeated=True))
    assert handler.heard == []
    performer.perform("OpenURLs", _urls("note:1", request=0, repeated=True))
    assert handler.heard == ["note:1"]


def test_all_documents_of_a_repeated_request_that_never_arrived_are_opened() -> None:
    handler = Notes()
    performer = Performer(handler, _call)
    documents = ("file:///a", "file:///b", "file:///unknown")
    reply = ("ab", ([True, True, False],))
    assert performer.perform("OpenURLs", _urls(*documents, repeated=True)) == reply
    assert handler.heard == list(documents)
    assert performer.perform("OpenURLs", _urls(*documents, repeated=True)) == reply
    assert handler.heard == list(documents)


def test_documents_that_were_opened_together_are_opened_together_when_they_come_again() -> None:
    class Editor(Handler):
        def __init__(self) -> None:
            self.opened: list[list[str]] = []

        def open_documents(self, documents: Sequence[tuple[str, DeliveryOptions]]) -> list[bool]:
            self.opened.append([url for url, _ in documents])
            return [url == "file:///a" for url, _ in documents]

    handler = Editor()
    performer = Performer(handler, _call)
    reply = ("ab", ([True, False],))
    assert performer.perform("OpenURLs", _urls("file:///a", "file:///b", repeated=True)) == reply
    assert performer.perform("OpenURLs", _urls("file:///a", "file:///b", request=2)) == reply
    assert performer.perform("OpenURLs", _urls("file:///a", "file:///b", request=2, repeated=True)) == reply
    assert handler.opened == [["file:///a", "file:///b"]] * 2


def test_a_refused_document_is_the_answer_for_all_documents_of_the_request() -> None:
    class Refusing(Notes):
        def open(self, url: str, options: DeliveryOptions) -> bool:
            super().open(url, options)
            if url == "file:///b":
                raise Refused("b is locked")
            return True

    handler = Refusing()
    performer = Performer(handler, _call)
    for repeated in (False, True):
        outcome = _outcome(performer, "OpenURLs", _urls("file:///a", "file:///b", "file:///c", repeated=repeated))
        assert outcome == ("org.freedesktop.DBus.Error.Failed", "b is locked")
    assert handler.heard == ["file:///a", "file:///b"]


def test_a_refusal_with_characters_that_D_Bus_does_not_have_is_sent_with_others() -> None:
    class Refusing(Handler):
        def open(self, url: str, options: DeliveryOptions) -> bool:
            raise Refused("no note \0 \udcff!")

    performer = Performer(Refusing(), _call)
    _, text = cast("tuple[str, str]", _outcome(performer, "OpenURLs", _urls("note:1")))
    assert text == "no note \ufffd ?!"


def test_a_number_that_another_daemon_uses_for_another_call_is_performed() -> None:
    handler = Notes()
    performer = Performer(handler, _call)
    link = {"webpage-url": "https://example.com/", **_options(1, repeated=False)}
    performer.perform("ContinueUserActivity", ("web", link))
    assert performer.perform("OpenURLs", _urls("note:1", repeated=True)) == ("ab", ([True],))
    assert performer.perform("OpenURLs", _urls("file:///a", "file:///b", repeated=True)) == ("ab", ([True, True],))
