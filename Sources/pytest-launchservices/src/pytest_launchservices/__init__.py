"""Tests deep links against a real Launch Services daemon.

The fixture ``launch_services`` is a :class:`World`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._processes import WorldFailure
    from .application import Application, Received
    from .programs import ProgramNotFound, find_program
    from .world import World

__all__ = ["Application", "ProgramNotFound", "Received", "World", "WorldFailure", "find_program"]

_MODULES = {
    "Application": "application",
    "ProgramNotFound": "programs",
    "Received": "application",
    "World": "world",
    "WorldFailure": "_processes",
    "find_program": "programs",
}


def __getattr__(name: str) -> Any:
    """Imports a module when it is used: pytest imports this package in each run, used or not."""
    from importlib import import_module

    if name not in _MODULES:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    return getattr(import_module(f".{_MODULES[name]}", __name__), name)
