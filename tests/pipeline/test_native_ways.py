"""Operations in several ways, from the configuration to the records: one of them made wrong."""

import json

import jsonschema
import pytest

from .conftest import ROOT, checkout

WAYS = ("framework", "native", "callback")
CONFIG = {
    "scale": "smoke",
    "accelerator": "cpu",
    "threads": 1,
    "models": {"snake_net": {"fit": "default"}, "aligner": {"predict": "default"}},
    "columns": [{"framework": "pytorch-eager", "way": way} for way in WAYS],
}


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """With a wrong sign in the gradient of Snake."""
    project = checkout(tmp_path_factory.mktemp("native"))
    (project.folder / "config/config.yaml").write_text(json.dumps(CONFIG))
    header = "workflow/measure/native/operations.h"
    project.edit(header, "1.0f + sinf(2.0f * a * x[i])", "1.0f - sinf(2.0f * a * x[i])")
    project.measure()
    return project


@pytest.fixture(scope="module")
def records(measured):
    """By model and way."""
    found = (json.loads(content) for content in measured.records().values())
    return {(r["cell"]["model"], json.loads(r["identity"])["way"]): r for r in found}


def test_right_ways_have_a_time_and_what_they_cost(records):
    schema = json.loads((ROOT / "workflow/schemas/record.schema.json").read_text())
    for way in WAYS:
        record = records["aligner", way]
        jsonschema.validate(record, schema)
        assert (record["status"], record["reason"]) == ("ok", "")
        assert record["work"]["parameters"] == 0 and record["parity"]["dtype"] == "float32"
        found = record["operation"]
        assert found["agreement"]["outputs"]["largest_difference"] == 0
        assert found["alone_ns"]
        assert (found["build"] is None) == (way == "framework")


def test_the_gradient_with_a_wrong_sign_is_an_error_where_it_is_built_and_nowhere_else(records):
    assert records["snake_net", "framework"]["status"] == "ok"
    for way in ("native", "callback"):
        record = records["snake_net", way]
        assert record["status"] == "error"
        assert record["reason"].startswith(f"WrongResult: gradient of the way {way} differs by ")


def test_nothing_that_is_built_stays(measured):
    assert not [*measured.folder.rglob("*.so"), *measured.folder.rglob("*.o")]
