"""Simulated applications, and the questions and opens of a test."""

from __future__ import annotations

import json
import plistlib
import threading
from pathlib import Path

import pytest

import launchservices
from launchservices import Client, Refused
from pytest_launchservices import Received, World


def test_a_launch_method_that_returns_false_refuses_the_url(launch_services: World) -> None:
    photos = launch_services.install("com.example.photos", schemes=["photos"], did_finish_launching=False)
    assert launch_services.open("photos:1").delivery == "vetoed"
    assert photos.received == []
    # The application runs, and receives the next URL.
    assert launch_services.open("photos:2").launch == "warm"
    assert photos.urls == ["photos:2"]


def test_a_scene_application_is_called_as_on_ios(launch_services: World) -> None:
    photos = launch_services.install("com.example.photos", schemes=["photos"], scenes=True)
    launch_services.open("photos:1")
    launch_services.open("photos:2")
    assert [(one.url, one.callback, one.launch) for one in photos.received] == [
        ("photos:1", "willConnectTo", "cold"),
        ("photos:2", "openURLContexts", "warm"),
    ]


def test_a_universal_link_opens_in_the_application_of_the_domain(launch_services: World) -> None:
    shop = launch_services.install(
        "com.example.shop", team="EXAMPLE123", sdk="macosx26.0", domains=["applinks:example.com"]
    )
    launch_services.associate(
        "example.com",
        {"applinks": {"details": [{"appIDs": ["EXAMPLE123.com.example.shop"], "components": [{"/": "/buy/*"}]}]}},
    )
    launch_services.open("https://example.com/buy/1")
    assert [(one.url, one.callback) for one in shop.received] == [("https://example.com/buy/1", "continue")]
    with pytest.raises(launchservices.ApplicationNotFound):
        launch_services.open("https://example.com/help", universal_links_only=True)


@pytest.mark.parametrize("form", ["mapping", "bytes", "text path", "path"])
def test_an_association_is_a_mapping_bytes_or_a_file(launch_services: World, tmp_path: Path, form: str) -> None:
    shop = launch_services.install(
        "com.example.shop", team="EXAMPLE123", sdk="macosx26.0", domains=["applinks:example.com"]
    )
    contents = {"applinks": {"details": [{"appIDs": ["EXAMPLE123.com.example.shop"], "components": [{"/": "/buy"}]}]}}
    path = tmp_path / "apple-app-site-association"
    path.write_text(json.dumps(contents))
    match form:
        case "mapping":
            launch_services.associate("example.com", contents)
        case "bytes":
            launch_services.associate("example.com", path.read_bytes())
        case "text path":
            launch_services.associate("example.com", str(path))
        case _:
            launch_services.associate("example.com", path)
    launch_services.open("https://example.com/buy")
    assert shop.urls == ["https://example.com/buy"]


def test_a_quick_action_arrives_as_such(launch_services: World) -> None:
    notes = launch_services.install("com.example.notes", quick_actions=["new"])
    receipt = launch_services.client.perform_quick_action("com.example.notes", "new")
    assert receipt.handled
    assert [(one.url, one.callback, one.launch) for one in notes.received] == [("new", "performActionFor", "cold")]


def test_documents_arrive_together(launch_services: World) -> None:
    viewer = launch_services.install(
        "com.example.viewer",
        sdk="macosx26.0",
        plist={"CFBundleDocumentTypes": [{"CFBundleTypeRole": "Viewer", "LSItemContentTypes": ["public.plain-text"]}]},
    )
    paths = [launch_services.folder / name for name in ("a.txt", "b.txt")]
    for path in paths:
        path.write_text("text")
    (receipt,) = launch_services.client.open_documents(*paths)
    assert receipt.documents == tuple(path.as_uri() for path in paths)
    assert [one.callback for one in viewer.received] == ["application:openURLs"] * 2


