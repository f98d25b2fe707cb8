"""Handlers that are written with launchservices.Handler."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from jeepney import DBusAddress, new_method_call
from jeepney.io.blocking import open_dbus_connection

import launchservices
from launchservices import LaunchServicesError
from pytest_launchservices import World

EXAMPLES = Path(__file__).resolve().parents[3] / "Examples"
NOTES = (EXAMPLES / "notes/notes.py").read_text()


def _write(folder: Path, text: str) -> Path:
    path = folder / "handler.py"
    path.write_text(text)
    return path


def test_is_started_and_comes_back_to_the_next_daemon(launch_services: World, tmp_path: Path) -> None:
    launch_services.install_program("com.example.notes", _write(tmp_path, NOTES), schemes=["note"])
    cold = launch_services.open("note:1")
    assert (cold.launch, cold.handled) == ("cold", True)
    launch_services.wait_for_line("open note:1")
    launch_services.kill_daemon()
    launch_services.start_daemon()
    warm = launch_services.open("note:2")
    assert (warm.launch, warm.pid) == ("warm", cold.pid)
    launch_services.wait_for_line("open note:2")


@pytest.mark.parametrize("launch_services_has_bus", [False])
def test_an_answer_that_the_daemon_did_not_get_is_given_to_the_next_daemon(
    launch_services: World, tmp_path: Path
) -> None:
    """Without a bus the connection on which the answer is sent has ended."""
    go_on = tmp_path / "go-on"
    os.mkfifo(go_on)
    text = NOTES.replace(
        "print(", f"print('begins', flush=True); url == 'note:1' and open({str(go_on)!r}).read(); print("
    )
    launch_services.install_program("com.example.notes", _write(tmp_path, text), schemes=["note"])
    launch_services.open("note:0")
    receipts: list[launchservices.Receipt] = []
    opener = threading.Thread(target=lambda: receipts.append(launch_services.open("note:1")))
    opener.start()
    launch_services.wait_for_line("open note:0")
    while launch_services.log.count("begins") < 2:
        time.sleep(0.01)
    launch_services.kill_daemon()
    go_on.write_text("")
    launch_services.wait_for_line("open note:1")
    launch_services.start_daemon()
    opener.join(60)
    assert [(receipt.delivery, receipt.handled) for receipt in receipts] == [("delivered", True)]
    assert launch_services.log.count("open note:1") == 1


def _kill_daemon_during(
    world: World, call: Callable[[], launchservices.Receipt], go_on: Path
) -> list[launchservices.Receipt | LaunchServicesError]:
    """Makes a call, replaces the daemon while the handler performs it, and returns what the opener is told.

    The handler prints ``begins``, and reads ``go_on``.
    """
    told: list[launchservices.Receipt | LaunchServicesError] = []

    def opening() -> None:
        try:
            told.append(call())
        except LaunchServicesError as error:
            told.append(error)

    opener = threading.Thread(target=opening)
    opener.start()
    world.wait_for_line("begins")
    world.kill_daemon()
    world.start_daemon()
    go_on.write_text("")
    opener.join(60)
    return told


@pytest.mark.parametrize("launch_services_has_bus", [True, False])
def test_what_a_scene_was_connected_for_is_not_opened_again_for_the_next_daemon(
    launch_services: World, tmp_path: Path
) -> None:
    go_on = tmp_path / "go-on"
    os.mkfifo(go_on)
    text = NOTES.replace("    def open", "    scenes = True\n\n    def open").replace(
        "print(", f"print('begins', flush=True); open({str(go_on)!r}).read(); print("
    )
    launch_services.install_program(
        "com.example.notes", _write(tmp_path, text), schemes=["note"], plist={"UIApplicationSceneManifest": {}}
    )
    (receipt,) = _kill_daemon_during(launch_services, lambda: launch_services.open("note:1"), go_on)
    assert isinstance(receipt, launchservices.Receipt)
    assert receipt.delivery == "delivered"
    assert launch_services.log.splitlines().count("begins") == 1


@pytest.mark.parametrize("launch_services_has_bus", [True, False])
def test_a_quick_action_that_a_scene_was_connected_for_is_not_performed_again_for_the_next_daemon(
    launch_services: World, tmp_path: Path
) -> None:
    go_on = tmp_path / "go-on"
    os.mkfifo(go_on)
    text = NOTES.replace(
        "    def open",
        f"""    scenes = True

    def perform_quick_action(self, action, options):
        print('begins', flush=True)
        open({str(go_on)!r}).read()
        return True

    def open""",
    )
    launch_services.install_program(
        "com.example.notes",
        _write(tmp_path, text),
        schemes=["note"],
        plist={
            "UIApplicationSceneManifest": {},
            "UIApplicationShortcutItems": [
                {"UIApplicationShortcutItemType": "new", "UIApplicationShortcutItemTitle": "New"}
            ],
        },
    )
    client = launch_services.client
    (receipt,) = _kill_daemon_during(
        launch_services, lambda: client.perform_quick_action("com.example.notes", "new"), go_on
    )
    assert isinstance(receipt, launchservices.Receipt)
    assert receipt.delivery == "delivered"
    assert launch_services.log.splitlines().count("begins") == 1


@pytest.mark.parametrize("launch_services_has_bus", [True, False])
@pytest.mark.parametrize(
    ("method", "error", "reason"),
    [
        ("def open", "Refused('not today')", "not today"),
        ("async def open", "KeyError('album')", "Notes.open(): KeyError: 'album'"),
    ],
)
def test_a_refusal_that_the_daemon_did_not_get_is_given_to_the_next_daemon(
    launch_services: World, tmp_path: Path, method: str, error: str, reason: str
) -> None:
    go_on = tmp_path / "go-on"
    os.mkfifo(go_on)
    text = "from launchservices import Refused\n" + NOTES.replace("def open", method).replace(
        "return True", f"print('begins', flush=True); open({str(go_on)!r}).read(); raise {error}"
    )
    launch_services.install_program("com.example.notes", _write(tmp_path, text), schemes=["note"])
    (refusal,) = _kill_daemon_during(launch_services, lambda: launch_services.open("note:1"), go_on)
    assert isinstance(refusal, launchservices.HandlerRefused)
    assert reason in str(refusal)
    assert launch_services.log.splitlines().count("begins") == 1


@pytest.mark.parametrize("launch_services_has_bus", [False])
def test_of_a_daemon_without_a_bus_does_not_check_in_on_the_bus_of_the_session(
    launch_services: World, tmp_path: Path
) -> None:
    with World(has_bus=True) as session:
        session.stop_daemon()
        variables = {"DBUS_SESSION_BUS_ADDRESS": session.environment["DBUS_SESSION_BUS_ADDRESS"]}
        launch_services.install_program(
            "com.example.notes", _write(tmp_path, NOTES), schemes=["note"], plist={"LSEnvironment": variables}
        )
        assert launch_services.open("note:1").handled
        launch_services.restart_daemon()
        assert launch_services.open("note:2").launch == "warm"


@pytest.mark.parametrize("launch_services_has_bus", [False])
def test_can_be_stopped_while_no_daemon_runs(launch_services: World, tmp_path: Path) -> None:
    stop = tmp_path / "stop"
    os.mkfifo(stop)
    text = NOTES.replace(
        "Notes().run()",
        "import threading\nnotes = Notes()\n"
        f"threading.Thread(target=lambda: (open({str(stop)!r}).read(), notes.stop())).start()\n"
        "notes.run()\nprint('stopped', flush=True)",
    )
    launch_services.install_program("com.example.notes", _write(tmp_path, text), schemes=["note"])
    launch_services.open("note:1")
    launch_services.kill_daemon()
    stop.write_text("")
    launch_services.wait_for_line("stopped")


def test_an_error_of_a_launch_method_is_not_taken_for_the_end_of_the_bus(
    launch_services: World, tmp_path: Path
) -> None:
    text = NOTES.replace(
        "    def open", "    def did_finish_launching(self, options):\n        open('/no/file')\n\n    def open"
    )
    launch_services.install_program("com.example.notes", _write(tmp_path, text), schemes=["note"])
    with pytest.raises(launchservices.HandlerExited):
        launch_services.open("note:1")
    launch_services.wait_for_line("FileNotFoundError")


def test_the_example_is_registered_by_its_own_property_list(launch_services: World) -> None:
    define = {"PYTHON": sys.executable, "EXAMPLES_DIR": str(EXAMPLES)}
    assert launch_services.register(EXAMPLES / "notes/notes.plist", define=define) == "com.example.notes"
    assert launch_services.open("note:1").handled
    launch_services.wait_for_line("open note:1")


@pytest.mark.parametrize("launch_services_has_bus", [True])
def test_refuses_calls_of_others(launch_services: World, tmp_path: Path) -> None:
    launch_services.install_program("com.example.notes", _write(tmp_path, NOTES), schemes=["note"])
    pid = launch_services.open("note:1").pid
    bus = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
    with open_dbus_connection(launch_services.environment["DBUS_SESSION_BUS_ADDRESS"]) as connection:

        def ask(member: str, *arguments: str) -> object:
            signature = "s" * len(arguments)
            reply = connection.send_and_get_reply(new_method_call(bus, member, signature, arguments))
            return reply.body[0]

        names = ask("ListNames")
        assert isinstance(names, list)
        name = next(n for n in names if n.startswith(":") and ask("GetConnectionUnixProcessID", n) == pid)
        handler = DBusAddress("/org/launchservices/Application", name, "org.launchservices.Application1")
        urls: list[tuple[str, dict[str, object]]] = [("note:x", {})]
        reply = connection.send_and_get_reply(new_method_call(handler, "OpenURLs", "a(sa{sv})", (urls,)))
        assert "only the owner of org.launchservices.LaunchServices1" in reply.body[0]
    launch_services.open("note:2")
    assert "open note:x" not in launch_services.log


def test_hides_its_token_from_its_children(launch_services: World, tmp_path: Path) -> None:
    text = "import os\n" + NOTES.replace('"open", url', "sorted(n for n in os.environ if 'TOKEN' in n), url")
    launch_services.install_program("com.example.notes", _write(tmp_path, text), schemes=["note"])
    launch_services.open("note:1")
    launch_services.wait_for_line("[] note:1")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return None", r"TypeError: Notes.open\(\) returned None; return True or False"),
        ("return 1", r"TypeError: Notes.open\(\) returned 1"),
        ("raise KeyError('album')", r"Notes.open\(\): KeyError: 'album'"),
        ("from launchservices import Refused; raise Refused('not today')", "not today"),
    ],
)
def test_wrong_answers_refuse_the_url(launch_services: World, tmp_path: Path, body: str, reason: str) -> None:
    path = _write(tmp_path, NOTES.replace("return True", body))
    launch_services.install_program("com.example.notes", path, schemes=["note"])
    with pytest.raises(launchservices.HandlerRefused, match=reason):
        launch_services.open("note:1")


def test_takes_all_kinds_of_deliveries(launch_services: World, tmp_path: Path) -> None:
    path = _write(
        tmp_path,
        """
