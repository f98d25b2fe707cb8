"""A connection to the bus, or to the socket of a daemon without a bus, whose calls block."""

from __future__ import annotations

import select
import socket
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from jeepney.auth import BEGIN, Authenticator
from jeepney.io.blocking import DBusConnection, DBusConnectionBase, prep_socket
from jeepney.low_level import HeaderFields, Message, MessageType

from . import _address, _daemon_program
from ._beside_bus import DaemonBesideBus
from .errors import LaunchServicesError, ServiceUnreachable

AUTHENTICATION = 10.0
"""The seconds in which a bus must accept the connection."""


class _DirectConnection(DBusConnection):  # type: ignore[misc]
    """A connection without a bus, on which nobody answers ``Hello``."""

    def __init__(self, sock: Any, descriptors: bool) -> None:
        DBusConnectionBase.__init__(self, sock, descriptors)


def open_connection(environment: Mapping[str, str], *, descriptors: bool = False) -> DBusConnection:
    """Connects to the session bus; without a bus, to the socket of a daemon."""
    if _address.handler_socket(environment) is not None:
        direct = open_directly(environment, descriptors=descriptors)
        if direct is not None:
            return direct
    try:
        sock = prep_socket(_address.bus_socket(environment), descriptors, AUTHENTICATION)
        return DBusConnection(sock, descriptors)
    except (OSError, ValueError, RuntimeError) as error:
        direct = open_directly(environment, descriptors=descriptors)
        if direct is not None:
            return direct
        raise unreachable(environment, error) from error


def open_directly(environment: Mapping[str, str], *, descriptors: bool = False) -> DBusConnection | None:
    """Connects to the socket of a daemon without a bus; None when no daemon accepts the connection."""
    path = _address.direct_socket(environment)
    if path is None:
        return None
    # The daemon that started this process named its socket.
    is_given = _address.handler_socket(environment) is not None

    def is_daemon(sock: socket.socket) -> bool:
        return is_given or _daemon_program.is_run_by(_daemon_program.peer_of(sock), environment)

    return _open(path, descriptors, is_daemon)


def open_beside_bus(environment: Mapping[str, str], *, descriptors: bool = False) -> DBusConnection | None:
    """Connects to a daemon that works without a bus, although the session has one; for a call that nobody on the bus
    could answer. None when there is no such daemon."""
    daemon = DaemonBesideBus.of(environment)
    if daemon is None:
        return None
    for path in daemon.sockets:
        connection = _open(path, descriptors, daemon.listens_at)
        if connection is not None:
            return connection
    return None


def _open(path: str, descriptors: bool, is_daemon: Callable[[socket.socket], bool]) -> DBusConnection | None:
    sock = socket.socket(socket.AF_UNIX)
    try:
        sock.settimeout(AUTHENTICATION)
        sock.connect(path)
        if is_daemon(sock):
            _authenticate(sock, descriptors)
            sock.settimeout(None)
            return _DirectConnection(sock, descriptors)
    except (OSError, ValueError):
        pass
    sock.close()
    return None


def _authenticate(sock: socket.socket, descriptors: bool) -> None:
    authenticator = Authenticator(enable_fds=descriptors)
    for line in authenticator:
        sock.sendall(line)
        answer = sock.recv(1024)
        if not answer:
            raise ConnectionResetError("the daemon closed the connection")
        authenticator.feed(answer)
    sock.sendall(BEGIN)


def has_ended(descriptor: int) -> bool:
    """Whether the peer of a socket has closed the connection, or the socket is closed."""
    if descriptor < 0:
        return True
    poll = select.poll()
    poll.register(descriptor, select.POLLRDHUP)
    return bool(poll.poll(0))


def unreachable(environment: Mapping[str, str], error: Exception) -> ServiceUnreachable:
    """The error for a bus that cannot be reached."""
    address = _address.bus_address(environment)
    text = (
        f"cannot connect to the bus {address}: {error}; log in to a session, or run the program with dbus-run-session;"
        " 'launchservicesd --direct-only' works without a bus"
    )
    return ServiceUnreachable("ServiceUnreachable", text)


class Session:
    """A connection on which replies and other messages are told apart; other messages wait in order."""

    def __init__(self, connection: DBusConnection) -> None:
        self.connection = connection
        self._waiting: deque[Message] = deque()

    @property
    def is_direct(self) -> bool:
        """Whether the peer is the daemon, because there is no bus."""
        return isinstance(self.connection, _DirectConnection)

    def send(self, message: Message) -> int:
        """Sends a message, and returns its serial number."""
        serial = next(self.connection.outgoing_serial)
        self.connection.send(message, serial=serial)
        return int(serial)

    def call(self, message: Message, *, timeout: float | None = None) -> Message:
        """Sends a call and waits for its reply.

        :param timeout: in seconds; None to wait until the connection ends.
        """
        serial = self.send(message)
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if end is None else max(0.0, end - time.monotonic())
            try:
                other = self.connection.receive(timeout=left)
            except TimeoutError:
                raise LaunchServicesError.of(
                    "org.freedesktop.DBus.Error.Timeout",
                    f"the call was not answered within {timeout} s",
                ) from None
            if reply_serial(other) == serial:
                return other
            self._waiting.append(other)

    def receive(self, *, timeout: float | None = None) -> Message:
        """The next message that is no reply to ``call``."""
        if self._waiting:
            return self._waiting.popleft()
        return self.connection.receive(timeout=timeout)


def reply_serial(message: Message) -> int | None:
    """The serial number of the call that the message answers; None for other messages."""
    if message.header.message_type not in (MessageType.method_return, MessageType.error):
        return None
    serial = message.header.fields.get(HeaderFields.reply_serial)
    return None if serial is None else int(serial)
