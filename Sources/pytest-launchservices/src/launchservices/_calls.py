"""The calls of the daemon: arguments in, message and answer out. The clients send them, each in its own way."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypedDict, TypeVar

from . import _wire
from .errors import LaunchServicesError, ServiceUnreachable
from .results import Diagnostic, Explanation, Receipt

Answer = TypeVar("Answer")
StrPath = str | os.PathLike[str]

DELAYS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3.0, 6.0, 9.0, 9.0)
"""The seconds before each repetition of an open that a daemon did not answer before it ended."""

_INTERRUPTIONS = frozenset({"org.freedesktop.DBus.Error.NoReply", "ShuttingDown"})


class OpenOptions(TypedDict, total=False):
    """The options of an open."""

    as_: str | None
    """Acts as the application with this bundle identifier. Applications may not use this option."""
    application: str | None
    """The bundle identifier of the application that is to receive the URL."""
    own_application: bool
    """Whether the calling application is to receive the URL."""
    new_instance: bool
    """Whether to start a new process."""
    activate: bool
    """False does not bring the application to the front."""
    interactive: bool
    """False fails with ConfirmationUnavailable instead of asking the user."""
    from_link: bool
    """Whether the URL is a link of a page or a document."""
    universal_links_only: bool
    """Whether to fail if no application receives the URL as a universal link."""
    arguments: Sequence[str]
    """The arguments of a new process."""
    environment: Mapping[str, str]
    """Environment variables of a new process."""
    annotation: object
    """A value for the handler, of the types of a property list."""
    request_id: str
    """A name of the open: a second open of this name delivers nothing, and returns the receipt of the first.
    Random when it is not given."""


@dataclass(frozen=True)
class Call(Generic[Answer]):
    """One call of the daemon."""

    interface: str
    member: str
    signature: str
    body: tuple[Any, ...]
    read: Callable[[tuple[Any, ...]], Answer]
    has_request_id: bool = False
    """Whether the call may be repeated: its last argument has a ``request-id``."""

    def message(self, *, repeated: bool = False) -> Any:
        """The message to send."""
        body = self.body
        if repeated:
            body = (*body[:-1], {**body[-1], "repeated": ("b", True)})
        return _wire.call_message(self.interface, self.member, self.signature, body)

    def repeats(self, error: LaunchServicesError, attempt: int) -> float | None:
        """The seconds until the next attempt after this error; None when the error is the answer."""
        if not self.has_request_id or attempt >= len(DELAYS):
            return None
        if error.name in _INTERRUPTIONS or (attempt > 0 and isinstance(error, ServiceUnreachable)):
            return DELAYS[attempt]
        return None


def _first(values: tuple[Any, ...]) -> Any:
    return values[0]


def _nothing(values: tuple[Any, ...]) -> None:
    return None


def _flag(value: bool | None) -> tuple[str, bool] | None:
    return ("b", True) if value else None


def _open_options(given: OpenOptions) -> _wire.Options:
    unknown = given.keys() - OpenOptions.__annotations__.keys()
    if unknown:
        raise TypeError(f"an open has no option {', '.join(sorted(unknown))}")
    annotation = given.get("annotation")
    arguments = given.get("arguments")
    environment = given.get("environment")
    return _wire.options(
        {
            "as": _text(given.get("as_")),
            "application": _text(given.get("application")),
            "own-application": _flag(given.get("own_application")),
            "new-instance": _flag(given.get("new_instance")),
            "activate": None if given.get("activate", True) else ("b", False),
            "interactive": None if given.get("interactive", True) else ("b", False),
            "from-link": _flag(given.get("from_link")),
            "universal-links-only": _flag(given.get("universal_links_only")),
            "arguments": ("as", list(arguments)) if arguments else None,
            "environment": ("a{ss}", dict(environment)) if environment else None,
            "annotation": None if annotation is None else _wire.variant(annotation),
            "request-id": ("s", given.get("request_id") or uuid.uuid4().hex),
        }
    )


def _text(value: str | None) -> tuple[str, str] | None:
    return None if value is None else ("s", value)


def _path(path: StrPath) -> str:
    return str(Path(path).absolute())


def can_open(url: str, as_: str | None) -> Call[bool]:
    options = _wire.options({"as": _text(as_)})
    return Call("Workspace1", "CanOpenURL", "sa{sv}", (url, options), _first)


def explain(url: str, as_: str | None, application: str | None, from_link: bool) -> Call[Explanation]:
    options = _wire.options({"as": _text(as_), "application": _text(application), "from-link": _flag(from_link)})
    return Call("Workspace1", "Explain", "sa{sv}", (url, options), lambda v: Explanation.of(v[0]))


def open_url(url: str, options: OpenOptions) -> Call[Receipt]:
    body = (url, _open_options(options))
    return Call("Workspace1", "OpenURL", "sa{sv}", body, lambda v: Receipt.of(v[0]), True)


def open_documents(paths: Sequence[StrPath], options: OpenOptions) -> Call[tuple[Receipt, ...]]:
    def read(values: tuple[Any, ...]) -> tuple[Receipt, ...]:
        for delivery in values[0]:
            if "error" in delivery:
                raise LaunchServicesError.of(delivery["error"], delivery["message"])
        return tuple(Receipt.of(delivery) for delivery in values[0])

    urls = [
        path if isinstance(path, str) and path.startswith("file:") else Path(path).absolute().as_uri() for path in paths
    ]
    return Call("Workspace1", "OpenDocuments", "asa{sv}", (urls, _open_options(options)), read, True)


def open_application(identifier: str, options: OpenOptions) -> Call[Receipt]:
    body = (identifier, _open_options(options))
    return Call("Workspace1", "OpenApplication", "sa{sv}", body, lambda v: Receipt.of(v[0]), True)


def perform_quick_action(identifier: str, kind: str, options: OpenOptions) -> Call[Receipt]:
    body = (identifier, kind, _open_options(options))
    return Call("Workspace1", "PerformQuickAction", "ssa{sv}", body, lambda v: Receipt.of(v[0]), True)


def wait_for_exit(pid: int) -> Call[str]:
    return Call("Workspace1", "WaitForExit", "ua{sv}", (pid, {}), lambda v: str(v[0]["how"]))


def register(path: StrPath, define: Mapping[str, str]) -> Call[str]:
    options: _wire.Options = {"define": ("a{ss}", dict(define))} if define else {}
    return Call("Registry1", "RegisterApplication", "sa{sv}", (_path(path), options), _first)


def unregister(identifier: str) -> Call[None]:
    return Call("Registry1", "UnregisterApplication", "s", (identifier,), _nothing)


def lint(path: StrPath) -> Call[tuple[Diagnostic, ...]]:
    def read(values: tuple[Any, ...]) -> tuple[Diagnostic, ...]:
        return tuple(
            Diagnostic(
                entry["severity"],
                entry.get("file", ""),
                entry.get("key-path", ""),
                entry.get("problem", ""),
                entry.get("consequence", ""),
            )
            for entry in values[0]
        )

    return Call("Registry1", "Lint", "s", (_path(path),), read)


def applications() -> Call[tuple[str, ...]]:
    return Call(
        "Registry1",
        "ListApplications",
        "",
        (),
        lambda v: tuple(sorted(entry["bundle-identifier"] for entry in v[0])),
    )


def handlers(scheme: str) -> Call[tuple[str, ...]]:
    return Call("Registry1", "Handlers", "s", (scheme,), lambda v: tuple(v[0]))


def set_default_handler(scheme: str, identifier: str) -> Call[None]:
    return Call("Registry1", "SetDefaultHandler", "ss", (scheme, identifier), _nothing)


def set_association_file(domain: str, path: StrPath | None) -> Call[None]:
    file = "" if path is None else _path(path)
    return Call("Registry1", "SetAssociationFile", "ssa{sv}", (domain, file, {}), _nothing)


def approve(opener: str, scheme: str, handler: str, allowed: bool) -> Call[None]:
    approval = {
        "opener": ("s", opener),
        "scheme": ("s", scheme),
        "handler": ("s", handler),
        "allowed": ("b", allowed),
    }
    return Call("Confirmation1", "SetApprovals", "aa{sv}a{sv}", ([approval], {}), _nothing)


def raw(interface: str, member: str, signature: str, body: tuple[Any, ...]) -> Call[tuple[Any, ...]]:
    return Call(interface, member, signature, body, lambda values: values)