from launchservices import Handler

class Everything(Handler):
    scenes = True
    documents_as_files = True

    def did_finish_launching(self, options):
        print("launched", flush=True)

    async def open(self, url, options):
        text = options.file.read().decode() if options.file else ""
        print("open", url.rpartition("/")[2], text, flush=True)
        return True

    async def continue_user_activity(self, webpage_url, options):
        print("continue", webpage_url, flush=True)
        return True

    def perform_quick_action(self, action, options):
        print("action", action.type, action.title, flush=True)
        return True

    def reopen(self, options):
        print("reopen", flush=True)

Everything().run()
""",
    )
    launch_services.install_program(
        "com.example.all",
        path,
        schemes=["all"],
        plist={
            "DTSDKName": "macosx26.0",
            "TeamIdentifier": "EXAMPLE123",
            "UIApplicationSceneManifest": {},
            "UIApplicationShortcutItems": [
                {"UIApplicationShortcutItemType": "new", "UIApplicationShortcutItemTitle": "New"}
            ],
            "CFBundleDocumentTypes": [{"CFBundleTypeRole": "Viewer", "LSItemContentTypes": ["public.plain-text"]}],
            "com.apple.developer.associated-domains": ["applinks:example.com"],
        },
    )
    launch_services.associate(
        "example.com",
        {"applinks": {"details": [{"appIDs": ["EXAMPLE123.com.example.all"], "components": [{"/": "/*"}]}]}},
    )
    client = launch_services.client
    # The URL is in the connection options of the scene.
    assert client.open("all:/1").delivery == "delivered"
    launch_services.wait_for_line("open 1")
    assert client.open("https://example.com/x").handled
    launch_services.wait_for_line("continue https://example.com/x")
    assert client.perform_quick_action("com.example.all", "new").handled
    launch_services.wait_for_line("action new New")
    client.open_application("com.example.all")
    launch_services.wait_for_line("reopen")
    documents = [launch_services.folder / name for name in ("a.txt", "b.txt")]
    for document in documents:
        document.write_text("text of " + document.stem)
    (receipt,) = client.open_documents(*documents)
    assert receipt.handled
    launch_services.wait_for_line("open a.txt text of a")
    launch_services.wait_for_line("open b.txt text of b")


def test_serves_in_an_event_loop(launch_services: World, tmp_path: Path) -> None:
    path = _write(
        tmp_path,
        """
