"""Every way of an operation on the processor alone gives what NumPy does, and tells its costs."""

from dataclasses import replace

import pytest

from planning.models import Models
from tests.models.libraries import cell, run

WAYS = [
    (model, way)
    for model in ("mas_host", "csv_parse", "augment")
    for way in Models([]).load(model).ways["host"]
]
BUILT = {"cython", "ctypes", "cffi"}


@pytest.mark.parametrize(("model", "way"), WAYS)
def test_a_way_gives_the_same_and_is_built_as_it_says(model, way, tmp_path):
    one = replace(cell(model, "host", "predict", "smoke", batch_size=3), way=way, threads=2)
    found = run("operation", one, "checked", folder=tmp_path)
    told, card = found["operation"], found["card"]
    assert told["agreement"] == {
        "outputs": {"largest_difference": 0.0, "allowed": 0.0},
        "gradients": None,
        "losses": None,
    }
    assert told["uses"] == 1 and min(told["alone_ns"]) > 0
    assert told["lines"] >= 2
    assert (told["build"] is not None) == (way in BUILT)
    if told["build"]:
        assert "-ffast-math" in told["build"]["compile_flags"]
        assert "-ffast-math" not in told["build"]["link_flags"]
        assert not any(flag.startswith("-I/") for flag in told["build"]["compile_flags"])
        assert card["compiler"] == told["build"]["compiler"]
    assert found["compiled"] == (0 if way == "numba" else None)  # nothing else compiles in steps
    assert card["execution"] == ("jit" if way == "numba" else "eager")
    assert card["flush_denormals"] is False
    if way not in ("python", "ctypes"):
        assert f", {way} " in card["framework_version"]
