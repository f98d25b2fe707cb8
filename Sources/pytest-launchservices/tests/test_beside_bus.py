"""A daemon without a bus, in a session that has a bus: clients and handlers find it, as the commands do."""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import launchservices
from launchservices import AsyncClient, Client
from launchservices._address import direct_socket
from pytest_launchservices import World, find_program
from pytest_launchservices.application import wait_for_line

NOTES = Path(__file__).resolve().parents[3] / "Examples/notes/notes.py"


class Session(World):
    """A session with a bus, on which nobody is the daemon."""

    def __init__(self, *, daemon_knows_bus: bool) -> None:
        super().__init__(has_bus=True)
        self._daemon_knows_bus = daemon_knows_bus

    def start_daemon(self) -> None:
        """Starts a daemon with ``--direct-only``, and waits until it answers at its socket."""
        environment = dict(self.environment)
        if not self._daemon_knows_bus:
            environment["DBUS_SESSION_BUS_ADDRESS"] = ""
        argv = [find_program("launchservicesd"), "--direct-only", "--fetch-associations", "no"]
        self.daemon_pid = self._processes.start("launchservicesd", argv, environment, self._log)
        path = direct_socket(environment)
        assert path is not None
        self._await_socket(self.daemon_pid, self._log, path)


@pytest.fixture(params=[True, False], ids=["with-the-address", "without-an-address"])
def session(request: pytest.FixtureRequest) -> Iterator[Session]:
    """The daemon was started with, or without, the variable that has the address of the bus."""
    session = Session(daemon_knows_bus=request.param)
    with session:
        yield session


def test_a_client_finds_it_and_the_next_one(session: Session) -> None:
    photos = session.install("com.example.photos", schemes=["photos"])
    first = session.open("photos:1")
    session.restart_daemon()
    second = session.open("photos:2")
    assert [(first.launch, first.handled), (second.launch, second.handled)] == [("cold", True), ("warm", True)]
    assert photos.urls == ["photos:1", "photos:2"]


def test_calls_side_by_side_find_it_and_the_next_one(session: Session) -> None:
    session.install("com.example.photos", schemes=["photos"], queries=["photos"])

    async def ask() -> list[bool]:
        async with AsyncClient(session.environment) as client:
            answers = [client.can_open(f"photos:{number}", as_="com.example.photos") for number in range(5)]
            given = list(await asyncio.gather(*answers))
            session.restart_daemon()
            return [*given, await client.can_open("photos:6", as_="com.example.photos")]

    assert asyncio.run(ask()) == [True] * 6


def test_a_handler_that_the_daemon_did_not_start_finds_it_and_the_next_one(session: Session, tmp_path: Path) -> None:
    # The daemon identifies a process that it did not start by its program, which must be that of the application alone.
    program = tmp_path / "notes"
    shutil.copy(sys.executable, program)
    handler = tmp_path / "notes.py"
    handler.write_text(
        NOTES.read_text().replace(
            "    def open",
            "    def did_finish_launching(self, options):\n        print('ready', flush=True)\n\n    def open",
        )
    )
    session.install_program("com.example.notes", program, schemes=["note"])
    environment = {
        **session.environment,
        "PYTHONHOME": sys.base_prefix,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "LAUNCH_SERVICES_BUNDLE_IDENTIFIER": "com.example.notes",
    }
    log = session.folder / "handler.log"
    pid = session._processes.start("handler", [str(program), str(handler)], environment, log)
    wait_for_line(log, "ready", timeout=5)
    receipt = session.open("note:1")
    assert (receipt.launch, receipt.handled, receipt.pid) == ("warm", True, pid)
    session.restart_daemon()
    again = session.open("note:2")
    assert (again.launch, again.handled, again.pid) == ("warm", True, pid)


def test_another_process_at_its_socket_is_not_taken_for_it() -> None:
    with Session(daemon_knows_bus=True) as session:
        path = direct_socket(session.environment)
        assert path is not None
        os.kill(session.daemon_pid, signal.SIGSTOP)  # It would make its socket again.
        os.unlink(path)
        with socket.socket(socket.AF_UNIX) as impostor:
            impostor.bind(path)
            impostor.listen()
            with Client(session.environment) as client, pytest.raises(launchservices.ServiceUnreachable):
                client.applications()
            with pytest.raises(launchservices.ServiceUnreachable):
                asyncio.run(_applications(session))
        os.kill(session.daemon_pid, signal.SIGCONT)


@pytest.mark.parametrize("bus", ["none", "without-service"])
def test_a_process_that_has_the_lock_and_is_no_daemon_is_not_taken_for_it(bus: str) -> None:
    with Session(daemon_knows_bus=True) as session:
        session.stop_daemon()
        environment = {**session.environment, "DBUS_SESSION_BUS_ADDRESS": ""} if bus == "none" else session.environment
        path = direct_socket(environment)
        assert path is not None
        Path(path).parent.mkdir(exist_ok=True)
        state = Path(environment["XDG_STATE_HOME"]) / "launch-services"
        with socket.socket(socket.AF_UNIX) as impostor, open(state / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lock.write(f"{os.getpid()}\n")
            lock.flush()
            impostor.bind(path)
            impostor.listen()
            with Client(environment) as client, pytest.raises(launchservices.ServiceUnreachable):
                client.open("photos:secret")

            async def open_side_by_side() -> None:
                async with AsyncClient(environment) as client:
                    await client.open("photos:secret")

            with pytest.raises(launchservices.ServiceUnreachable):
                asyncio.run(open_side_by_side())
            assert _received_by(impostor) == b""


def _received_by(listener: socket.socket) -> bytes:
    """What processes have sent that connected before."""
    received = b""
    listener.setblocking(False)
    while True:
        try:
            connection, _ = listener.accept()
        except BlockingIOError:
            return received
        with connection:
            received += connection.recv(100)


async def _applications(session: World) -> tuple[str, ...]:
    async with session.async_client() as client:
        return await client.applications()


def test_no_daemon_is_an_error_with_the_next_step() -> None:
    with World(has_bus=True) as world:
        world.stop_daemon()
        with pytest.raises(launchservices.ServiceUnreachable, match=r"launchservicesd does not run.*; start it"):
            world.can_open("photos:1")
