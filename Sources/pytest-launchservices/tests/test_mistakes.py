"""Mistakes of a test that would make it pass, or fail for another reason."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_launchservices import World


@pytest.mark.parametrize(
    "ask",
    [
        lambda world, name: world.can_open("photos:1", as_=name),
        lambda world, name: world.explain("photos:1", as_=name),
        lambda world, name: world.open("photos:1", as_=name),
    ],
)
def test_an_opener_that_is_not_registered_is_an_error(
    launch_services: World, ask: Callable[[World, str], object]
) -> None:
    launch_services.install("com.example.photos", schemes=["photos"], queries=["photos"])
    with pytest.raises(ValueError, match=r"com\.example\.photo is .*; did you mean com\.example\.photos\?"):
        ask(launch_services, "com.example.photo")
    with pytest.raises(ValueError, match="install it first"):
        ask(launch_services, "xyz")
    # The case of letters does not count.
    assert ask(launch_services, "com.Example.Photos")


@pytest.mark.parametrize("parameter", ["schemes", "queries", "domains", "quick_actions"])
def test_a_text_in_place_of_a_list_is_an_error(launch_services: World, parameter: str) -> None:
    arguments: dict[str, str] = {parameter: "photos"}
    with pytest.raises(TypeError, match=rf"write {parameter}=\['photos'\]"):
        launch_services.install("com.example.photos", **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("scheme", ["photos:", "photos://", "7photos", ""])
def test_a_scheme_that_cannot_be_claimed_is_an_error(launch_services: World, scheme: str) -> None:
    with pytest.raises(ValueError, match="is not a scheme"):
        launch_services.install("com.example.photos", schemes=[scheme])
    with pytest.raises(ValueError, match="is not a scheme"):
        launch_services.install_program("com.example.photos", "photos.py", schemes=[scheme])
    with pytest.raises(ValueError, match="is not a scheme"):
        launch_services.install("com.example.photos", queries=[scheme])


def test_an_application_is_installed_once(launch_services: World) -> None:
    photos = launch_services.install("com.example.photos", schemes=["photos"])
    with pytest.raises(ValueError, match=r"com\.example\.Photos is installed in this world already"):
        launch_services.install("com.example.Photos", schemes=["photos"])
    launch_services.open("photos:1")
    assert [one.url for one in photos.received] == ["photos:1"]
    launch_services.client.unregister("com.example.photos")
    launch_services.install("com.example.photos", schemes=["photos"])
