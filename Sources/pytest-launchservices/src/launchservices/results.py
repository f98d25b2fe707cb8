"""What the daemon answers, as values that cannot change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Launch = Literal["cold", "warm", ""]
Delivery = Literal["delivered", "handed-over", "vetoed", "unacknowledged", "without-url"]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of an open that succeeded."""

    delivery: Delivery
    """``delivered``: the application has received the URL. ``handed-over``: a program took it that does not say what
    it does with it. ``vetoed``: a launch method returned false, so nothing was delivered. ``unacknowledged``: the
    program was started with the URL, and says nothing. ``without-url``: the application was opened without the URL,
    which would have had no effect."""
    launch: Launch
    """``cold`` if a process was started for the open, ``warm`` if the application ran. Empty when the caller is an
    iOS application, which is told nothing about other applications; so are the following values."""
    handled: bool
    """Whether the application answered that it handled the URL."""
    handler: str
    """The bundle identifier of the application."""
    pid: int
    """The process of the application; 0 if unknown."""
    request: int
    """The number of the open."""
    trail: tuple[str, ...]
    """The states of the open, in order."""
    repeated: bool
    """Whether this is the receipt of an earlier open with the same request identifier."""
    documents: tuple[str, ...] = ()
    """The URLs of the documents that were delivered together."""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Receipt:
        """The receipt in a reply."""
        return cls(
            delivery=values["delivery"],
            launch=values.get("launch", ""),
            handled=values.get("handled", False),
            handler=values.get("handler", ""),
            pid=values.get("pid", 0),
            request=values.get("request", 0),
            trail=tuple(state for state, _ in values.get("trail", ())),
            repeated=values.get("repeated", False),
            documents=tuple(values.get("documents", ())),
        )


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a decision."""

    name: str
    """The name, such as ``url`` or ``handler``."""
    sentence: str
    """What the step found."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What an open would do, and why."""

    can_open: bool
    """The answer of ``can_open``."""
    can_open_code: str | None
    """Why the answer of ``can_open`` is false, such as ``not-listed`` or ``no-application``; None when it is true."""
    would_open: bool
    """Whether ``open`` would open the URL."""
    handler: str
    """The application that would receive the URL; empty without one."""
    caller: str
    """The application for which the decision was made; empty for a program that is none."""
    steps: tuple[Step, ...]
    """The steps of the decision, in order."""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Explanation:
        """The explanation in a reply."""
        return cls(
            can_open=values["can-open"],
            can_open_code=values.get("can-open-code"),
            would_open=values["would-open"],
            handler=values["handler"],
            caller=values["caller"],
            steps=tuple(Step(*step) for step in values["steps"]),
        )

    def __str__(self) -> str:
        """The steps, one line each, as ``lsopen --explain`` prints them."""
        return "\n".join(f"{step.name}: {step.sentence}" for step in self.steps)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A problem of a property list."""

    severity: Literal["note", "warning", "error"]
    """An error prevents a registration."""
    file: str
    """The path of the property list."""
    key_path: str
    """The key with the problem."""
    problem: str
    """The problem."""
    consequence: str
    """What follows from the problem."""
