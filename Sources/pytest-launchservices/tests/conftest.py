"""All tests with a world run in a world with a message bus, and in a world without one."""

from __future__ import annotations

import pytest


@pytest.fixture(params=[True, False], ids=["bus", "no-bus"])
def launch_services_has_bus(request: pytest.FixtureRequest) -> bool:
    assert isinstance(request.param, bool)
    return request.param
