"""The connection of a handler: check-in, calls of the daemon, and the next daemon."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jeepney.low_level import HeaderFields, Message, MessageFlag, MessageType
from jeepney.wrappers import new_error, new_method_return

from . import _wire
from ._blocking import Session, open_connection, reply_serial, unreachable
from ._wire import APPLICATION, APPLICATION_PATH, BUS, SERVICE, header
from .deliveries import ConnectionOptions, DeliveryOptions, LaunchOptions, QuickAction
from .errors import LaunchServicesError, Refused

if TYPE_CHECKING:
    from .handler import Handler

_REMEMBERED = 1000
"""The number of requests whose answers are remembered."""
_CHECK_IN = 25.0
"""The seconds in which the daemon must answer the check-in."""


class _Refusal(Exception):
    """An error reply."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(text)
        self.name = name


class Connection:
    """Serves one handler until the bus closes the connection."""

    def __init__(self, handler: Handler, call: Callable[..., Any]) -> None:
        """:param call: calls a method of the handler with arguments, and waits for its result."""
        self._handler = handler
        self._call = call
        self._session = Session(open_connection(os.environ, descriptors=True))
        self._stopped = False
        # The unique name of the daemon; empty while none runs.
        self._daemon = ""
        self._checked_in_with = ""
        self._state = "active"
        # What to do with the reply to a call, by its serial number.
        self._replies: dict[int, Callable[[Message], None]] = {}
        self._answers: dict[int, bool] = {}

    def stop(self) -> None:
        """Ends ``serve``, from any thread."""
        self._stopped = True
        with contextlib.suppress(OSError):
            # Not the writing end: a method that calls this is still answered.
            self._session.connection.sock.shutdown(socket.SHUT_RD)

    def close(self) -> None:
        """Closes the connection."""
        self._session.connection.close()

    def serve(self) -> None:
        """Checks in, launches, and answers calls."""
        try:
            self._watch_daemon()
            launched_for = self._check_in()
            self._launch(launched_for)
            while True:
                self._take(self._session.receive())
        except OSError as error:
            # After the check-in this is the usual end: the bus has closed the connection.
            if not self._stopped and not self._checked_in_with:
                raise unreachable(os.environ, error) from error

    # Check-in

    def _watch_daemon(self) -> None:
        rule = f"type='signal',sender='{BUS}',interface='{BUS}',member='NameOwnerChanged',arg0='{SERVICE}'"
        _wire.body_of(self._session.call(_wire.bus_message("AddMatch", "s", (rule,))))
        reply = self._session.call(_wire.bus_message("GetNameOwner", "s", (SERVICE,)))
        if reply.header.message_type == MessageType.method_return:
            self._daemon = str(reply.body[0])

    def _check_in(self) -> dict[str, Any]:
        options = self._check_in_options()
        for variable, key in (
            ("LAUNCH_SERVICES_TOKEN", "token"),
            ("LAUNCH_SERVICES_BUNDLE_IDENTIFIER", "bundle-identifier"),
        ):
            # Processes that the application starts must not show the token.
            value = os.environ.pop(variable, None)
            if value:
                options[key] = ("s", value)
        message = _wire.call_message("Launch1", "CheckIn", "a{sv}", (options,))
        reply = self._session.call(message, timeout=_CHECK_IN)
        answer: dict[str, Any] = _wire.body_of(reply)[0]
        # The sender of the reply is the daemon that has accepted this process.
        self._checked_in_with = header(reply, HeaderFields.sender)
        return answer

    def _check_in_options(self) -> _wire.Options:
        options: _wire.Options = {
            "object-path": ("o", APPLICATION_PATH),
            "remembers-requests": ("b", True),
        }
        if self._handler.scenes:
            options["scenes"] = ("b", True)
        if self._handler.documents_as_files:
            options["documents"] = ("s", "descriptors")
        return options

    def _launch(self, answer: dict[str, Any]) -> None:
        handler = self._handler
        connection = answer.get("connection-options")
        # A scene application is told with the connection of its scene.
        options = LaunchOptions.of(answer.get("launch-options", {}))
        results: _wire.Options = {}
        for key, method in (
            ("will", handler.will_finish_launching),
            ("did", handler.did_finish_launching),
        ):
            result = self._call(method, options)
            if result is not None:
                results[key] = ("b", _boolean(result, method))
        if connection is not None:
            self._call(handler.will_connect, ConnectionOptions.of(connection))
        message = _wire.call_message("Launch1", "FinishLaunching", "a{sv}", (results,))
        self._send(message, "the end of the launch")

    def _check_in_again(self) -> None:
        """The new daemon identifies this process by the record of the earlier one; no token is needed."""
        self._checked_in_with = self._daemon
        options = self._check_in_options()
        options["running"] = ("b", True)
        options["state"] = ("s", self._state)
        message = _wire.call_message("Launch1", "CheckIn", "a{sv}", (options,))
        self._send(message, "the new check-in")

    def _send(self, message: Message, what: str) -> None:
        """Sends a call without waiting: the daemon may call this process before it replies."""

        def take(reply: Message) -> None:
            try:
                _wire.body_of(reply)
            except LaunchServicesError as error:
                # After a restart of the daemon this process checks in again.
                if error.name not in ("org.freedesktop.DBus.Error.NoReply", "ShuttingDown"):
                    print(f"Launch Services rejected {what}: {error.message}", file=sys.stderr)

        self._replies[self._session.send(message)] = take

    # Messages

    def _take(self, message: Message) -> None:
        match message.header.message_type:
            case MessageType.method_return | MessageType.error:
                take = self._replies.pop(reply_serial(message) or 0, None)
                if take is not None:
                    take(message)
            case MessageType.signal:
                self._take_signal(message)
            case MessageType.method_call:
                self._take_call(message)

    def _take_signal(self, message: Message) -> None:
        # Every connection can send a signal of this name; only the bus's own signal counts.
        if (
            header(message, HeaderFields.sender) != BUS
            or header(message, HeaderFields.member) != "NameOwnerChanged"
            or message.body[0] != SERVICE
        ):
            return
        self._daemon = message.body[2]
        if self._daemon and self._daemon != self._checked_in_with:
            self._check_in_again()

    def _take_call(self, message: Message) -> None:
        try:
            signature, body = self._answer(message)
            reply = new_method_return(message, signature, body)
        except _Refusal as refusal:
            reply = new_error(message, refusal.name, "s", (str(refusal),))
        if not message.header.flags & MessageFlag.no_reply_expected:
            self._session.send(reply)

    def _answer(self, message: Message) -> tuple[str | None, tuple[Any, ...]]:
        interface = header(message, HeaderFields.interface)
        member = header(message, HeaderFields.member)
        if interface == "org.freedesktop.DBus.Peer" and member == "Ping":
            return None, ()
        if interface not in (APPLICATION, ""):
            raise _Refusal("org.freedesktop.DBus.Error.UnknownInterface", f"there is no interface {interface}")
        # Any program on the bus can call this one.
        if not self._daemon or header(message, HeaderFields.sender) != self._daemon:
            raise _Refusal(
                "org.freedesktop.DBus.Error.AccessDenied",
                f"only the owner of {SERVICE} may call {member}",
            )
        expected = _SIGNATURES.get(member)
        if expected is None:
            raise _Refusal("org.freedesktop.DBus.Error.UnknownMethod", f"{APPLICATION} has no method {member}")
        signature = header(message, HeaderFields.signature)
        if signature != expected:
            raise _Refusal(
                "org.freedesktop.DBus.Error.InvalidArgs",
                f"{member} takes ({expected}), not ({signature})",
            )
        return self._perform(member, _wire.plain_body(message))

    # Deliveries

    def _perform(self, member: str, body: tuple[Any, ...]) -> tuple[str | None, tuple[Any, ...]]:
        handler = self._handler
        match member:
            case "OpenURLs":
                return "ab", (self._open([(url, DeliveryOptions.of(o)) for url, o in body[0]]),)
            case "ContinueUserActivity":
                options = DeliveryOptions.of(body[1])
                link = body[1].get("webpage-url", "")
                return "b", (self._once(options, handler.continue_user_activity, link, options),)
            case "PerformQuickAction":
                options = DeliveryOptions.of(body[1])
                action = QuickAction.of(*body)
                return "b", (self._once(options, handler.perform_quick_action, action, options),)
            case "Reopen":
                self._guarded(_anything, handler.reopen, DeliveryOptions.of(body[0]))
            case "StateChanged":
                self._state = body[0]
                self._guarded(_anything, handler.state_changed, body[0])
        return None, ()

    def _open(self, urls: list[tuple[str, DeliveryOptions]]) -> list[bool]:
        handler = self._handler
        try:
            if len(urls) > 1 and not any(options.repeated for _, options in urls):
                answers: list[bool] = self._guarded(_booleans(len(urls)), handler.open_documents, urls)
                for (_, options), answer in zip(urls, answers, strict=True):
                    self._remember(options, answer)
                return answers
            return [self._once(options, handler.open, url, options) for url, options in urls]
        finally:
            for _, options in urls:
                if options.file is not None:
                    options.file.close()

    def _once(self, options: DeliveryOptions, method: Callable[..., Any], *arguments: Any) -> bool:
        """Performs each request once: a daemon that was killed may have delivered it before."""
        if options.repeated and options.request in self._answers:
            return self._answers[options.request]
        answer: bool = self._guarded(_boolean, method, *arguments)
        self._remember(options, answer)
        return answer

    def _remember(self, options: DeliveryOptions, answer: bool) -> None:
        if options.request is None:
            return
        self._answers[options.request] = answer
        if len(self._answers) > _REMEMBERED:
            del self._answers[next(iter(self._answers))]

    def _guarded(
        self,
        checked: Callable[[Any, Callable[..., Any]], Any],
        method: Callable[..., Any],
        *arguments: Any,
    ) -> Any:
        """Calls a method of the handler; its exceptions, and those of the check of its result, refuse the call."""
        try:
            return checked(self._call(method, *arguments), method)
        except Refused as refusal:
            raise _Refusal("org.freedesktop.DBus.Error.Failed", str(refusal)) from None
        except Exception as error:
            traceback.print_exc()
            text = f"{method.__qualname__}(): {type(error).__name__}: {error}"
            raise _Refusal("org.freedesktop.DBus.Error.Failed", text) from None


_SIGNATURES = {
    "OpenURLs": "a(sa{sv})",
    "ContinueUserActivity": "sa{sv}",
    "PerformQuickAction": "sa{sv}",
    "Reopen": "a{sv}",
    "StateChanged": "s",
}
"""The arguments of the methods of Application1."""


def _anything(answer: object, method: Callable[..., Any]) -> object:
    return answer


def _boolean(answer: object, method: Callable[..., Any]) -> bool:
    if not isinstance(answer, bool):
        raise TypeError(f"{method.__qualname__}() returned {answer!r}; return True or False")
    return answer


def _booleans(count: int) -> Callable[[Any, Callable[..., Any]], list[bool]]:
    def checked(answers: Any, method: Callable[..., Any]) -> list[bool]:
        result = [_boolean(answer, method) for answer in answers]
        if len(result) != count:
            raise TypeError(f"{method.__qualname__}() returned {len(result)} answers for {count} documents")
        return result

    return checked
