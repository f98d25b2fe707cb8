"""A client of the daemon for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, Unpack

from jeepney.auth import BEGIN, Authenticator
from jeepney.io.asyncio import DBusConnection, DBusRouter, RouterClosed, open_dbus_connection

from . import _address, _calls, _daemon_program, _wire
from ._beside_bus import DaemonBesideBus
from ._blocking import AUTHENTICATION, has_ended, unreachable
from ._calls import Call, OpenOptions, StrPath
from .errors import LaunchServicesError, NobodyOnBus
from .results import Diagnostic, Explanation, Receipt

Answer = TypeVar("Answer")


class AsyncClient:
    """As :class:`launchservices.Client`, with methods to await. Calls run side by side.

    Use it with ``async with``.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        """Connects with the first call.

        :param environment: the variables that say where the bus is; by default those of this process.
        """
        self._environment = os.environ if environment is None else environment
        self._links: list[_Link] = []  # The last one is used; calls may still wait on the others.
        self._connecting = asyncio.Lock()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        for link in list(self._links):
            await self._drop(link)

    async def _drop(self, link: _Link) -> None:
        """Closes a connection, unless another call has done so."""
        if link not in self._links:
            return
        self._links.remove(link)
        # The connection may have ended already.
        with contextlib.suppress(OSError, EOFError):
            await link.router.__aexit__(None, None, None)
        with contextlib.suppress(OSError):
            await link.connection.close()

    async def can_open(self, url: str, *, as_: str | None = None) -> bool:
        """See :meth:`launchservices.Client.can_open`."""
        return await self._call(_calls.can_open(url, as_))

    async def explain(
        self,
        url: str,
        *,
        as_: str | None = None,
        application: str | None = None,
        from_link: bool = False,
    ) -> Explanation:
        """See :meth:`launchservices.Client.explain`."""
        return await self._call(_calls.explain(url, as_, application, from_link))

    async def open(self, url: str, **options: Unpack[OpenOptions]) -> Receipt:
        """See :meth:`launchservices.Client.open`."""
        return await self._call(_calls.open_url(url, options))

    async def open_documents(self, *paths: StrPath, **options: Unpack[OpenOptions]) -> tuple[Receipt, ...]:
        """See :meth:`launchservices.Client.open_documents`."""
        return await self._call(_calls.open_documents(paths, options))

    async def open_application(self, identifier: str, **options: Unpack[OpenOptions]) -> Receipt:
        """See :meth:`launchservices.Client.open_application`."""
        return await self._call(_calls.open_application(identifier, options))

    async def perform_quick_action(self, identifier: str, kind: str, **options: Unpack[OpenOptions]) -> Receipt:
        """See :meth:`launchservices.Client.perform_quick_action`."""
        return await self._call(_calls.perform_quick_action(identifier, kind, options))

    async def wait_for_exit(self, pid: int) -> str:
        """See :meth:`launchservices.Client.wait_for_exit`."""
        return await self._call(_calls.wait_for_exit(pid))

    async def register(self, path: StrPath, *, define: Mapping[str, str] | None = None) -> str:
        """See :meth:`launchservices.Client.register`."""
        return await self._call(_calls.register(path, define or {}))

    async def unregister(self, identifier: str) -> None:
        """See :meth:`launchservices.Client.unregister`."""
        await self._call(_calls.unregister(identifier))

    async def lint(self, path: StrPath) -> tuple[Diagnostic, ...]:
        """See :meth:`launchservices.Client.lint`."""
        return await self._call(_calls.lint(path))

    async def applications(self) -> tuple[str, ...]:
        """See :meth:`launchservices.Client.applications`."""
        return await self._call(_calls.applications())

    async def handlers(self, scheme: str) -> tuple[str, ...]:
        """See :meth:`launchservices.Client.handlers`."""
        return await self._call(_calls.handlers(scheme))

    async def set_default_handler(self, scheme: str, identifier: str) -> None:
        """See :meth:`launchservices.Client.set_default_handler`."""
        await self._call(_calls.set_default_handler(scheme, identifier))

    async def set_association_file(self, domain: str, path: StrPath | None) -> None:
        """See :meth:`launchservices.Client.set_association_file`."""
        await self._call(_calls.set_association_file(domain, path))

    async def approve(self, scheme: str, handler: str, *, opener: str = "*", allowed: bool = True) -> None:
        """See :meth:`launchservices.Client.approve`."""
        await self._call(_calls.approve(opener, scheme, handler, allowed))

    async def call(self, interface: str, member: str, signature: str = "", *body: Any) -> tuple[Any, ...]:
        """See :meth:`launchservices.Client.call`."""
        return await self._call(_calls.raw(interface, member, signature, body))

    # Sending

    async def _call(self, call: Call[Answer]) -> Answer:
        attempt = 0
        while True:
            try:
                return call.read(await self._ask(call, repeated=attempt > 0))
            except LaunchServicesError as error:
                delay = call.repeats(error, attempt)
                if delay is None:
                    raise
            await asyncio.sleep(delay)
            attempt += 1

    async def _ask(self, call: Call[Answer], *, repeated: bool) -> tuple[Any, ...]:
        link = await self._connected()
        try:
            return await self._ask_on(link, call, repeated=repeated)
        except NobodyOnBus:
            daemon = None if link.is_direct else await self._beside_bus()
            if daemon is None:
                raise
        return await self._ask_on(daemon, call, repeated=repeated)

    async def _ask_on(self, link: _Link, call: Call[Answer], *, repeated: bool) -> tuple[Any, ...]:
        try:
            reply = await link.router.send_and_get_reply(call.message(repeated=repeated))
        except (OSError, EOFError, RouterClosed) as error:
            await self._drop(link)
            raise LaunchServicesError.of(
                "org.freedesktop.DBus.Error.NoReply",
                f"the connection ended before {call.member} was answered: {error}",
            ) from error
        return _wire.body_of(reply)

    async def _connected(self) -> _Link:
        async with self._connecting:
            # A connection to a daemon without a bus ends with the daemon.
            while self._links and self._links[-1].has_ended:
                await self._drop(self._links[-1])
            if not self._links:
                self._links.append(await self._open())
            return self._links[-1]

    async def _beside_bus(self) -> _Link | None:
        """The connection to a daemon that works without the bus of the session."""
        async with self._connecting:
            if self._links and self._links[-1].is_direct and not self._links[-1].has_ended:
                return self._links[-1]  # Another call has made it.
            daemon = DaemonBesideBus.of(self._environment)
            if daemon is None:
                return None
            for path in daemon.sockets:
                link = await _open_directly(path, daemon.listens_at)
                if link is not None:
                    self._links.append(link)
                    return link
        return None

    async def _open(self) -> _Link:
        given = _address.handler_socket(self._environment)
        link = await _open_directly(given, lambda _: True) if given else None
        if link is not None:
            return link
        try:
            connection = await open_dbus_connection(_address.bus_address(self._environment))
        except (OSError, EOFError, ValueError, RuntimeError) as error:
            direct = _address.session_socket(self._environment)
            link = await _open_directly(direct, self._is_daemon) if direct else None
            if link is None:
                raise unreachable(self._environment, error) from error
            return link
        return _Link(connection, is_direct=False)

    def _is_daemon(self, connected: socket.socket) -> bool:
        return _daemon_program.is_run_by(_daemon_program.peer_of(connected), self._environment)


