"""What measuring and analysing agree on: one list of statuses, and words that are made anew."""

import json
import re
import signal
from dataclasses import asdict
from pathlib import Path

import pytest

from contract import ending
from contract.ending import STATUSES, Ending, of_control, of_probes, of_process, of_restart

ROOT = Path(__file__).resolve().parents[1]


def statuses(schema: str) -> list[str]:
    found = json.loads((ROOT / f"workflow/schemas/{schema}.schema.json").read_text())
    of_block = found.get("$defs", {}).get("canary")  # a block has none but its canaries'
    return (of_block or found)["properties"]["status"]["enum"]


def test_the_record_and_the_docs_have_the_statuses_of_the_code():
    assert statuses("record") == list(STATUSES)
    text = (ROOT / "docs/reading_the_report.md").read_text()
    listed = text.partition("\n## A cell without a number\n")[2].partition("\n## ")[0]
    of_tables = ["stale", "not measured", "not planned"]
    found = re.findall(r"^\| `([^`]+)`", listed, re.MULTILINE)
    assert found == [*(status for status in STATUSES if status != "ok"), *of_tables]


@pytest.mark.parametrize("schema", ["block", "self_test"])
def test_controls_have_no_status_of_their_own(schema):
    assert set(statuses(schema)) <= set(STATUSES)


def test_every_ending_has_one_of_the_statuses():
    endings = [
        Ending(done=True, exit_code=0),
        *(Ending(done=False, exit_code=code) for code in (0, 3, -9, -11, -signal.SIGRTMIN - 1)),
        Ending(done=False, exit_code=-9, kernel_killed_for_memory=True),
        Ending(done=False, exit_code=-9, timed_out_after_s=1.5),
        Ending(done=False, exit_code=-9, memory_over_mib={"used": 2.0, "limit": 1.0}),
        *(
            Ending(done=False, exit_code=1, failure={"type": kind, "message": message})
            for kind in ("MemoryError", "WrongDevice", "ModuleNotFoundError", "ValueError")
            for message in ("", "words\nand more", *ending.NO_DEVICE_WORDS)
        ),
    ]
    found = [of_process(seen) for seen in endings]
    assert {status for status, _ in found} <= set(STATUSES)
    assert [bool(reason) for _, reason in found] == [status != "ok" for status, _ in found]
    assert all("\n" not in reason for _, reason in found)


KILLED = Ending(done=False, exit_code=-signal.SIGKILL)


@pytest.mark.parametrize(
    ("facts", "status", "reason"),
    [
        ({"ending": None, "refused": None}, "killed", ending.WHOLE_JOB_KILLED),
        ({"ending": None, "refused": "not here"}, "error", "not here"),
        ({"ending": asdict(KILLED), "refused": None}, "killed", "ended from outside by SIGKILL"),
        ({"ending": asdict(Ending(done=True, exit_code=0)), "refused": None}, "ok", ""),
        ({}, "timeout", "in the words of an older day"),
    ],
)
def test_a_control_is_worded_from_its_facts_and_an_older_one_as_it_was(facts, status, reason):
    data = {"status": "timeout", "reason": "in the words of an older day", **facts}
    assert of_control(data) == (status, reason)


def test_restarts_and_probes_are_worded_from_their_facts_and_older_ones_as_they_were():
    assert of_restart(None) is None
    assert of_restart(1) == "a compilation fell into the timed window"
    assert of_restart("3 compilations fell") == "3 compilations fell"
    failed = [
        None,
        "an older sentence",
        {"type": "MemoryError", "message": "\nfull\nto the brim"},
        {"type": ending.PROCESS_ENDED, "message": ""},
    ]
    record = {"probes": [{"failed": f} for f in failed], "ending": asdict(KILLED)}
    assert of_probes(record) == [
        "an older sentence",
        "MemoryError: full",
        "ended from outside by SIGKILL",
    ]
