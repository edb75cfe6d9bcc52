"""Known ways to cheat a timer are refused, and honest optimizations pass."""

import json
import subprocess
from dataclasses import asdict
from pathlib import Path

import pytest

from millistep.analysis.same_work import SAME, problem
from tests.models.libraries import cell, interpreter_of
from tests.nets import NETS
from tests.shared import ROOT

PROGRAM = Path(__file__).with_name("program.py")
OTHER, LATER = "other ", "hidden work: "
STEPS = "missing_optimizer_step", "every_second_optimizer_step"
EXPECTED = {
    "predict": {
        "another_thread": LATER,
        "lazy_outputs": LATER,
        "cached_outputs": LATER,
        "stale_buffer": OTHER,
        "moved_into_warm_up": (LATER, OTHER),
        "lower_precision": OTHER,
        "lower_precision_of_products": OTHER,
        "skipped_work": OTHER,
    },
    "fit": dict.fromkeys((*STEPS, "skipped_work"), OTHER),
}


@pytest.fixture(scope="module", params=["predict", "fit"])
def found(request):
    """The task, and what each patch was found to do, by its name."""
    python = interpreter_of(NETS["pytorch-eager"])
    of_bert = cell("bert", "pytorch-eager", request.param, "smoke", 8, sequence_length=64)
    command = [python, "-s", str(PROGRAM), json.dumps({"cell": asdict(of_bert)})]
    environ = {"PYTHONPATH": str(ROOT / "workflow"), "PATH": "/usr/bin:/bin", "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    sides = {line.pop("name"): line for line in map(json.loads, done.stdout.splitlines())}
    return request.param, sides


def test_every_cheat_is_refused(found):
    task, sides = found
    for name, words in EXPECTED[task].items():
        assert problem(sides["base"], sides["null"], sides[name]).startswith(words), name


def test_honest_optimizations_pass(found):
    _, sides = found
    honest = {name: side for name, side in sides.items() if name.startswith("honest ")}
    assert len(honest) >= 5
    for name, side in honest.items():
        assert problem(honest["honest base"], honest["honest null"], side) == SAME, name
