"""What a handler does for each call of the daemon: each request once, and exceptions as error replies."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .deliveries import ConnectionOptions, DeliveryOptions, QuickAction
from .errors import Refused

if TYPE_CHECKING:
    from .handler import Handler

_REMEMBERED = 10_000
"""The number of requests whose answers are remembered: what the option ``remembers-requests`` of CheckIn asks for."""

_LONGEST_REASON = 2000
"""The longest text of a refusal, in characters. The texts are remembered, and an opener may have chosen them."""

SIGNATURES = {
    "OpenURLs": "a(sa{sv})",
    "ContinueUserActivity": "sa{sv}",
    "PerformQuickAction": "sa{sv}",
    "Reopen": "a{sv}",
    "StateChanged": "s",
}
"""The arguments of the methods of Application1."""


class Refusal(Exception):
    """An error reply."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(text)
        self.name = name


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the daemon is told: the result of a method, or why the method gave none."""

    call: object
    """The method, or the number of the URLs. A daemon that has lost its record uses a number for another call again."""
    result: Any = None
    refusal: str | None = None

    def give(self) -> Any:
        """The result; raises a :class:`Refusal`. An exception that was kept would keep the variables of the method."""
        if self.refusal is not None:
            raise Refusal("org.freedesktop.DBus.Error.Failed", self.refusal)
        return self.result


class Performer:
    """Calls the methods of one handler. Outlives the connection to a daemon, so that the next daemon gets the same
    answers."""

    def __init__(self, handler: Handler, call: Callable[..., Any]) -> None:
        """:param call: calls a method of the handler with arguments, and waits for its result."""
        self._handler = handler
        self._call = call
        self._answers: dict[int, _Answer] = {}
        self.state = "active"
        """The state that the daemon told last."""

    def connect(self, options: ConnectionOptions) -> None:
        """Connects the scene. What the scene is connected for was delivered with that: a daemon that asks again gets
        true, and no method is called."""
        for _, delivery in options.urls:
            self._remember(delivery, _Answer(len(options.urls), [True] * len(options.urls)))
        for _, delivery in options.links:
            self._remember(delivery, _Answer("ContinueUserActivity", True))
        if options.quick_action is not None:
            self._remember(options.quick_action_options, _Answer("PerformQuickAction", True))
        self._call(self._handler.will_connect, options)

    def perform(self, member: str, body: tuple[Any, ...]) -> tuple[str | None, tuple[Any, ...]]:
        """Performs a call of Application1; raises a :class:`Refusal`.

        :returns: the signature and the values of the reply.
        """
        handler = self._handler
        match member:
            case "OpenURLs":
                return "ab", (self._open([(url, DeliveryOptions.of(o)) for url, o in body[0]]),)
            case "ContinueUserActivity":
                options = DeliveryOptions.of(body[1])
                link = body[1].get("webpage-url", "")
                return "b", (self._once(options, member, boolean, handler.continue_user_activity, link, options),)
            case "PerformQuickAction":
                options = DeliveryOptions.of(body[1])
                action = QuickAction.of(*body)
                return "b", (self._once(options, member, boolean, handler.perform_quick_action, action, options),)
            case "Reopen":
                options = DeliveryOptions.of(body[0])
                self._once(options, member, _nothing, handler.reopen, options)
            case "StateChanged":
                self.state = body[0]
                self._guarded(member, _nothing, handler.state_changed, body[0]).give()
        return None, ()

    def _open(self, urls: list[tuple[str, DeliveryOptions]]) -> list[bool]:
        """One call is one request: all its documents have one number, and one answer."""
        handler = self._handler
        try:
            match urls:
                case []:
                    return []
                case [(url, options)]:
                    answers = self._once(options, 1, _single, handler.open, url, options)
                case [(_, options), *_]:
                    count = len(urls)
                    answers = self._once(options, count, _booleans(count), handler.open_documents, urls)
            return list(answers)
        finally:
            for _, options in urls:
                if options.file is not None:
                    options.file.close()

    def _once(
        self,
        options: DeliveryOptions,
        call: object,
        checked: Callable[[Any, Callable[..., Any]], Any],
        method: Callable[..., Any],
        *arguments: Any,
    ) -> Any:
        """Performs each request once: a daemon that was killed may have delivered it before."""
        known = self._answers.get(options.request) if options.repeated and options.request is not None else None
        if known is not None and known.call != call:
            known = None
        answer = known or self._guarded(call, checked, method, *arguments)
        self._remember(options, answer)
        return answer.give()

    def _remember(self, options: DeliveryOptions, answer: _Answer) -> None:
        if options.request is None:
            return
        # To the end: the answers at the beginning are forgotten first.
        self._answers.pop(options.request, None)
        self._answers[options.request] = answer
        if len(self._answers) > _REMEMBERED:
            del self._answers[next(iter(self._answers))]

    def _guarded(
        self,
        call: object,
        checked: Callable[[Any, Callable[..., Any]], Any],
        method: Callable[..., Any],
        *arguments: Any,
    ) -> _Answer:
        """Calls a method of the handler; its exceptions, and those of the check of its result, refuse the call."""
        try:
            return _Answer(call, checked(self._call(method, *arguments), method))
        except Refused as refusal:
            reason = str(refusal)
        except Exception as error:
            traceback.print_exc()
            reason = f"{method.__qualname__}(): {type(error).__name__}: {error}"
        if len(reason) > _LONGEST_REASON:
            reason = reason[:_LONGEST_REASON] + "…"
        # An opener may have chosen a part: D-Bus has no NUL, and no half of a pair of code units.
        reason = reason.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
        return _Answer(call, refusal=reason)


def _nothing(answer: object, method: Callable[..., Any]) -> None:
    """The result of a method that returns nothing."""


def boolean(answer: object, method: Callable[..., Any]) -> bool:
    """The answer of a method, which must be a bool."""
    if not isinstance(answer, bool):
        raise TypeError(f"{method.__qualname__}() returned {answer!r}; return True or False")
    return answer


def _single(answer: object, method: Callable[..., Any]) -> list[bool]:
    """The answer for the only URL of a call."""
    return [boolean(answer, method)]


def _booleans(count: int) -> Callable[[Any, Callable[..., Any]], list[bool]]:
    def checked(answers: Any, method: Callable[..., Any]) -> list[bool]:
        result = [boolean(answer, method) for answer in answers]
        if len(result) != count:
            raise TypeError(f"{method.__qualname__}() returned {len(result)} answers for {count} documents")
        return result

    return checked