class _Link:
    """A connection to the bus, or to a daemon without one."""

    def __init__(self, connection: DBusConnection, *, is_direct: bool) -> None:
        self.connection = connection
        self.router = DBusRouter(connection)
        self.is_direct = is_direct

    @property
    def has_ended(self) -> bool:
        return has_ended(self.connection.writer.get_extra_info("socket").fileno())


async def _open_directly(path: str, is_daemon: Callable[[socket.socket], bool]) -> _Link | None:
    """Connects to a daemon without a bus, where nobody answers ``Hello``; None when no daemon does so."""
    try:
        reader, writer = await asyncio.open_unix_connection(path)
    except OSError:
        return None
    try:
        if is_daemon(writer.get_extra_info("socket")):
            async with asyncio.timeout(AUTHENTICATION):
                return _Link(await _authenticated(reader, writer), is_direct=True)
    except (OSError, EOFError, ValueError):
        pass
    writer.close()
    return None


async def _authenticated(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> DBusConnection:
    authenticator = Authenticator()
    for line in authenticator:
        writer.write(line)
        await writer.drain()
        answer = await reader.read(1024)
        if not answer:
            raise EOFError("the daemon closed the connection")
        authenticator.feed(answer)
    writer.write(BEGIN)
    await writer.drain()
    return DBusConnection(reader, writer)
