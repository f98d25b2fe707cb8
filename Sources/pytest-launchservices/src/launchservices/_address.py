"""Where the message bus is, and the socket of a daemon without one."""

from __future__ import annotations

import os
from collections.abc import Mapping

from jeepney.bus import get_connectable_addresses


def bus_address(environment: Mapping[str, str]) -> str:
    """The address of the session bus: the variable, or the usual place of systemd."""
    address = environment.get("DBUS_SESSION_BUS_ADDRESS")
    if address:
        return address
    folder = environment.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    return f"unix:path={folder.rstrip('/')}/bus"


def bus_socket(environment: Mapping[str, str]) -> str:
    """The socket of the session bus."""
    return str(next(get_connectable_addresses(bus_address(environment))))


def handler_socket(environment: Mapping[str, str]) -> str | None:
    """The socket of the daemon that started this process as a handler, and that has no bus. The session may have a bus
    all the same."""
    return environment.get("LAUNCH_SERVICES_SOCKET") or None


def direct_socket(environment: Mapping[str, str]) -> str | None:
    """The socket on which the daemon of this session answers questions without a bus."""
    return handler_socket(environment) or session_socket(environment)


def session_socket(environment: Mapping[str, str]) -> str | None:
    """The socket of a daemon that has this bus, or that would have it."""
    folder = environment.get("XDG_RUNTIME_DIR", "").rstrip("/")
    if not folder.startswith("/"):
        return None
    bus = environment.get("DBUS_SESSION_BUS_ADDRESS") or f"unix:path={folder}/bus"
    plain = ";".join(
        ",".join(part for part in one.split(",") if not part.startswith("guid=")) for one in bus.split(";") if one
    )
    return f"{folder}/launch-services/{_fnv1a(plain.encode()):016x}"


def _fnv1a(data: bytes) -> int:
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value