import asyncio, threading
from launchservices import AsyncClient, Handler

class Notes(Handler):
    async def open(self, url, options):
        assert threading.current_thread() is threading.main_thread()
        async with AsyncClient() as client:
            print("may open", await client.can_open("https://example.com"), flush=True)
        if url == "note:stop":
            self.stop()
        return True

asyncio.run(Notes().serve())
""",
    )
    launch_services.install_program("com.example.notes", path, schemes=["note"])
    assert launch_services.open("note:1").handled
    launch_services.wait_for_line("may open True")
    stopped = launch_services.open("note:stop")
    assert stopped.handled
    with contextlib.suppress(launchservices.NotRunning):
        launch_services.client.wait_for_exit(stopped.pid)
    assert launch_services.open("note:2").launch == "cold"


def test_says_why_it_cannot_start(launch_services: World, tmp_path: Path) -> None:
    """A process that the daemon did not start, of no application."""
    done = launch_services.run(sys.executable, str(_write(tmp_path, NOTES)))
    assert done.returncode == 1
    assert "launchservices.errors.LaunchServicesError: org.freedesktop.DBus.Error" in done.stderr or (
        "launchservices.errors.NotRegistered" in done.stderr or "launchservices.errors.NotPermitted" in done.stderr
    ), done.stderr
    assert issubclass(launchservices.NotRegistered, LaunchServicesError)


READER = """
import os
import threading

