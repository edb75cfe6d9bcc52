"""What the tests of the two image models share: cells, and programs in the environments."""

import json
import os
import subprocess
from dataclasses import asdict
from pathlib import Path

import numpy as np

from environments import virtual_interpreter
from measure.frameworks import Cell
from planning.frameworks import FRAMEWORKS
from planning.models import Models

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).parent / "programs"


def cell(model, framework, task, scale, batch_size=1):
    """A cell of a model at a scale."""
    return Cell(
        model=model,
        task=task,
        batch_size=batch_size,
        framework=framework,
        accelerator="cpu",
        precision="default",
        architecture=Models([]).load(model).architecture[scale],
        weights="random",
        seed=1,
        threads=1,
    )


def run(cell, *command, folder):
    """What a program says last in the environment of the cell's framework, decoded."""
    framework = FRAMEWORKS[cell.framework]
    definition = ROOT / "envs" / "cpu" / f"{framework.environment}.yaml"
    interpreter = virtual_interpreter(framework.environment, definition, None)
    program = PROGRAMS / f"vision_{'pytorch' if framework.family == 'pytorch' else 'keras'}.py"
    arguments = [str(ROOT / "workflow"), json.dumps(asdict(cell)), *map(str, command)]
    done = subprocess.run(
        [interpreter, "-s", str(program), *arguments],
        env={
            **os.environ,
            "KERAS_HOME": str(folder),
            "HF_HUB_OFFLINE": "1",
            "OMP_NUM_THREADS": "1",
            "TF_CPP_MIN_LOG_LEVEL": "2",
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    lines = done.stdout.splitlines()
    return json.loads(lines[-1]) if command[0] != "outputs" else None


def size(shapes):
    """Parameters in a list of shapes."""
    return sum(int(np.prod(shape)) for shape in shapes)
