"""The example of a handler without a library, which many copy: Examples/python-handler."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[3] / "Examples/python-handler"
PYTHON = "/usr/bin/python3"
"""The interpreter with the packages python3-dbus and python3-gi of the system."""

_HAS_PACKAGES = (
    Path(PYTHON).exists() and subprocess.run([PYTHON, "-c", "import dbus, gi"], capture_output=True).returncode == 0
)

_CALLS = """
import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import handler


class Application(handler.Application):
    def __init__(self):
        self.daemon = ":1.1"
        self.answers = {}
        self.heard = []

    def open(self, url, options):
        self.heard.append(url)
        if url == "note:refused":
            raise ValueError("not a note")
        return url != "note:"


application = Application()


def call(request, *urls, repeated=False):
    try:
        options = {"request": request, "repeated": True} if repeated else {"request": request}
        return list(map(bool, application.OpenURLs([(url, options) for url in urls], sender=":1.1")))
    except handler.dbus.DBusException as error:
        return error.get_dbus_name(), error.get_dbus_message()

"""


def _run(calls: str) -> None:
    done = subprocess.run(
        [PYTHON, "-c", _CALLS + calls, str(EXAMPLE)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


needs_packages = pytest.mark.skipif(not _HAS_PACKAGES, reason="needs the packages python3-dbus and python3-gi")


@needs_packages
def test_remembers_the_last_10000_requests() -> None:
    _run("""
for request in range(10_001):
    call(request, "note:1")
application.heard.clear()
assert call(1, "note:1", repeated=True) == [True]
assert application.heard == [], application.heard
assert call(0, "note:1", repeated=True) == [True]
assert application.heard == ["note:1"], application.heard
""")


@needs_packages
def test_remembers_a_refusal() -> None:
    _run("""
first = call(1, "note:refused")
assert first == ("org.freedesktop.DBus.Error.Failed", "ValueError: not a note"), first
assert call(1, "note:refused", repeated=True) == first
assert application.heard == ["note:refused"], application.heard
""")


@needs_packages
def test_opens_all_documents_of_a_repeated_request_that_never_arrived() -> None:
    _run("""
for _ in range(2):
    answers = call(1, "note:1", "note:", "note:2", repeated=True)
    assert answers == [True, False, True], answers
assert application.heard == ["note:1", "note:", "note:2"], application.heard
""")
