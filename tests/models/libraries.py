"""What the tests of the models share: cells, and programs in the environments."""

import json
import os
import subprocess
from dataclasses import asdict
from pathlib import Path

from deploy.environments import virtual_interpreter, virtual_prefix
from deploy.virtual_environments import COMPLETE
from measure.frameworks import Cell
from planning.columns import STACK
from planning.frameworks import frameworks
from planning.models import Models
from tests.nets import NETS

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).parent / "programs"
KERAS = [name for name, about in NETS.items() if about.family != "pytorch"]


def cell(
    model, framework, task, scale, batch_size=1, accelerator="cpu", way="framework", **architecture
):
    """A cell of a model at a scale; ``architecture`` replaces sizes."""
    about = frameworks([])[framework]
    return Cell(
        model=model,
        task=task,
        batch_size=batch_size,
        framework=framework,
        module=about.module,
        accelerator=accelerator,
        precision="default",
        architecture={**Models([]).load(model).architecture[scale], **architecture},
        weights="random",
        seed=1,
        threads=1,
        **{**dict(about.settings), "way": way},
    )


def definition_of(framework, stack=STACK):
    """The environment of a framework on a processor."""
    return ROOT / "envs" / stack / "cpu" / f"{framework.environment}.yaml"


def is_deployed(name, stack):
    """Whether the environment of a column of an older stack, which no test deploys, is there."""
    framework = frameworks([])[name]
    prefix = virtual_prefix(framework.environment, definition_of(framework, stack))
    return (prefix / COMPLETE).exists()


def run(program, cell, *command, folder, stack=STACK):
    """What a program says last in the environment of the cell's framework, decoded."""
    framework = frameworks([])[cell.framework]
    interpreter = virtual_interpreter(
        framework.environment, definition_of(framework, stack), None, framework.environment
    )
    kind = framework.family if framework.family in ("pytorch", "host") else "keras"
    script = PROGRAMS / f"{program}_{kind}.py"
    arguments = [str(ROOT / "workflow"), json.dumps(asdict(cell)), *map(str, command)]
    environ = {"KERAS_HOME": str(folder), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    environ = {**os.environ, **environ, "TF_CPP_MIN_LOG_LEVEL": "2"}
    command_line = [interpreter, "-s", str(script), *arguments]
    done = subprocess.run(command_line, env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    lines = done.stdout.splitlines()
    return json.loads(lines[-1]) if command[0] != "outputs" else None


def check_results(model, agreement):
    """Of an operation in a way, beside the reference: within what its record allows, which is
    nothing for a path and little for an activation and its gradient.
    """
    outputs, gradients = agreement["outputs"], agreement["gradients"]
    assert outputs["largest_difference"] <= outputs["allowed"]
    if model == "aligner":
        assert outputs["allowed"] == 0 and gradients is None
    else:
        assert 0 < outputs["allowed"] < 1e-4
        assert gradients["largest_difference"] < gradients["allowed"]


def check_losses(agreement):
    """Of ten steps, beside those of the framework's own way."""
    losses = agreement["losses"]
    assert losses["largest_difference"] < losses["allowed"]
