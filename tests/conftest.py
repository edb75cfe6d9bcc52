"""What tests of several folders use, and how the tests are shared out to several workers."""

import os
from pathlib import Path

import pytest

from tests.workshop import Workshop, make_workshop

TESTS = Path(__file__).parent
PROCESSORS = sorted(os.sched_getaffinity(0))  # of all workers together
# The longest come first: no worker is to begin with one of them when the others have ended.
FIRST = ("pipeline", "test_recipes.py", "models", "test_overlays.py", "test_environments.py")


def pytest_configure(config):
    """A worker's processors are its own: what it times is not disturbed by what others do."""
    if worker := getattr(config, "workerinput", None):
        number = int(worker["workerid"].removeprefix("gw"))
        os.sched_setaffinity(0, PROCESSORS[number :: worker["workercount"]])


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """What shares a fixture stays together, on one worker."""
    if not hasattr(config, "workerinput"):
        return
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_group(item)))
    items.sort(key=_place)


def _group(item) -> str:
    if "measured" in item.fixturenames:
        return "measured"
    half = item.callspec.id if "half" in item.fixturenames else ""
    return f"{item.path.relative_to(TESTS)} {half}"


def _place(item) -> tuple[int, bool, str]:
    top = item.path.relative_to(TESTS).parts[0]
    place = FIRST.index(top) if top in FIRST else len(FIRST)
    return place, "measured" not in item.fixturenames, _group(item)


@pytest.fixture
def every_processor():
    """For a test that needs more of them than its worker has."""
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, PROCESSORS)
    yield PROCESSORS
    os.sched_setaffinity(0, own)


@pytest.fixture
def workshop(tmp_path) -> Workshop:
    return make_workshop(tmp_path)