def test_the_answer_of_an_application_is_a_value_or_a_function(launch_services: World) -> None:
    def answer(received: Received) -> bool:
        if received.url == "photos:bad":
            raise Refused("there is no such album")
        return received.url == "photos:good"

    launch_services.install("com.example.photos", schemes=["photos"], answer=answer)
    assert launch_services.open("photos:good").handled
    assert not launch_services.open("photos:other").handled
    with pytest.raises(launchservices.HandlerRefused, match="there is no such album"):
        launch_services.open("photos:bad")


def test_an_opener_of_the_same_team_is_named(launch_services: World) -> None:
    photos = launch_services.install("com.example.photos", schemes=["photos"], team="EXAMPLE123")
    launch_services.install("com.example.maps", schemes=["maps"], team="EXAMPLE123")
    launch_services.client.approve("photos", "com.example.photos")
    launch_services.open("photos:1", as_="com.example.maps", annotation={"page": 7, "tags": ["a", b"b"]})
    assert photos.received[0].source_application == "com.example.maps"


def test_an_application_that_was_killed_is_started_again(launch_services: World) -> None:
    photos = launch_services.install("com.example.photos", schemes=["photos"])
    launch_services.open("photos:1")
    photos.kill()
    assert launch_services.open("photos:2").launch == "cold"
    assert len(set(photos.launches)) == 2


def test_an_application_outlives_the_daemon(launch_services: World) -> None:
    photos = launch_services.install("com.example.photos", schemes=["photos"])
    first = launch_services.open("photos:1")
    launch_services.restart_daemon()
    second = launch_services.open("photos:2")
    assert (second.launch, second.pid) == ("warm", first.pid)
    launch_services.kill_daemon()
    launch_services.start_daemon()
    third = launch_services.open("photos:3")
    assert (third.launch, third.pid) == ("warm", first.pid)
    assert photos.urls == ["photos:1", "photos:2", "photos:3"]


def test_an_open_that_a_killed_daemon_did_not_answer_is_not_delivered_twice(launch_services: World) -> None:
    arrived, go_on = threading.Event(), threading.Event()

    def answer(received: Received) -> bool:
        arrived.set()
        return go_on.wait(30)

    photos = launch_services.install("com.example.photos", schemes=["photos"], answer=answer)
    receipts: list[launchservices.Receipt] = []
    opener = threading.Thread(target=lambda: receipts.append(launch_services.open("photos:1")))
    opener.start()
    assert arrived.wait(30)
    launch_services.kill_daemon()
    go_on.set()
    launch_services.start_daemon()
    opener.join(60)
    assert [receipt.delivery for receipt in receipts] == ["delivered"]
    assert photos.urls == ["photos:1"]


def test_the_property_list_of_a_real_application_is_simulated(launch_services: World, tmp_path: Path) -> None:
    plist, entitlements = tmp_path / "Info.plist", tmp_path / "App.entitlements"
    plist.write_bytes(
        plistlib.dumps(
            {
                "CFBundleIdentifier": "$(PRODUCT_BUNDLE_IDENTIFIER)",
                "CFBundleExecutable": "$(EXECUTABLE_NAME)",
                "CFBundleURLTypes": [{"CFBundleURLSchemes": ["shop"]}],
            }
        )
    )
    entitlements.write_bytes(plistlib.dumps({"com.apple.developer.associated-domains": ["applinks:example.com"]}))
    shop = launch_services.simulate(
        plist,
        define={"PRODUCT_BUNDLE_IDENTIFIER": "com.example.shop"},
        entitlements=entitlements,
        team="EXAMPLE123",
    )
    assert shop.identifier == "com.example.shop"
    assert launch_services.open("shop:1").handled
    links = json.loads(launch_services.run("lsregister", "links", "--json").stdout or "[]")
    assert "example.com" in json.dumps(links)