from launchservices import Handler, UserActivity


class Reader(Handler):
    def open(self, url, options):
        match url.removeprefix("reader:"):
            case "end":
                self.current_activity = None
            case "undeclared":
                self.current_activity = UserActivity("com.example.other")
            case "text":
                try:
                    self.current_activity = "https://example.com/"
                except TypeError as error:
                    print(error, flush=True)
            case number:
                page = f"https://example.com/article/{number}"
                self.current_activity = UserActivity("com.example.reader.article", f"Chapter {number}", page)
        return True


reader = Reader()
reader.current_activity = UserActivity("com.example.reader.article", "Contents")


def follow(path):
    with open(path) as lines:
        for line in lines:
            reader.current_activity = UserActivity("com.example.reader.article", line.strip())
            print("set", line.strip(), flush=True)


if "READER_LINES" in os.environ:
    threading.Thread(target=follow, args=(os.environ["READER_LINES"],), daemon=True).start()
reader.run()
"""


def _install_reader(world: World, folder: Path, **environment: str) -> None:
    world.install_program(
        "com.example.reader",
        _write(folder, READER),
        schemes=["reader"],
        plist={"NSUserActivityTypes": ["com.example.reader.article"], "LSEnvironment": environment},
    )


def _activities(world: World) -> list[dict[str, object]]:
    (activities,) = world.client.call("Workspace1", "CurrentActivities", "a{sv}", {})
    assert isinstance(activities, list)
    return activities


def _wait_for_titles(world: World, titles: list[str]) -> None:
    """The daemon answers the handler's delivery and this client's question on two connections."""
    while [activity["title"] for activity in _activities(world)] != titles:
        time.sleep(0.01)


def test_sets_replaces_and_withdraws_its_current_activity(launch_services: World, tmp_path: Path) -> None:
    _install_reader(launch_services, tmp_path)
    launch_services.open("reader:1")
    _wait_for_titles(launch_services, ["Chapter 1"])
    assert _activities(launch_services) == [
        {
            "bundle-identifier": "com.example.reader",
            "type": "com.example.reader.article",
            "title": "Chapter 1",
            "webpage-url": "https://example.com/article/1",
        }
    ]
    launch_services.open("reader:2")
    _wait_for_titles(launch_services, ["Chapter 2"])
    launch_services.open("reader:end")
    _wait_for_titles(launch_services, [])
    launch_services.open("reader:text")
    launch_services.wait_for_line("current_activity is a UserActivity or None, not 'https://example.com/'")


def test_offers_an_activity_from_before_the_check_in_and_again_to_the_next_daemon(
    launch_services: World, tmp_path: Path
) -> None:
    lines = tmp_path / "lines"
    os.mkfifo(lines)
    _install_reader(launch_services, tmp_path, READER_LINES=str(lines))
    launch_services.client.open_application("com.example.reader")
    _wait_for_titles(launch_services, ["Contents"])
    with lines.open("w") as thread:

        def set_title(title: str) -> None:
            thread.write(title + "\n")
            thread.flush()
            launch_services.wait_for_line(f"set {title}")

        set_title("of a thread")
        _wait_for_titles(launch_services, ["of a thread"])
        launch_services.kill_daemon()
        set_title("while no daemon runs")
        launch_services.start_daemon()
        _wait_for_titles(launch_services, ["while no daemon runs"])
    assert "rejected" not in launch_services.log


def test_an_undeclared_activity_is_rejected_with_a_reason(launch_services: World, tmp_path: Path) -> None:
    _install_reader(launch_services, tmp_path)
    launch_services.open("reader:1")
    _wait_for_titles(launch_services, ["Chapter 1"])
    launch_services.open("reader:undeclared")
    launch_services.wait_for_line(
        "Launch Services rejected the current activity: com.example.reader does not declare the activity type"
    )
    assert [activity["title"] for activity in _activities(launch_services)] == ["Chapter 1"]
