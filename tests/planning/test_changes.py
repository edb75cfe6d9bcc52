"""Which runs have to be measured, by what their records say."""

import json
from types import SimpleNamespace

import pytest

from planning.changes import MISSING, why
from supervise.record import RecordFile

from .records import record_text

IDENTITY = json.dumps({"model": "bert", "title": 'a "quoted"\n name'}, sort_keys=True)
RUN = SimpleNamespace(record="run1.json", identity=IDENTITY)


@pytest.fixture
def record(tmp_path, monkeypatch):
    """``record(**entries)``: a record in the format in which one is written."""
    monkeypatch.setattr("supervise.record.checked", dict)

    def written(**entries):
        found = json.loads(record_text(**entries))
        RecordFile(tmp_path / RUN.record).write_new({**found, "status": "ok"})
        return tmp_path / RUN.record

    return written


def test_a_record_as_it_is_written_is_as_planned_and_need_not_be_read(
    record, tmp_path, monkeypatch
):
    assert why(RUN, tmp_path) == MISSING
    record(identity=IDENTITY, not_tried=None)
    with monkeypatch.context() as patched:
        patched.delattr("planning.changes.json.loads")
        assert why(RUN, tmp_path) is None


def test_the_same_record_written_otherwise_is_as_planned_too(record, tmp_path):
    file = record(identity=IDENTITY, not_tried=None)
    file.write_text(json.dumps(json.loads(file.read_text())))
    assert why(RUN, tmp_path) is None
