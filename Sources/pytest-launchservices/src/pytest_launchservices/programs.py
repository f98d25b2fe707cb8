"""Where the programs of Launch Services are."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

VARIABLE = "LAUNCH_SERVICES_PROGRAMS"


class ProgramNotFound(Exception):
    """A program is in none of the places."""


def find_program(name: str, environment: Mapping[str, str] | None = None) -> str:
    """The path of a program.

    The first place that has it counts: the folder in ``LAUNCH_SERVICES_PROGRAMS``; ``.build/debug`` of the source tree
    that this file or the current folder is in; ``PATH``; ``libexec/launch-services`` beside a folder of ``PATH``.
    """
    variables = os.environ if environment is None else environment
    path = variables.get("PATH", os.defpath)
    chosen = variables.get(VARIABLE)
    places = [chosen] if chosen else []
    places += [str(folder) for folder in _builds()]
    for place in places:
        found = shutil.which(name, path=place)
        if found:
            return found
    found = shutil.which(name, path=path)
    if found:
        return found
    for folder in path.split(os.pathsep):
        found = shutil.which(name, path=str(Path(folder).parent / "libexec" / "launch-services"))
        if found:
            return found
    searched = ", ".join([*places, "PATH", "libexec/launch-services"])
    advice = (
        f"build Launch Services with 'swift build', install it with 'systemd/install', or set {VARIABLE} to the folder"
        " of its programs"
        if name != "dbus-daemon"
        else "install the package 'dbus'"
    )
    raise ProgramNotFound(f"the program {name} was not found; searched: {searched}. To solve it, {advice}.")


def _builds() -> Iterator[Path]:
    """The build folders of the source trees that this file and the current folder are in."""
    seen = set()
    for start in (Path(__file__).resolve(), Path.cwd() / "file"):
        for folder in start.parents:
            if folder not in seen and (folder / "Sources" / "pytest-launchservices").is_dir():
                seen.add(folder)
                yield folder / ".build" / "debug"
