"""A world: a message bus, a daemon and folders of its own, for one test or several."""

from __future__ import annotations

import contextlib
import difflib
import json
import os
import plistlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Unpack

import jeepney

import launchservices
from launchservices import AsyncClient, Client, Explanation, LaunchServicesError, OpenOptions, Receipt
from launchservices._address import direct_socket
from launchservices._blocking import Session, open_connection
from launchservices._calls import StrPath
from launchservices._wire import SERVICE, bus_message

from ._processes import Processes, WorldFailure
from .application import Answer, Application, Director, wait_for_line
from .programs import ProgramNotFound, find_program

_START = 30.0
"""The seconds in which the daemon must have started."""
_LONGEST_FOLDER = 60
"""The longest path of a world's folder: the sockets in it have paths of at most 107 bytes."""

_BUS_CONFIGURATION = """\
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={folder}/bus</listen>
  <auth>EXTERNAL</auth>
  <servicedir>{folder}/data/dbus-1/services</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""


class World:
    """A message bus, a daemon, folders of a user, and applications. Nothing of the machine is seen in it.

    Use it with ``with``. All processes are ended with the world, also when the test is killed, and the folder is
    removed. Without ``dbus-daemon`` the world has no bus, and the daemon is reached at its socket.
    """

    def __init__(self, *, daemon_options: Sequence[str] = (), has_bus: bool | None = None) -> None:
        """Makes nothing yet.

        :param daemon_options: options of ``launchservicesd``.
        :param has_bus: whether the world has a message bus; by default if ``dbus-daemon`` is installed.
        """
        self._daemon_options = tuple(daemon_options)
        self._has_bus = has_bus
        self._cleanup = contextlib.ExitStack()

    def __enter__(self) -> World:
        with contextlib.ExitStack() as stack:
            daemon = find_program("launchservicesd")
            self._programs = Path(daemon).parent
            if self._has_bus is None:
                self._has_bus = shutil.which("dbus-daemon") is not None
            self.folder = _make_folder()
            """The folder with all files of the world."""
            # The warden removes it after the last process has ended.
            self._processes = Processes(self.folder)
            stack.callback(self._processes.end)
            self._make_folders()
            self.environment: dict[str, str] = self._environment()
            """The variables of all processes of the world; pass them to programs that a test starts."""
            self.client = Client(self.environment)
            """A client that is no application."""
            stack.callback(self.client.close)
            self._director = Director(self.folder / "stub")
            stack.callback(self._director.close)
            self._system: dict[str, Application] = {}
            self._write_system_applications()
            if self._has_bus:
                self._start_bus()
            self.start_daemon()
            self._cleanup = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._cleanup.__exit__(kind, error, trace)

    # Opening and asking

    def open(self, url: str, **options: Unpack[OpenOptions]) -> Receipt:
        """Opens a URL, and returns when its fate is known.

        The application ``as_`` must be registered: the client also takes one that is not.
        """
        self._check_opener(options.get("as_"))
        return self.client.open(url, **options)

    def can_open(self, url: str, *, as_: str | None = None) -> bool:
        """Whether an application can open the URL; as an application, if ``as_`` is its identifier."""
        self._check_opener(as_)
        return self.client.can_open(url, as_=as_)

    def explain(self, url: str, *, as_: str | None = None, from_link: bool = False) -> Explanation:
        """What an open would do, and why."""
        self._check_opener(as_)
        return self.client.explain(url, as_=as_, from_link=from_link)

    def _check_opener(self, identifier: str | None) -> None:
        """The daemon knows no allowlist of an application that is not registered, so a misspelt one may ask nothing."""
        if identifier is None:
            return
        known = self.client.applications()
        if identifier.lower() in (one.lower() for one in known):
            return
        near = difflib.get_close_matches(identifier, known, 1)
        advice = f"did you mean {near[0]}?" if near else "install it first"
        raise ValueError(f"no application {identifier} is registered in this world; {advice}")

    def async_client(self) -> AsyncClient:
        """A client for asyncio, to be used with ``async with``."""
        return AsyncClient(self.environment)

    # Applications

    def install(
        self,
        identifier: str,
        *,
        schemes: Sequence[str] = (),
        queries: Sequence[str] = (),
        team: str | None = None,
        sdk: str | None = None,
        domains: Sequence[str] = (),
        quick_actions: Sequence[str] = (),
        scenes: bool = False,
        answer: Answer = True,
        will_finish_launching: bool | None = None,
        did_finish_launching: bool | None = None,
        plist: Mapping[str, Any] | None = None,
    ) -> Application:
        """Registers a simulated application, and returns it.

        :param identifier: the ``CFBundleIdentifier``; :class:`ValueError` for one that is installed already.
        :param schemes: the ``CFBundleURLSchemes``.
        :param queries: the ``LSApplicationQueriesSchemes``.
        :param team: the ``TeamIdentifier``.
        :param sdk: the ``DTSDKName``, such as ``iphoneos26.0`` or ``macosx26.0``.
        :param domains: the associated domains, such as ``applinks:example.com``.
        :param quick_actions: the types of the quick actions.
        :param scenes: whether the application has a scene delegate.
        :param answer: see :attr:`Application.answer`; so are the two launch methods.
        :param plist: further keys of the property list.
        """
        keys: dict[str, Any] = {"CFBundleIdentifier": identifier}
        if schemes:
            keys["CFBundleURLTypes"] = [{"CFBundleURLSchemes": _schemes("schemes", schemes)}]
        if queries:
            keys["LSApplicationQueriesSchemes"] = _schemes("queries", queries)
        if team is not None:
            keys["TeamIdentifier"] = team
        if sdk is not None:
            keys["DTSDKName"] = sdk
        if domains:
            keys["com.apple.developer.associated-domains"] = _texts("domains", domains)
        if quick_actions:
            keys["UIApplicationShortcutItems"] = [
                {"UIApplicationShortcutItemType": kind, "UIApplicationShortcutItemTitle": kind}
                for kind in _texts("quick_actions", quick_actions)
            ]
        if scenes:
            keys["UIApplicationSceneManifest"] = {}
        application = self._install({**keys, **(plist or {})}, {})
        application.answer = answer
        application.will_finish_launching = will_finish_launching
        application.did_finish_launching = did_finish_launching
        return application

    def simulate(
        self,
        plist: StrPath,
        *,
        define: Mapping[str, str] | None = None,
        entitlements: StrPath | None = None,
        team: str | None = None,
    ) -> Application:
        """Registers a simulated application with the property list of a real one, which has no program for Linux.

        :param plist: the path of the ``Info.plist``.
        :param define: the values of its build variables, such as ``PRODUCT_BUNDLE_IDENTIFIER``.
        :param entitlements: the path of the file with the entitlements.
        :param team: the ``TeamIdentifier``, which a property list in a source tree does not have.
        """
        keys = _read_plist(plist)
        if entitlements is not None:
            keys.update(_read_plist(entitlements))
        if team is not None:
            keys["TeamIdentifier"] = team
        return self._install(keys, dict(define or {}))

    def system_application(self, name: str) -> Application:
        """The stand-in of a system application: ``FaceTime``, ``iTunes``, ``Mail``, ``Maps``, ``Messages``, ``Phone``,
        ``Safari`` or ``YouTube``. As on a device, schemes such as ``tel`` are reserved for them, and Safari gets web
        links that no application claims."""
        return self._system[name]

    def register(self, plist: StrPath, *, define: Mapping[str, str] | None = None) -> str:
        """Registers a bundle or property list with its own program, and returns its bundle identifier. What the program
        prints is in :attr:`log`."""
        return self.client.register(plist, define=define)

    def install_program(
        self,
        identifier: str,
        *arguments: StrPath,
        schemes: Sequence[str] = (),
        plist: Mapping[str, Any] | None = None,
    ) -> str:
        """Registers a real handler: a Python file of a test, or a program with arguments.

        :param arguments: the path of a ``.py`` file, which this interpreter runs, or of a program; then arguments.
        """
        words = [os.fspath(argument) for argument in arguments]
        if words[0].endswith(".py"):
            words = [sys.executable, str(Path(words[0]).absolute()), *words[1:]]
        keys = {
            "CFBundleIdentifier": identifier,
            "CFBundleURLTypes": [{"CFBundleURLSchemes": _schemes("schemes", schemes)}],
            **_running(words),
            **(plist or {}),
        }
        return self.client.register(self._write_plist(keys))

    def associate(self, domain: str, association: Mapping[str, Any] | str | os.PathLike[str] | bytes) -> None:
        """Uses an ``apple-app-site-association`` for a domain, in place of that of the site.

        :param association: the contents, as a mapping or as bytes, or the path of a file, which is copied.
        """
        if isinstance(association, Mapping):
            contents = json.dumps(association).encode()
        elif isinstance(association, bytes):
            contents = association
        else:
            contents = Path(association).read_bytes()
        path = self.folder / f"association-{domain}.json"
        path.write_bytes(contents)
        self.client.set_association_file(domain, path)

    def _install(self, keys: dict[str, Any], define: dict[str, str]) -> Application:
        application = Application(str(keys.get("CFBundleIdentifier")), self.client)
        keys = {name: value for name, value in keys.items() if name != "CFBundleExecutable"}
        path = self._write_plist({**keys, **_running(self._stub_of(application))})
        known = {identifier.lower() for identifier in self.client.applications()}
        application.identifier = self.client.register(path, define=define)
        if application.identifier.lower() in known:
            self.client.unregister(str(path))
            raise ValueError(
                f"{application.identifier} is installed in this world already: change the answers of that"
                " application, or call world.client.unregister with its identifier first"
            )
        return application

    def _stub_of(self, application: Application) -> list[str]:
        key = self._director.add(application)
        return [sys.executable, "-m", "pytest_launchservices.stub", str(self._director.path), key]

    def _write_plist(self, keys: Mapping[str, Any]) -> Path:
        descriptor, path = tempfile.mkstemp(".plist", dir=self.folder / "applications")
        with open(descriptor, "wb") as file:
            plistlib.dump(dict(keys), file)
        return Path(path)

    # Programs

    def run(self, program: str, *arguments: str, timeout: float = 60.0) -> subprocess.CompletedProcess[str]:
        """Runs a program of Launch Services, such as ``lsopen``, or another one, in this world."""
        argv = [find_program(program), *arguments]
        return subprocess.run(argv, env=self.environment, capture_output=True, text=True, timeout=timeout, check=False)

    @property
    def log(self) -> str:
        """What the daemon and the handlers have printed."""
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    def wait_for_line(self, text: str, *, timeout: float = 10.0) -> str:
        """Waits for a line of the log that contains a text, and returns the line.

        :param timeout: in seconds; raises ``TimeoutError`` after it.
        """
        return wait_for_line(self._log, text, timeout)

    # The daemon

    def start_daemon(self) -> None:
        """Starts the daemon, and waits until it has read the registry."""
        options = ["--fetch-associations", "no", *self._daemon_options]
        if not self._has_bus:
            options.append("--direct-only")
        argv = [find_program("launchservicesd"), *options]
        start: Callable[[], int] = lambda: self._processes.start(  # noqa: E731
            "launchservicesd", argv, self.environment, self._log
        )
        if self._has_bus:
            self._start_on_bus(start)
        else:
            self._start_without_bus(start)
        # The daemon answers the first call when it has read the registry.
        self.client.applications()

    def kill_daemon(self) -> None:
        """Kills the daemon, as a crash would."""
        os.kill(self.daemon_pid, 9)
        self._await_end(self.daemon_pid)

    def stop_daemon(self) -> None:
        """Ends the daemon in order."""
        os.kill(self.daemon_pid, 15)
        self._await_end(self.daemon_pid)

    def restart_daemon(self) -> None:
        """Ends the daemon, and starts another one with the same folders. Handlers go on."""
        self.stop_daemon()
        self.start_daemon()

    def _await_end(self, pid: int) -> None:
        if self._processes.status(pid, timeout=_START) is None:
            raise WorldFailure(f"process {pid} has not ended within {_START} s")

    def _start_bus(self) -> None:
        configuration = self.folder / "bus.conf"
        configuration.write_text(_BUS_CONFIGURATION.format(folder=self.folder))
        log = self.folder / "bus.log"
        argv = [find_program("dbus-daemon"), f"--config-file={configuration}", "--nofork", "--nopidfile"]
        pid = self._processes.start("dbus-daemon", argv, self.environment, log)
        self._await_socket(pid, log, str(self.folder / "bus"))

    def _start_on_bus(self, start: Callable[[], int]) -> None:
        session = Session(open_connection(self.environment))
        with contextlib.closing(session.connection):
            rule = f"type='signal',member='NameOwnerChanged',arg0='{SERVICE}'"
            session.call(bus_message("AddMatch", "s", (rule,)))
            self.daemon_pid = start()
            """The process of the daemon that was started last."""
            end = time.monotonic() + _START
            while True:
                with contextlib.suppress(TimeoutError):
                    message = session.receive(timeout=0)
                    if message.header.message_type == jeepney.MessageType.signal and message.body[2:] > ("",):
                        return
                    continue
                self._check_start(self.daemon_pid, self._log, end)
                self._processes.wait([session.connection.sock.fileno()], 1.0)

    def _start_without_bus(self, start: Callable[[], int]) -> None:
        self.daemon_pid = start()
        path = direct_socket(self.environment)
        assert path is not None
        self._await_socket(self.daemon_pid, self._log, path)

    def _await_socket(self, pid: int, log: Path, path: str) -> None:
        """Waits until a process accepts connections at a path."""
        end = time.monotonic() + _START
        with socket.socket(socket.AF_UNIX) as connection:
            while connection.connect_ex(path) != 0:
                self._check_start(pid, log, end)
                self._processes.wait([], 0.002)

    def _check_start(self, pid: int, log: Path, end: float) -> None:
        status = self._processes.status(pid, timeout=0)
        if status is not None or time.monotonic() > end:
            how = f"has not started within {_START} s" if status is None else f"ended with status {status}"
            raise WorldFailure(f"{log.stem} {how}; it wrote:\n{log.read_text(errors='replace')}")

    # Folders

    @property
    def _log(self) -> Path:
        return self.folder / "launchservicesd.log"

    def _make_folders(self) -> None:
        for name in ("home", "data/dbus-1/services", "share", "config", "state", "cache", "applications"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "run").mkdir(mode=0o700)

    def _write_system_applications(self) -> None:
        """Writes the property lists that are installed with the daemon, or are in its source tree. They also have the
        types of documents that Apple declares."""
        shares = [self._programs.parent / "share", *(p / "systemd/share" for p in self._programs.parents)]
        folders = [share / "launch-services/System" for share in shares]
        source = next((folder for folder in folders if folder.is_dir()), None)
        if source is None:
            raise WorldFailure(f"the property lists of system applications are missing: there is no {folders[0]}")
        target = self.folder / "share/launch-services/System"
        target.mkdir(parents=True)
        for path in source.glob("*.plist"):
            keys = _read_plist(path)
            if "ProgramArguments" in keys:
                application = Application(keys["CFBundleIdentifier"], self.client)
                self._system[path.stem] = application
                keys |= _running(self._stub_of(application))
            with open(target / path.name, "wb") as file:
                plistlib.dump(keys, file)

    def _environment(self) -> dict[str, str]:
        """Inherits what finds programs and libraries, and the settings of sanitizers."""
        folder = str(self.folder)
        environment = {
            name: value
            for name, value in os.environ.items()
            if name in ("LD_LIBRARY_PATH", "LLVM_PROFILE_FILE", "TZ") or name.endswith("SAN_OPTIONS")
        }
        environment |= {
            "PATH": f"{self._programs}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "HOME": f"{folder}/home",
            "LANG": "C.UTF-8",
            "XDG_CACHE_HOME": f"{folder}/cache",
            "XDG_CONFIG_DIRS": f"{folder}/xdg",
            "XDG_CONFIG_HOME": f"{folder}/config",
            "XDG_DATA_DIRS": f"{folder}/share",
            "XDG_DATA_HOME": f"{folder}/data",
            "XDG_RUNTIME_DIR": f"{folder}/run",
            "XDG_STATE_HOME": f"{folder}/state",
        }
        # Without a bus, an address at which nothing listens: the usual place is that of the user.
        environment["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={folder}/bus"
        return environment


def _texts(parameter: str, values: Sequence[str]) -> list[str]:
    # A text is a sequence of texts, too: its letters.
    if isinstance(values, str):
        raise TypeError(f"{parameter} is a text, but must be a list: write {parameter}=[{values!r}]")
    return list(values)


def _schemes(parameter: str, values: Sequence[str]) -> list[str]:
    """Schemes that an application can claim; the others would be passed over. ``plist=`` takes any."""
    for scheme in _texts(parameter, values):
        if not re.fullmatch("[A-Za-z][A-Za-z0-9+.-]*", scheme):
            raise ValueError(f"{parameter}: {scheme!r} is not a scheme, such as 'photos', without ':' and what follows")
    return list(values)


def _make_folder() -> Path:
    folder = tempfile.mkdtemp(prefix="ls-")
    if len(folder.encode()) > _LONGEST_FOLDER:
        os.rmdir(folder)
        folder = tempfile.mkdtemp(prefix="ls-", dir="/tmp")
    return Path(folder)


def _read_plist(path: StrPath) -> dict[str, Any]:
    with open(path, "rb") as file:
        keys = plistlib.load(file)
    if not isinstance(keys, dict):
        raise ValueError(f"{os.fspath(path)} is no dictionary")
    return keys


def _running(arguments: Sequence[str]) -> dict[str, Any]:
    """The keys of a program that may import what this process can import."""
    modules = {Path(str(m.__file__)).parent.parent for m in (launchservices, jeepney, sys.modules[__package__])}
    path = os.pathsep.join(sorted(str(module) for module in modules))
    return {"ProgramArguments": list(arguments), "LSEnvironment": {"PYTHONPATH": path}}


__all__ = ["LaunchServicesError", "ProgramNotFound", "World", "WorldFailure"]
