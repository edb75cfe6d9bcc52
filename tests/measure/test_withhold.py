"""Records that could not be read again: the smallest part is left out, the status follows."""

import copy
import json
import math
from pathlib import Path

import jsonschema
import pytest
from analysis.formats.errors import InputError
from analysis.formats.strict_json import parse_json, validate

from supervise import schema as checker
from supervise.schema import Schema
from supervise.withhold import Unsayable, checked

from ..shared import schema, set_in, valid

SCHEMA = schema("record")


@pytest.fixture
def good(plain):
    return copy.deepcopy(plain)


def test_a_good_record_is_left_as_it_is(good):
    assert checked(good) is good
    good["cell"]["column"] = "a"  # as short as it may be
    assert checked(good) is good


@pytest.mark.parametrize(
    ("place", "value", "left_out"),
    [
        (("memory", "peak_rss_mib"), math.nan, ("memory", "peak_rss_mib")),
        (("timing", "synchronised_ns", 1), 0, ("timing", "synchronised_ns")),
        (("parity", "threads"), 1.5, ("parity", "threads")),
        (("parity", "a_list"), [1], ("parity", "a_list")),
        (("work", "parameters"), 0, ("work",)),
        (("parity", "a_number"), -3.4e38, ("parity", "a_number")),
        (("work", "flops_per_step"), 1e30, ("work", "flops_per_step")),
        (("host_overhead", "pairs"), [], ("host_overhead",)),
        (("warnings",), [3], ("warnings",)),
    ],
)
def test_the_smallest_part_that_may_be_nothing_is_left_out(good, place, value, left_out):
    set_in(good, place, value)
    found = valid(checked(good), "record")
    assert found["status"] == "ok"
    (reason,) = found["withheld"]
    assert reason.startswith(".".join(map(str, place)))
    for document in (good, found):
        document["withheld"] = None
        set_in(document, left_out, None)
    assert found == good


@pytest.mark.parametrize("elapsed_ns", [0, -5, 1e308, 10**30, "long"])
def test_a_run_without_times_that_can_be_said_is_an_error(good, elapsed_ns):
    good["timing"]["blocks"][0]["elapsed_ns"] = elapsed_ns
    found = checked(good)
    jsonschema.validate(found, SCHEMA)
    assert (found["status"], found["timing"]["blocks"]) == ("error", [])
    assert found["reason"].startswith("its times are none: timing.blocks.0.elapsed_ns: ")


def test_what_is_no_record_at_all_is_refused(good):
    good["cell"]["batch_size"] = "many"
    with pytest.raises(Unsayable, match=r"cell\.batch_size: 'many' is not of type integer"):
        checked(good)


PLACES = [(), ("timing",), ("timing", "blocks", 0), ("monitor",), ("cell",), ("ending",)]
PLACES += [("parity",), ("work",), ("host_overhead",), ("session",)]
PARTS = {
    "session": {"id": 12 * "0", "node": 8 * "0", "device": None, "slot": 0, "slots": 1}
    | {"attempt": 1, "neighbours": None, "start": 12 * "0"},
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("value", [None, -1, 1.5, "", "x", [], {}, True, 10**40, {"steps": 1}])
def test_it_refuses_what_is_refused_where_records_are_read(good, place, value):
    """Every entry of these is replaced in turn."""
    good |= PARTS
    part = good
    for step in place:
        part = part[step]
    for name in {*(part or {})}:
        before, part[name] = part[name], value
        broken = next(Schema("record").violations(good), None)
        assert (broken is None) == is_read(good), name
        part[name] = before


def is_read(record):
    try:
        validate(parse_json(json.dumps(record).encode(), "a"), "record", "a")
    except InputError:
        return False
    return True


def test_it_knows_every_keyword_that_the_schema_uses():
    code = Path(checker.__file__).read_text()
    words = {"$schema", "title", "description", "$defs"}
    assert [name for name in keywords(SCHEMA) - words if f'"{name}"' not in code] == []


def keywords(part):
    found = {*part}
    for name in ("properties", "$defs"):
        found |= {word for each in part.get(name, {}).values() for word in keywords(each)}
    others = part.get("additionalProperties")
    for each in (*part.get("anyOf", []), part.get("items"), others):
        found |= keywords(each) if isinstance(each, dict) else set()
    return found
