"""A client of the daemon for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Mapping
from typing import Any, TypeVar, Unpack

from jeepney.auth import BEGIN, Authenticator
from jeepney.io.asyncio import DBusConnection, DBusRouter, RouterClosed, open_dbus_connection

from . import _address, _calls, _wire
from ._blocking import has_ended, unreachable
from ._calls import Call, OpenOptions, StrPath
from .errors import LaunchServicesError
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
        self._connection: Any = None  # a DBusConnection
        self._router: Any = None  # a DBusRouter
        self._connecting = asyncio.Lock()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connection."""
        await self._drop(self._router)

    async def _drop(self, router: Any) -> None:
        """Closes the connection of this router, unless another call has replaced it."""
        if router is None or router is not self._router:
            return
        connection, self._router, self._connection = self._connection, None, None
        # The connection may have ended already.
        with contextlib.suppress(OSError, EOFError):
            await router.__aexit__(None, None, None)
        with contextlib.suppress(OSError):
            await connection.close()

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
                router = await self._connected()
                try:
                    reply = await router.send_and_get_reply(call.message(repeated=attempt > 0))
                except (OSError, EOFError, RouterClosed) as error:
                    await self._drop(router)
                    raise LaunchServicesError.of(
                        "org.freedesktop.DBus.Error.NoReply",
                        f"the connection ended before {call.member} was answered: {error}",
                    ) from error
                return call.read(_wire.body_of(reply))
            except LaunchServicesError as error:
                delay = call.repeats(error, attempt)
                if delay is None:
                    raise
            await asyncio.sleep(delay)
            attempt += 1

    async def _connected(self) -> DBusRouter:
        async with self._connecting:
            # A connection to a daemon without a bus ends with the daemon.
            if self._router is not None and has_ended(self._connection.writer.get_extra_info("socket").fileno()):
                await self._drop(self._router)
            if self._router is None:
                self._connection = await self._open()
                self._router = DBusRouter(self._connection)
            return self._router

    async def _open(self) -> DBusConnection:
        given = _address.handler_socket(self._environment)
        if given is not None and os.path.exists(given):
            return await _open_directly(given)
        try:
            return await open_dbus_connection(_address.bus_address(self._environment))
        except (OSError, EOFError, ValueError, RuntimeError) as error:
            direct = _address.direct_socket(self._environment)
            if direct is not None and os.path.exists(direct):
                return await _open_directly(direct)
            raise unreachable(self._environment, error) from error


async def _open_directly(path: str) -> DBusConnection:
    """Connects to a daemon without a bus, where nobody answers ``Hello``."""
    reader, writer = await asyncio.open_unix_connection(path)
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
