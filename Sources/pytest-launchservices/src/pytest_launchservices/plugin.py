"""The plugin of pytest. What is heavy is imported when a fixture is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .application import Application
    from .world import World

_WORLD = pytest.StashKey["World"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The settings of the file of settings."""
    parser.addini("launchservices_daemon_options", "Options of launchservicesd in each world.", type="args", default=[])


@pytest.fixture
def launch_services_has_bus() -> bool | None:
    """Whether the world has a message bus; None if ``dbus-daemon`` is installed. Replace this fixture for tests of an
    application that must work with and without a bus."""
    return None


@pytest.fixture
def launch_services(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, launch_services_has_bus: bool | None
) -> Iterator[World]:
    """A message bus, a daemon and folders of this test's own; see ``pytest_launchservices.World``.

    During the test, the bus of this process and of programs that the test starts is that of the world.
    """
    from .world import World

    options = request.config.getini("launchservices_daemon_options")
    with World(daemon_options=options, has_bus=launch_services_has_bus) as world:
        for name in ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"):
            monkeypatch.setenv(name, world.environment[name])
        request.node.stash[_WORLD] = world
        yield world


@pytest.fixture
def launch_services_application(launch_services: World) -> Callable[..., Application]:
    """Registers simulated applications; see ``World.install``."""
    return launch_services.install


@pytest.fixture
def launch_services_handler(launch_services: World) -> Callable[..., str]:
    """Registers real handlers, such as a Python file; see ``World.install_program``."""
    return launch_services.install_program


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """Adds the log of the daemon to the report of a test that failed."""
    report: pytest.TestReport = yield
    world = item.stash.get(_WORLD, None)
    if world is not None and report.when == "call" and report.failed and world.log:
        report.sections.append(("Captured launchservicesd log", world.log))
    return report
