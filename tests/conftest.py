"""Fixtures of several folders of tests, and how tests are shared out to several workers."""

import os
import shutil
import sys
import tempfile

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from millistep.supervise import device, variables
from tests.measure import nvml
from tests.workshop import Workshop, make_workshop

settings.register_profile("millistep", deadline=None)  # nothing depends on the machine's speed
settings.load_profile("millistep")

# No test depends on variables of the user's that frameworks read. LD_LIBRARY_PATH stays: a Python
# may not start without it.
for name in {*variables.left_out(os.environ, {})} - {"LD_LIBRARY_PATH"}:
    del os.environ[name]
os.environ.pop("CONDA_PREFIX", None)
os.environ["MILLISTEP_LOCKS"] = tempfile.gettempdir()  # that tests wait for no measurement

PROCESSORS = sorted(os.sched_getaffinity(0))  # of all workers together
# Share the project that tests/pipeline/conftest.py measures.
MEASURED = [f"pipeline/test_{name}.py" for name in ("bad_input", "rerun", "six_columns")]
MEASURED += ["pipeline/test_all_models.py[bert]"]
# The tests of one parameter share a fixture of their own.
SPLIT = "pipeline/test_all_models.py", "zoo/", "cheats/"
LONGEST = "measured", "pipeline/test_all_models.py"
# No framework, no browser, no environment that has to be made: `make quick`.
QUICK = "planning", "report", "test_statuses.py", "test_definitions.py", "test_layers.py"
# The first of these tests pays for what others share, which a busy machine makes slow.
SHARING = "pipeline/", "models/", "gpu_stand_in/"
# The longest come first: no worker is to begin with one of them when the others have ended.
FIRST = (
    *("pipeline", "models", "cluster", "zoo", "studies", "test_recipes.py", "gpu_stand_in"),
    *("cheats", "test_environments.py", "test_overlays.py", "test_snakemake.py", "measure"),
    "test_pages.py",
)


def pytest_configure(config):
    """Give each worker its own CPUs and its own lock of the machine: workers measure at once."""
    if worker := getattr(config, "workerinput", None):
        number = int(worker["workerid"].removeprefix("gw"))
        os.sched_setaffinity(0, PROCESSORS[number :: worker["workercount"]])
        tempfile.tempdir = tempfile.mkdtemp(prefix="millistep-tests-")
        config.add_cleanup(lambda: shutil.rmtree(tempfile.tempdir, ignore_errors=True))
        os.environ["TMPDIR"] = os.environ["MILLISTEP_LOCKS"] = tempfile.tempdir


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    for item in items:
        path = _path(item.nodeid)
        if path.startswith(QUICK):
            item.add_marker(pytest.mark.quick)
        if path.startswith(SHARING):
            item.add_marker(pytest.mark.timeout(2400))
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: _place(item.nodeid))


def pytest_xdist_make_scheduler(config, log):
    """Keep tests that share a fixture on one worker."""
    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = _group
    return scheduler


def _path(nodeid: str) -> str:
    """Path of a test's file, below tests."""
    return nodeid.removeprefix("tests/").partition("::")[0]


def _group(nodeid: str) -> str:
    path = _path(nodeid)
    if path.startswith(SPLIT):
        path += "[" + nodeid.partition("[")[2]
    if path.startswith("models/"):
        return "models"  # which share processes of frameworks
    return "measured" if path in MEASURED else path


def _place(nodeid: str) -> tuple[int, bool, str]:
    top, group = _path(nodeid).partition("/")[0], _group(nodeid)
    place = FIRST.index(top) if top in FIRST else len(FIRST)
    return place, not group.startswith(LONGEST), group


@pytest.fixture
def every_processor():
    """All processors, for a test that needs more of them than its worker has."""
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, PROCESSORS)
    yield PROCESSORS
    os.sched_setaffinity(0, own)


@pytest.fixture
def gpus(monkeypatch):
    """``gpus(*models, ...)``: give this process GPUs, its children see none.

    visible: CUDA_VISIBLE_DEVICES, or None.
    """

    def installed(*models, visible=None, pci=False, **more):
        monkeypatch.setitem(sys.modules, "pynvml", nvml.driver(models, **more))
        device.gpus.cache_clear()
        order = "PCI_BUS_ID" if pci else None
        for name, value in (("CUDA_VISIBLE_DEVICES", visible), ("CUDA_DEVICE_ORDER", order)):
            monkeypatch.delenv(name, raising=False)
            if value is not None:
                monkeypatch.setenv(name, value)

    yield installed
    device.gpus.cache_clear()


@pytest.fixture
def workshop(tmp_path) -> Workshop:
    return make_workshop(tmp_path)


@pytest.fixture(scope="module")
def deployed(tmp_path_factory) -> Workshop:
    """A workshop whose locked environment is deployed; ``first``: what was said."""
    workshop = make_workshop(tmp_path_factory.mktemp("deployed"))
    assert workshop.run() == (0, [])
    workshop.first = workshop.progress
    return workshop
