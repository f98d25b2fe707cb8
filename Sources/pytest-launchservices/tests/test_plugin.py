"""The plugin itself: what it leaves behind, and what it says."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

import launchservices
from launchservices import Client, errors
from launchservices._address import direct_socket
from pytest_launchservices import ProgramNotFound, World, WorldFailure, find_program

TEN_LINES = Path(__file__).with_name("test_readme.py")


def _processes_of(folder: str) -> list[str]:
    """The processes whose environment or command line names the folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                facts = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if folder.encode() in facts:
                found.append(facts.decode(errors="replace")[-200:])
    return found


def _wait_for(is_true: object, what: str) -> None:
    assert callable(is_true)
    end = time.monotonic() + 30
    while not is_true():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def test_leaves_no_process_and_no_folder() -> None:
    with World() as world:
        world.install("com.example.photos", schemes=["photos"])
        world.open("photos:1")
        assert len(_processes_of(str(world.folder))) >= 4
    assert _processes_of(str(world.folder)) == []
    assert not world.folder.exists()


def test_a_killed_test_leaves_no_process_and_no_folder(tmp_path: Path) -> None:
    test = tmp_path / "test_killed.py"
    test.write_text(
        "import os, signal\n"
        "def test_killed(launch_services):\n"
        "    launch_services.install('com.example.photos', schemes=['photos'])\n"
        "    launch_services.open('photos:1')\n"
        f"    open('{tmp_path}/folder', 'w').write(str(launch_services.folder))\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", str(test)], check=False)
    assert done.returncode == -signal.SIGKILL
    folder = (tmp_path / "folder").read_text()
    _wait_for(lambda: _processes_of(folder) == [], "processes of a killed test are left")
    _wait_for(lambda: not Path(folder).exists(), "the folder of a killed test is left")


def test_a_program_that_does_not_end_is_killed_and_named(tmp_path: Path) -> None:
    path = tmp_path / "stubborn.py"
    path.write_text(
        "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print('deaf', flush=True)\ntime.sleep(1000)\n"
    )
    with (
        pytest.raises(WorldFailure, match=r"killed: \d+ .*stubborn.py"),
        World(daemon_options=["--launch-timeout", "1"]) as world,
    ):
        world.install_program("com.example.stubborn", path, schemes=["stubborn"])
        with pytest.raises(launchservices.LaunchServicesError):
            world.open("stubborn:1")
    assert _processes_of(str(world.folder)) == []


def test_a_daemon_that_does_not_start_says_why() -> None:
    with (
        pytest.raises(WorldFailure, match=r"ended with status 64; it wrote:\nlaunchservicesd: "),
        World(daemon_options=["--nonsense"]),
    ):
        pass


def test_a_world_without_a_bus_answers_questions() -> None:
    with World(has_bus=False) as world:
        world.install("com.example.photos", schemes=["photos"], queries=["photos"])
        assert world.can_open("photos:1", as_="com.example.photos")
        assert not world.can_open("photos:1")
        assert world.explain("photos:1").handler == "com.example.photos"


def test_where_no_dbus_daemon_is_installed_links_open_too(tmp_path: Path) -> None:
    """Nothing that the fixture needs is in PATH, and no variable names a bus."""
    (tmp_path / "test_links.py").write_text(TEN_LINES.read_text())
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("DBUS_", "XDG_"))}
    environment["PATH"] = str(tmp_path)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


def test_missing_programs_are_named() -> None:
    with pytest.raises(ProgramNotFound, match="the program no-such was not found; searched: /nowhere"):
        find_program("no-such", {"PATH": "/nowhere/bin", "LAUNCH_SERVICES_PROGRAMS": "/nowhere"})


def test_a_bus_that_is_not_there_is_named(tmp_path: Path) -> None:
    address = f"unix:path={tmp_path}/bus"
    with (
        Client({"DBUS_SESSION_BUS_ADDRESS": address}) as client,
        pytest.raises(launchservices.ServiceUnreachable, match=address),
    ):
        client.can_open("photos:1")


def test_the_report_of_a_failed_test_has_the_log(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_fails(launch_services):
            launch_services.client.set_default_handler("photos", "")
            launch_services.can_open("photos:1")
            assert False
        """
    )
    result = pytester.runpytest_subprocess()
    result.stdout.fnmatch_lines(["*Captured launchservicesd log*", "*photos:1*"])


def test_nothing_heavy_is_imported_at_load() -> None:
    code = "import pytest_launchservices.plugin, sys; print([m for m in sys.modules if m.startswith('jeepney')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_errors_are_those_of_the_contract() -> None:
    guides = Path(__file__).resolve().parents[3] / "Sources/LaunchServices/LaunchServices.docc"
    lines = (guides / "DBusContract.md").read_text().splitlines()
    prefix = "| `org.launchservices.Error."
    names = {line.removeprefix(prefix).partition("`")[0] for line in lines if line.startswith(prefix)}
    ours = {kind.__name__ for kind in errors.LaunchServicesError.__subclasses__()}
    assert ours - names == {"ServiceUnreachable"}
    assert names - ours == set()


@pytest.mark.parametrize("document", ["README.md", "Sources/pytest-launchservices/README.md"])
def test_the_lines_of_the_documents_are_those_that_are_tested(document: str) -> None:
    root = Path(__file__).resolve().parents[3]
    blocks = re.findall(r"```python\n(.*?)```", (root / document).read_text(), re.DOTALL)
    assert sorted(blocks) == sorted([TEN_LINES.read_text(), (root / "Examples/notes/notes.py").read_text()])


def test_the_direct_socket_is_named_as_the_daemon_names_it() -> None:
    with World() as world:
        address = world.environment["DBUS_SESSION_BUS_ADDRESS"]
        named: Sequence[str | None] = [
            direct_socket(world.environment),
            direct_socket({**world.environment, "DBUS_SESSION_BUS_ADDRESS": address + ",guid=0123"}),
        ]
        sockets = [str(path) for path in (world.folder / "run/launch-services").iterdir() if path.is_socket()]
        assert set(named) <= set(sockets)


def test_ten_at_once_with_xdist(tmp_path: Path) -> None:
    pytest.importorskip("xdist", reason="needs the package pytest-xdist of PyPI")
    for number in range(10):
        (tmp_path / f"test_{number}.py").write_text(TEN_LINES.read_text())
    command = [sys.executable, "-m", "pytest", "-q", "-n", "4", "-p", "no:cacheprovider", str(tmp_path)]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "10 passed" in done.stdout
    assert _processes_of(str(tmp_path)) == []
