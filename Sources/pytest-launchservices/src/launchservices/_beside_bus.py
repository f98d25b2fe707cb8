"""A daemon that works without a bus, although the session has one. The commands find it by the same rule."""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass

from . import _address, _daemon_program


@dataclass(frozen=True)
class DaemonBesideBus:
    """Nobody on the bus owns the name of the daemon, so the lock of the user's state folder says which process is the
    daemon."""

    process: int
    sockets: tuple[str, ...]
    """The paths at which it may listen."""

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> DaemonBesideBus | None:
        """The daemon that uses the state folder; None when none does, or when another program does."""
        process = _owner_of_state(environment)
        if process is None or not _daemon_program.is_run_by(process, environment):
            return None
        # It may have been started without the address of the bus.
        without_address = {**environment, "DBUS_SESSION_BUS_ADDRESS": ""}
        paths = (_address.session_socket(each) for each in (environment, without_address))
        return cls(process, tuple(path for path in paths if path is not None))

    def listens_at(self, connected: socket.socket) -> bool:
        """Whether it is the process at the other end. Another process may have replaced its socket."""
        return _daemon_program.peer_of(connected) == self.process


def _owner_of_state(environment: Mapping[str, str]) -> int | None:
    folder = environment.get("XDG_STATE_HOME", "")
    if not folder.startswith("/"):
        folder = f"{environment.get('HOME', '')}/.local/state"
    if not folder.startswith("/"):
        return None
    try:
        lock = os.open(f"{folder}/launch-services/lock", os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        digits = os.read(lock, 16).split(b"\n")[0].strip()
        return int(digits) if digits.isdigit() else None
    except OSError:
        pass
    finally:
        os.close(lock)
    # Nobody holds the lock: the daemon has ended.
    return None
