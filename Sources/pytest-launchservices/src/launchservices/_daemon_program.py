"""The program of the daemon, by which a client recognises a daemon that no bus names, as the commands do."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Mapping

NAME = "launchservicesd"
_DELETED = " (deleted)"


def peer_of(connected: socket.socket) -> int:
    """The process at the other end of a socket."""
    credentials = connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    process: int = struct.unpack("3i", credentials)[0]
    return process


def is_run_by(process: int, environment: Mapping[str, str]) -> bool:
    """Whether the process runs the ``launchservicesd`` that this process would start; False when it is not known.

    Any process of the user can lock the state folder and listen at the socket. The kernel says which program it runs.
    """
    path = f"/proc/{process}/exe"
    try:
        running = os.stat(path)
        places = _places(environment)
        if any(_is_file(place, running) for place in places):
            return True
        # The file was replaced since the start of the process, by an update. Its former path means the same place in
        # this mount namespace only.
        text = os.readlink(path)
        if running.st_nlink != 0 or not text.endswith(_DELETED):
            return False
        if not os.path.samestat(os.stat(f"/proc/{process}/ns/mnt"), os.stat("/proc/self/ns/mnt")):
            return False
    except OSError:
        return False
    former = text.removesuffix(_DELETED)
    return any(os.path.join(os.path.realpath(os.path.dirname(place)), NAME) == former for place in places)


def _places(environment: Mapping[str, str]) -> list[str]:
    folders = [environment.get("LAUNCH_SERVICES_PROGRAMS", "")]
    folders += environment.get("PATH", "").split(os.pathsep)
    folders += [f"{environment.get('HOME', '')}/.local/bin", "/usr/local/bin", "/usr/bin"]
    return [f"{folder}/{NAME}" for folder in folders if folder.startswith("/")]


def _is_file(place: str, running: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.stat(place), running)
    except OSError:
        return False