def test_questions_about_the_registry(launch_services: World) -> None:
    launch_services.install("com.example.a", schemes=["shared"])
    launch_services.install("com.example.b", schemes=["shared"])
    client = launch_services.client
    assert set(client.handlers("shared")) == {"com.example.a", "com.example.b"}
    client.set_default_handler("shared", "com.example.a")
    assert launch_services.explain("shared:1").handler == "com.example.a"
    client.unregister("com.example.a")
    assert "com.example.a" not in client.applications()
    assert "com.example.b" in str(launch_services.explain("shared:1"))
    assert client.call("Registry1", "DefaultHandler", "s", "shared") == ("com.example.b",)


def test_the_problems_of_a_property_list(launch_services: World, tmp_path: Path) -> None:
    plist = tmp_path / "Info.plist"
    plist.write_bytes(
        plistlib.dumps(
            {"CFBundleIdentifier": "com.example.a", "CFBundleURLTypes": [{"CFBundleURLSchemes": ["myapp://"]}]}
        )
    )
    problems = launch_services.client.lint(plist)
    assert any("myapp" in problem.problem for problem in problems)


def test_an_explanation_has_a_word_for_why_the_answer_is_no(launch_services: World) -> None:
    launch_services.install("com.example.photos", schemes=["photos"])
    launch_services.install("com.example.maps", queries=["nobody"])
    for url, code in (("photos:1", "not-listed"), ("nobody:1", "no-application"), ("http://a", None)):
        assert launch_services.explain(url, as_="com.example.maps").can_open_code == code


def test_errors_have_classes(launch_services: World) -> None:
    with pytest.raises(launchservices.ApplicationNotFound) as caught:
        launch_services.open("nobody:1")
    assert caught.value.name == "ApplicationNotFound"
    with pytest.raises(launchservices.NotRegistered):
        launch_services.client.unregister("com.example.nobody")
    with pytest.raises(TypeError, match="no option colour"):
        launch_services.open("photos:1", colour="red")  # type: ignore[call-arg]


def test_the_environment_of_the_test_is_that_of_the_world(launch_services: World) -> None:
    photos = launch_services.install("com.example.photos", schemes=["photos"])
    with Client() as client:
        client.open("photos:1")
    done = launch_services.run("lsopen", "photos:2")
    assert (done.returncode, done.stderr) == (0, "")
    assert photos.urls == ["photos:1", "photos:2"]


async def _open_both(world: World) -> list[launchservices.Receipt]:
    import asyncio

    async with world.async_client() as client:
        assert await client.can_open("photos:", as_="com.example.maps")
        with pytest.raises(launchservices.ApplicationNotFound):
            await client.open("nobody:1")
        return list(await asyncio.gather(client.open("photos:1"), client.open("maps:1")))


def test_asyncio(launch_services: World) -> None:
    import asyncio

    both = threading.Barrier(2)
    applications = [
        # Each waits for the other, so that the two opens must run side by side.
        launch_services.install(
            f"com.example.{name}", schemes=[name], queries=["photos"], answer=lambda _: both.wait(30) >= 0
        )
        for name in ("photos", "maps")
    ]
    receipts = asyncio.run(_open_both(launch_services))
    assert [receipt.launch for receipt in receipts] == ["cold", "cold"]
    assert [application.urls for application in applications] == [["photos:1"], ["maps:1"]]


def test_schemes_of_the_system_are_those_of_its_applications(launch_services: World) -> None:
    dialler = launch_services.install("com.example.dialler", schemes=["tel", "dialler"], queries=["mailto"])
    phone = launch_services.system_application("Phone")
    receipt = launch_services.open("tel:+15550100")
    assert (receipt.handler, receipt.launch, receipt.handled) == (phone.identifier, "cold", True)
    assert (phone.urls, dialler.urls) == (["tel:+15550100"], [])
    assert launch_services.open("dialler:1").handler == dialler.identifier
    assert launch_services.can_open("mailto:a@example.com", as_=dialler.identifier)
