"""The typed models: strict, with one line about a violation, and with a published JSON schema."""

import copy
import json
from typing import Annotated, Literal

import pytest
from pydantic import Field

from millistep.contracts.base import (
    ABSENT,
    Contract,
    NoNumber,
    Omittable,
    Switch,
    Unique,
    UserFile,
    Violation,
    checked,
    schema,
    violation,
)
from millistep.contracts.published import CONTRACTS
from millistep.contracts.record import Record
from tests.planning.records import MEASURED
from tests.shared import ROOT, python, set_in

pytestmark = pytest.mark.quick
KEY = Annotated[str, Field(pattern="^[a-z]+$")]
SMALL = Annotated[int, Field(ge=0, le=99)]


class Inner(Contract):
    count: Annotated[int, Field(ge=1)]
    share: float | None = None
    note: str = ABSENT


class Sample(UserFile):
    name: KEY
    inner: list[Inner] = []  # noqa: RUF012 (pydantic copies defaults)
    switch: Switch = False
    word: Annotated[Literal["a", True], NoNumber] = "a"
    sizes: Unique[int] = Field([1], description="a list of numbers")
    either: Literal["auto"] | SMALL = Field("auto", description="a number")
    further: Omittable[str] = Field(None, description="a text")
    table: dict[KEY, int] = {}  # noqa: RUF012


LINES = [
    ({"nam": "a"}, "the top level: 'name' is missing; needed are name"),
    ({"name": "a", "x": 1}, "the top level: unknown key 'x'; allowed are either, further, inner,"),
    ({"name": "a\n"}, "name: 'a\\n' is not allowed; it must match pattern '^[a-z]+$'"),
    ({"name": 1}, "name: 1 is not allowed; it must be a valid string"),
    ({"name": "A" * 99}, f"name: '{'A' * 79}... is not allowed; "),
    ({"name": "a", "inner": {}}, "inner: {} is not allowed; it must be a valid list"),
    ({"name": "a", "inner": [{"count": True}]}, "inner.0.count: True is not allowed; it must be a"),
    ({"name": "a", "inner": [{"count": 1.0}]}, "inner.0.count: 1.0 is not allowed; it must be a"),
    ({"name": "a", "inner": [{"count": "1"}]}, "inner.0.count: '1' is not allowed; it must be a"),
    ({"name": "a", "inner": [{"count": 0}]}, "inner.0.count: 0 is not allowed; it must be greater"),
    ({"name": "a", "inner": [{"count": 1, "share": float("nan")}]}, "inner.0.share: nan is not"),
    ({"name": "a", "inner": [{"count": 1, "share": float("inf")}]}, "inner.0.share: inf is not"),
    ({"name": "a", "inner": [{"count": 1, "note": None}]}, "inner.0.note: None is not allowed"),
    ({"name": "a", "inner": [{"count": 1, "y\nz": 1}]}, "inner.0: unknown key 'y z'; allowed are"),
    ({"name": "a", "switch": 1}, "switch: 1 is not allowed; allowed are False, True"),
    ({"name": "a", "word": 1}, "word: 1 is not allowed; allowed are a, True"),
    ({"name": "a", "sizes": [2, 3, 2]}, "sizes: 2 appears twice"),
    ({"name": "a", "sizes": (2, 3)}, "sizes: (2, 3) is not allowed; a list of numbers"),
    ({"name": "a", "either": -1}, "either: -1 is not allowed; a number"),
    ({"name": "a", "either": 10**5000}, "a number has more digits than can be read"),
    ({"name": "a", "further": None}, "further: None is not allowed; a text"),
    ({"name": "a", "table": {"B": 1}}, "table: 'B' is not allowed; it must match pattern"),
    ({"name": "a", "table": {1: 1}}, "table: 1 is not allowed; it must be a valid string"),
    ([], "the top level: [] is not allowed; it must be a mapping"),
]


@pytest.mark.parametrize(("document", "line"), LINES)
def test_a_violation_is_one_line_with_place_value_and_what_is_allowed(document, line):
    with pytest.raises(Violation) as refusal:
        checked(Sample, document)
    assert str(refusal.value).startswith(line) and "\n" not in str(refusal.value)


def test_defaults_are_those_of_the_model():
    found = checked(Sample, {"name": "a", "inner": [{"count": 2}]})
    assert (found.inner[0].count, found.sizes, found.further) == (2, [1], None)


@pytest.mark.parametrize(
    ("place", "value", "line"),
    [
        (("status",), "fine", "status: 'fine' is not allowed; allowed are ok, unsupported,"),
        (("cell", "batch_size"), 0, "cell.batch_size: 0 is not allowed; it must be greater than 0"),
        (("timing", "windows", 0, "steps"), 10**10, "timing.windows.0.steps: 10000000000 is not"),
        (("timing", "extra"), 1, "timing: unknown key 'extra'; allowed are build_s, compilations,"),
        (("parity", "own"), [1], "parity.own: [1] is not allowed"),
        (("not_tried",), {"a": 1}, "not_tried: {'a': 1} is not allowed; it has none of the"),
        (("work", "parameters"), 0, "work: "),
        (("session", "id"), "0" * 13, "session.id: '0000000000000' is not allowed"),
    ],
)
def test_a_record_that_violates_its_contract_is_described(place, value, line):
    record = copy.deepcopy(MEASURED)
    assert violation(Record, record) == ""
    set_in(record, place, value)
    assert violation(Record, record).startswith(line)


@pytest.mark.parametrize("name", CONTRACTS)
def test_each_json_schema_refuses_unknown_keys(name):
    parts = [schema(CONTRACTS[name]), *schema(CONTRACTS[name]).get("$defs", {}).values()]
    open_parts = {part["title"] for part in parts if part.get("additionalProperties", {}) is True}
    assert open_parts == set()
    with_keys = [part for part in parts if "properties" in part]
    assert all("additionalProperties" in part for part in with_keys)


def test_a_command_prints_a_json_schema_with_descriptions():
    printed = json.loads(python(ROOT / "workflow", "schema", "record"))
    assert printed == schema(Record)
    about = printed["properties"]["total_s"]["description"]
    assert about.startswith("Wall-clock seconds of the whole run")
