"""Records that could not be read again: the smallest part is left out, the status follows."""

import copy
import math

import jsonschema
import pytest

from supervise.schema import Schema
from supervise.withhold import Unsayable, checked

from ..shared import schema, valid

SCHEMA = schema("record")


@pytest.fixture
def good(plain):
    return copy.deepcopy(plain)


def put(document, place, value):
    *above, last = place
    for step in above:
        document = document[step]
    document[last] = value


def test_a_good_record_is_left_as_it_is(good):
    assert checked(good) is good


@pytest.mark.parametrize(
    ("place", "value", "left_out"),
    [
        (("memory", "peak_rss_mib"), math.nan, ("memory", "peak_rss_mib")),
        (("timing", "synchronised_ns", 1), 0, ("timing", "synchronised_ns")),
        (("parity", "threads"), 1.5, ("parity", "threads")),
        (("parity", "a_list"), [1], ("parity", "a_list")),
        (("work", "parameters"), 0, ("work",)),
        (("warnings",), [3], ("warnings",)),
    ],
)
def test_the_smallest_part_that_may_be_nothing_is_left_out(good, place, value, left_out):
    put(good, place, value)
    found = valid(checked(good), "record")
    assert found["status"] == "ok"
    (reason,) = found["withheld"]
    assert reason.startswith(".".join(map(str, place)))
    for document in (good, found):
        document["withheld"] = None
        put(document, left_out, None)
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


@pytest.mark.parametrize(
    "place",
    [(), ("timing",), ("timing", "blocks", 0), ("monitor",), ("cell",), ("ending",), ("parity",)],
)
@pytest.mark.parametrize("value", [None, -1, 1.5, "", "x", [], {}, True, 10**40, {"steps": 1}])
def test_it_refuses_what_the_schema_refuses(good, place, value):
    """Every entry of these is replaced in turn, to compare our check with the library's."""
    part = good
    for step in place:
        part = part[step]
    for name in {*(part or {})} - {"started_at", "finished_at"}:  # it checks no dates by itself
        before, part[name] = part[name], value
        broken = next(Schema("record").violations(good), None)
        assert (broken is None) == jsonschema.Draft202012Validator(SCHEMA).is_valid(good), name
        part[name] = before
