"""A client of the daemon, whose calls block."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from typing import Any, TypeVar, Unpack

from . import _calls, _wire
from ._blocking import Session, has_ended, open_beside_bus, open_connection
from ._calls import Call, OpenOptions, StrPath
from .errors import LaunchServicesError, NobodyOnBus, ServiceUnreachable
from .results import Diagnostic, Explanation, Receipt

Answer = TypeVar("Answer")


class Client:
    """Opens URLs and asks questions. May be used by several threads at once.

    Each method raises a :class:`LaunchServicesError` when the daemon refuses the call.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        """Connects with the first call.

        :param environment: the variables that say where the bus is; by default those of this process.
        """
        self._environment = os.environ if environment is None else environment
        self._lock = threading.Lock()
        # Connections that no thread uses. A connection carries one call at a time.
        self._free: list[Session] = []
        self._closed = False

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        with self._lock:
            self._closed = True
            free, self._free = self._free, []
        for session in free:
            session.connection.close()

    # Questions

    def can_open(self, url: str, *, as_: str | None = None) -> bool:
        """Whether an application can open the URL, as far as the caller may know.

        :param as_: the bundle identifier of the application that asks; its ``LSApplicationQueriesSchemes`` count.
        """
        return self._call(_calls.can_open(url, as_))

    def explain(
        self,
        url: str,
        *,
        as_: str | None = None,
        application: str | None = None,
        from_link: bool = False,
    ) -> Explanation:
        """What an open would do, and why. Opens nothing."""
        return self._call(_calls.explain(url, as_, application, from_link))

    # Opens

    def open(self, url: str, **options: Unpack[OpenOptions]) -> Receipt:
        """Opens a URL, and returns when its fate is known."""
        return self._call(_calls.open_url(url, options))

    def open_documents(self, *paths: StrPath, **options: Unpack[OpenOptions]) -> tuple[Receipt, ...]:
        """Opens files, given by path or ``file:`` URL. Returns a receipt for each application."""
        return self._call(_calls.open_documents(paths, options))

    def open_application(self, identifier: str, **options: Unpack[OpenOptions]) -> Receipt:
        """Starts an application without a URL, or brings it to the front."""
        return self._call(_calls.open_application(identifier, options))

    def perform_quick_action(self, identifier: str, kind: str, **options: Unpack[OpenOptions]) -> Receipt:
        """Performs a quick action of an application.

        :param kind: its ``UIApplicationShortcutItemType``.
        """
        return self._call(_calls.perform_quick_action(identifier, kind, options))

    def wait_for_exit(self, pid: int) -> str:
        """Waits until the process of an application has ended; raises NotRunning when no application runs in it.

        :returns: how it ended, such as ``exited with code 0``.
        """
        return self._call(_calls.wait_for_exit(pid))

    # The registry

    def register(self, path: StrPath, *, define: Mapping[str, str] | None = None) -> str:
        """Registers the bundle or property list at a path, and returns its bundle identifier.

        :param define: the values of build variables such as ``BUILT_PRODUCTS_DIR``.
        """
        return self._call(_calls.register(path, define or {}))

    def unregister(self, identifier: str) -> None:
        """Removes the registrations of a bundle identifier."""
        self._call(_calls.unregister(identifier))

    def lint(self, path: StrPath) -> tuple[Diagnostic, ...]:
        """The problems of a bundle or property list. Registers nothing."""
        return self._call(_calls.lint(path))

    def applications(self) -> tuple[str, ...]:
        """The bundle identifiers of all registered applications, sorted."""
        return self._call(_calls.applications())

    def handlers(self, scheme: str) -> tuple[str, ...]:
        """The applications that can handle a scheme, best first."""
        return self._call(_calls.handlers(scheme))

    def set_default_handler(self, scheme: str, identifier: str) -> None:
        """Sets the user's choice for a scheme; an empty identifier removes the choice."""
        self._call(_calls.set_default_handler(scheme, identifier))

    def set_association_file(self, domain: str, path: StrPath | None) -> None:
        """Uses a file as the ``apple-app-site-association`` of a domain; None removes it."""
        self._call(_calls.set_association_file(domain, path))

    def approve(self, scheme: str, handler: str, *, opener: str = "*", allowed: bool = True) -> None:
        """Records the answer to the question whether an opener may open URLs of a scheme in an application.

        :param opener: a bundle identifier, ``@web``, ``@unidentified``, or ``*`` for all openers.
        """
        self._call(_calls.approve(opener, scheme, handler, allowed))

    def call(self, interface: str, member: str, signature: str = "", *body: Any) -> tuple[Any, ...]:
        """Any other method of the contract, such as ``call("Registry1", "Links", "a{sv}", {})``.

        :param interface: without ``org.launchservices.`` before it.
        :param body: the arguments; a variant is a pair of signature and value.
        :returns: the results, as plain values.
        """
        return self._call(_calls.raw(interface, member, signature, body))

    # Sending

    def _call(self, call: Call[Answer]) -> Answer:
        attempt = 0
        while True:
            try:
                return call.read(self._ask(call, repeated=attempt > 0))
            except LaunchServicesError as error:
                delay = call.repeats(error, attempt)
                if delay is None:
                    raise
            # A daemon that was ended starts again, and knows from its record what became of the open.
            time.sleep(delay)
            attempt += 1

    def _ask(self, call: Call[Answer], *, repeated: bool) -> tuple[Any, ...]:
        session = self._take()
        try:
            return self._ask_on(session, call, repeated=repeated)
        except NobodyOnBus:
            daemon = None if session.is_direct else open_beside_bus(self._environment)
            if daemon is None:
                raise
        return self._ask_on(Session(daemon), call, repeated=repeated)

    def _ask_on(self, session: Session, call: Call[Answer], *, repeated: bool) -> tuple[Any, ...]:
        try:
            reply = session.call(call.message(repeated=repeated))
        except OSError as error:
            session.connection.close()
            raise LaunchServicesError.of(
                "org.freedesktop.DBus.Error.NoReply",
                f"the connection ended before {call.member} was answered: {error}",
            ) from error
        except BaseException:
            session.connection.close()
            raise
        self._give_back(session)
        return _wire.body_of(reply)

    def _take(self) -> Session:
        with self._lock:
            if self._closed:
                raise ServiceUnreachable("ServiceUnreachable", "this client is closed")
            while self._free:
                session = self._free.pop()
                # A connection to a daemon without a bus ends with the daemon.
                if not has_ended(session.connection.sock.fileno()):
                    return session
                session.connection.close()
        return Session(open_connection(self._environment))

    def _give_back(self, session: Session) -> None:
        with self._lock:
            if not self._closed:
                self._free.append(session)
                return
        session.connection.close()
