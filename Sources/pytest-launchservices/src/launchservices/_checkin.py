"""The connection of a handler: check-in, calls of the daemon, and the next daemon."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jeepney.low_level import HeaderFields, Message, MessageFlag, MessageType
from jeepney.wrappers import new_error, new_method_return

from . import _wire
from ._blocking import Session, open_beside_bus, open_connection, open_directly, reply_serial, unreachable
from ._calls import DELAYS
from ._performer import SIGNATURES, Performer, Refusal, boolean
from ._wire import APPLICATION, APPLICATION_PATH, BUS, SERVICE, header
from .deliveries import ConnectionOptions, LaunchOptions, UserActivity
from .errors import LaunchServicesError, NobodyOnBus, ServiceUnreachable

if TYPE_CHECKING:
    from .handler import Handler

_CHECK_IN = 25.0
"""The seconds in which the daemon must answer the check-in."""


class _ConnectionEnded(Exception):
    """The bus, or the daemon without a bus, has closed the connection."""


class Connection:
    """Serves one handler until the bus closes the connection.

    Without a bus the connection is one to the socket of the daemon. It ends with the daemon, and the next daemon is
    awaited.
    """

    def __init__(self, handler: Handler, call: Callable[..., Any]) -> None:
        """:param call: calls a method of the handler with arguments, and waits for its result."""
        self._handler = handler
        self._call = call
        self._performer = Performer(handler, call)
        self._session = Session(open_connection(os.environ, descriptors=True))
        # How the next daemon is reached, after the end of a daemon without a bus.
        self._open_again = open_directly
        self._stopped = threading.Event()
        # The current activity may be set in any thread.
        self._sending = threading.Lock()
        self._is_checked_in = False
        # The unique name of the daemon; empty while none runs, and without a bus.
        self._daemon = ""
        self._checked_in_with = ""
        # What to do with the reply to a call, by its serial number.
        self._replies: dict[int, Callable[[Message], None]] = {}

    def stop(self) -> None:
        """Ends ``serve``, from any thread."""
        self._stopped.set()
        with contextlib.suppress(OSError):
            # Not the writing end: a method that calls this is still answered.
            self._session.connection.sock.shutdown(socket.SHUT_RD)

    def close(self) -> None:
        """Closes the connection."""
        self._session.connection.close()

    def serve(self) -> None:
        """Checks in, launches, and answers calls."""
        try:
            if not self._session.is_direct:
                self._watch_daemon()
            launched_for = self._check_in()
        except OSError as error:
            if self._stopped.is_set():
                return
            raise unreachable(os.environ, error) from error
        try:
            self._launch(launched_for)
        except _ConnectionEnded:
            if not self._reconnects():
                return
        while True:
            try:
                self._take(self._receive())
            except _ConnectionEnded:
                if not self._reconnects():
                    return

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
        try:
            return self._check_in_with(options)
        except NobodyOnBus:
            daemon = None if self._session.is_direct else open_beside_bus(os.environ, descriptors=True)
            if daemon is None:
                raise
        self._use(daemon)
        self._open_again = open_beside_bus
        return self._check_in_with(options)

    def _check_in_with(self, options: _wire.Options) -> dict[str, Any]:
        message = _wire.call_message("Launch1", "CheckIn", "a{sv}", (options,))
        reply = self._session.call(message, timeout=_CHECK_IN)
        answer: dict[str, Any] = _wire.body_of(reply)[0]
        # The sender of the reply is the daemon that has accepted this process.
        self._checked_in_with = header(reply, HeaderFields.sender)
        self._has_checked_in()
        return answer

    def _use(self, connection: Any) -> None:
        """Goes on with another connection. The calls on the last one get no reply."""
        with self._sending:
            self._session.connection.close()
            self._session = Session(connection)
            self._replies.clear()
            self._is_checked_in = False

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
                results[key] = ("b", boolean(result, method))
        if connection is not None:
            self._performer.connect(ConnectionOptions.of(connection))
        message = _wire.call_message("Launch1", "FinishLaunching", "a{sv}", (results,))
        self._send_call(message, "the end of the launch")

    def _check_in_again(self) -> None:
        """The new daemon identifies this process by the record of the earlier one; no token is needed."""
        with self._sending:
            self._is_checked_in = False
            self._checked_in_with = self._daemon
        options = self._check_in_options()
        options["running"] = ("b", True)
        options["state"] = ("s", self._performer.state)
        message = _wire.call_message("Launch1", "CheckIn", "a{sv}", (options,))
        # A daemon that is being stopped stays stopped.
        message.header.flags |= MessageFlag.no_auto_start
        self._send_call(message, "the new check-in", self._has_checked_in)

    # Activities

    def _has_checked_in(self) -> None:
        with self._sending:
            self._is_checked_in = True
        # The daemon knows no activity of a process that has just checked in.
        if self._handler.current_activity is not None:
            self.offer_activity()

    def offer_activity(self) -> None:
        """Sends the current activity of the handler, from any thread. When this process is not checked in, the activity
        is sent after the check-in."""
        with contextlib.suppress(_ConnectionEnded), self._sending:
            if not self._is_checked_in:
                return
            message = _wire.call_message(
                "Launch1", "SetCurrentActivity", "a{sv}a{sv}", (_activity(self._handler.current_activity), {})
            )
            # A daemon that has started since gets the activity after the new check-in.
            if self._checked_in_with:
                message.header.fields[HeaderFields.destination] = self._checked_in_with
            message.header.flags |= MessageFlag.no_auto_start
            self._send_call_locked(message, "the current activity")

    def _reconnects(self) -> bool:
        """Waits for the next daemon without a bus, and checks in with it. The end of the bus is the end of the session.

        :returns: False when no daemon accepts this process, or when the handler was stopped.
        """
        if not self._session.is_direct:
            return False
        for delay in DELAYS:
            if self._stopped.wait(delay):
                return False
            connection = self._open_again(os.environ, descriptors=True)
            if connection is None:
                continue
            self._use(connection)
            # ``stop`` may have closed the connection before.
            if self._stopped.is_set():
                return False
            with contextlib.suppress(_ConnectionEnded):
                self._check_in_again()
                return True
        return False

    # Messages

    def _receive(self) -> Message:
        try:
            return self._session.receive()
        except OSError as error:
            raise _ConnectionEnded from error

    def _send(self, message: Message) -> None:
        with self._sending:
            self._send_locked(message)

    def _send_locked(self, message: Message) -> int:
        try:
            return self._session.send(message)
        except OSError as error:
            raise _ConnectionEnded from error

    def _send_call(self, message: Message, what: str, then: Callable[[], None] = lambda: None) -> None:
        """Sends a call without waiting: the daemon may call this process before it replies.

        :param then: called when the daemon has accepted the call.
        """
        with self._sending:
            self._send_call_locked(message, what, then)

    def _send_call_locked(self, message: Message, what: str, then: Callable[[], None] = lambda: None) -> None:

        def take(reply: Message) -> None:
            try:
                _wire.body_of(reply)
            except ServiceUnreachable:
                # The next daemon gets a new check-in.
                return
            except LaunchServicesError as error:
                # After a restart of the daemon this process checks in again.
                if error.name not in ("org.freedesktop.DBus.Error.NoReply", "ShuttingDown"):
                    print(f"Launch Services rejected {what}: {error.message}", file=sys.stderr)
                return
            then()

        self._replies[self._send_locked(message)] = take

    def _take(self, message: Message) -> None:
        match message.header.message_type:
            case MessageType.method_return | MessageType.error:
                # The reply may arrive before the thread that sent the call has stored what to do with the reply.
                with self._sending:
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
            self._session.is_direct
            or header(message, HeaderFields.sender) != BUS
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
        except Refusal as refusal:
            reply = new_error(message, refusal.name, "s", (str(refusal),))
        if not message.header.flags & MessageFlag.no_reply_expected:
            self._send(reply)

    def _answer(self, message: Message) -> tuple[str | None, tuple[Any, ...]]:
        interface = header(message, HeaderFields.interface)
        member = header(message, HeaderFields.member)
        if interface == "org.freedesktop.DBus.Peer" and member == "Ping":
            return None, ()
        if interface not in (APPLICATION, ""):
            raise Refusal("org.freedesktop.DBus.Error.UnknownInterface", f"there is no interface {interface}")
        if not self._is_from_daemon(message):
            raise Refusal(
                "org.freedesktop.DBus.Error.AccessDenied",
                f"only the owner of {SERVICE} may call {member}",
            )
        expected = SIGNATURES.get(member)
        if expected is None:
            raise Refusal("org.freedesktop.DBus.Error.UnknownMethod", f"{APPLICATION} has no method {member}")
        signature = header(message, HeaderFields.signature)
        if signature != expected:
            raise Refusal(
                "org.freedesktop.DBus.Error.InvalidArgs",
                f"{member} takes ({expected}), not ({signature})",
            )
        return self._performer.perform(member, _wire.plain_body(message))

    def _is_from_daemon(self, message: Message) -> bool:
        """Any program on the bus can call this process; on a direct connection only the daemon can."""
        if self._session.is_direct:
            return True
        return bool(self._daemon) and header(message, HeaderFields.sender) == self._daemon


def _activity(activity: UserActivity | None) -> _wire.Options:
    if activity is None:
        return {}
    values = {"type": activity.type, "title": activity.title, "webpage-url": activity.webpage_url}
    return {key: ("s", value) for key, value in values.items() if value is not None}
