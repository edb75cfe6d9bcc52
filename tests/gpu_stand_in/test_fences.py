"""A fence that waits for nothing is found out, whatever the framework waits for by itself."""

import pytest

from . import harness
from .machine import Machine

ENTRY = "pytorch-unfenced: {like: pytorch-eager, module: pytorch_unfenced, title: No fence}\n"
CLASS = """
from measure.frameworks import pytorch_eager


class Framework(pytorch_eager.Framework):
    def fence(self):
        pass
"""


@pytest.mark.parametrize("task", ["fit", "predict"])
def test_without_a_fence_a_run_is_invalid(asked, pytorch, tmp_path, task):
    """BERT waits for its device once a step, to look at the mask, so most of the time is seen."""
    own = tmp_path / "own"
    (own / "frameworks").mkdir(parents=True)
    (own / "frameworks/frameworks.yaml").write_text(ENTRY)
    (own / "frameworks/pytorch_unfenced.py").write_text(CLASS)
    _, libraries = pytorch
    machine = Machine(tmp_path, libraries).set(kernel_us=1000)
    with harness.on(machine):
        (run,) = harness.planned(["pytorch-unfenced"], ["bert"], [task], folders=[str(own)])
        record = harness.measured(run, machine, tmp_path / "run.json", folders=(str(own),))
    assert record["status"] == "invalid", record["reason"]
    assert "the clock stopped before the work did" in record["reason"]
