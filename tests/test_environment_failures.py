"""When deploying fails, one line names the likely cause."""

import socket

import pytest

from deploy.causes import cause
from tests.workshop import Workshop


def closed_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def no_index(workshop: Workshop) -> None:
    del workshop.environ["PIP_NO_INDEX"], workshop.environ["PIP_FIND_LINKS"]
    workshop.environ["PIP_INDEX_URL"] = f"http://127.0.0.1:{closed_port()}/simple"


def other_wheel(workshop: Workshop) -> None:
    with open(next((workshop.folder / "wheels").iterdir()), "ab") as wheel:
        wheel.write(b"\0")


@pytest.mark.parametrize(
    "spoil, cause",
    [
        (no_index, "the package index cannot be reached"),
        (other_wheel, "a downloaded file is not the one that was locked"),
    ],
)
def test_the_likely_cause_is_named(workshop, spoil, cause):
    spoil(workshop)
    code, message = workshop.run()
    assert code == 1
    log = f"{workshop.prefix}.log"
    assert message[0] == f"tiny: could not create {workshop.prefix.name}: {cause}; the log is {log}"
    assert len(message) > 1
    assert not workshop.has_marker()


def test_a_disk_that_is_too_small_is_named_before_anything_is_downloaded(workshop):
    sizes = workshop.definition.parent.with_name("sizes.json")
    sizes.write_text('{"cpu": {"tiny": 1e9}}')
    code, message = workshop.run()
    assert code == 1 and len(message) == 1
    cache = workshop.folder / "cache" / "envs"
    assert message[0].startswith(f"tiny: tiny needs up to 1e+09 GB in {cache}, ")
    assert workshop.runs() == 0 and not workshop.prefix.exists()
    sizes.write_text('{"cpu": {"tiny": 0.001}}')
    assert workshop.run() == (0, [])
    assert "tiny (cpu, up to 0.001 GB)" in workshop.progress[0]


def test_what_fails_is_tried_once_per_start(workshop):
    wheels = workshop.folder / "wheels"
    hidden = wheels.rename(workshop.folder / "hidden")
    workshop.environ["MILLISTEP_START"] = "1"
    code, message = workshop.run()
    assert code == 1 and len(message) > 1
    assert "the package index does not have tiny-thing==1.0" in message[0]
    assert workshop.run() == (1, message[:1]) and workshop.runs() == 1
    assert workshop.progress == []
    hidden.rename(wheels)
    assert workshop.run() == (1, message[:1])
    workshop.environ["MILLISTEP_START"] = "2"
    assert workshop.run() == (0, []) and workshop.has_marker()
    (workshop.folder / "marker.json").unlink()
    workshop.environ["MILLISTEP_START"] = "1"
    assert workshop.run() == (0, []), "a failure outlived the success after it"


RETRYING = "WARNING: Retrying after connection broken by 'NewConnectionError('[Errno -2] Name or "
RETRYING += "service not known')': {}"
NOTHING = """ERROR: Could not find a version that satisfies the requirement {0} (from versions: {1})
ERROR: No matching distribution found for {0}"""
NO_ABSL, NO_TORCH = NOTHING.format("absl-py==9", "none"), NOTHING.format("torch==9", "1.0, 2.0")
# The lock's page of wheels cannot be reached, the index can.
PAGE = RETRYING.format("/whl/cpu/torch/")


@pytest.mark.parametrize(
    "log, words, passing",
    [
        ("[Errno -3] Temporary failure in name resolution", "there is no network", True),
        ("cat: write error: No space left on device", "the disk is full", True),
        (PAGE + NO_ABSL, "does not have absl-py==9", False),
        (PAGE + NO_TORCH, "does not have torch==9", False),
        (RETRYING.format("/simple/absl-py/\n") + NO_ABSL, "no network", True),
        ("early\nERROR: Invalid requirement: x\n", "command failed: Invalid requirement", False),
    ],
)
def test_a_lack_of_network_or_room_is_told_from_a_version_that_is_not_there(log, words, passing):
    said, may_pass = cause(log)
    assert words in said and may_pass == passing
