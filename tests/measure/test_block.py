"""The runs of a block are one session."""

import dataclasses
import hashlib
import os
from pathlib import Path

import pytest

from supervise import sitting

from .block_kit import FILE, RECORDS, block, columns, measure, record, sessions
from .conftest import identity

pytestmark = pytest.mark.usefixtures("block_folder")


def test_a_block_is_one_session_and_what_is_there_is_not_measured_again():
    measure(block())
    (first,) = sessions()
    assert (first["ended"], columns(first)) == ("done", ["one", "two", "three"])
    for column in columns(first):
        found = record(column)
        assert found["status"] == "ok"
        assert found["session"] == {
            **{name: first[name] for name in ("id", "node", "device", "slot", "slots", "attempt")},
            "neighbours": 0,
            "start": hashlib.sha256(os.environ[sitting.SITTING].encode()).hexdigest()[:12],
        }
    assert first["canaries"]["cpu"]["before"]["finished_at"] <= record("one")["started_at"]
    assert first["canaries"]["cpu"]["after"]["started_at"] >= record("three")["finished_at"]
    assert Path(f"results/machines/{first['node']}.json").exists()
    assert Path("results/.salt").stat().st_mode & 0o077 == 0
    assert not list(FILE.parent.rglob(".*"))

    before = record("one")
    measure(block())
    assert len(sessions()) == 1

    Path(RECORDS, "two/run1.json").unlink()
    changed = block(one={}, two={}, three={"step_ms": 2.0})
    measure(changed)
    earlier, last = sessions()
    assert columns(last) == ["two", "three"]
    assert record("one") == before
    assert record("two")["session"]["id"] == last["id"] != earlier["id"]
    assert earlier == first


def test_a_refused_run_costs_no_other_and_is_said(capfd):
    lost = dataclasses.replace(
        block().runs[0], identity=identity(threads=10_000), path=f"{RECORDS}/lost/run1.json"
    )
    session = measure(dataclasses.replace(block(), runs=(lost, *block().runs)))
    assert session.refused == 1 and record("three")["status"] == "ok"
    assert "lost/run1.json: planned for 10000 threads" in capfd.readouterr().err
