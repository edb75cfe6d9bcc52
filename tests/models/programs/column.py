"""Shared by the programs: a cell's framework, and Keras' answers and sizes."""

import os
from dataclasses import replace

import numpy as np

from millistep.measure import extras, frameworks
from millistep.measure.frameworks.loops import Ticks
from millistep.measure.protocol import PROTOCOLS
from millistep.measure.timer import Timer

_loaded = {}


def framework_of(cell):
    """The cell's framework, loaded once for all cells of this process, and not built."""
    if cell.framework not in _loaded:
        _loaded[cell.framework] = frameworks.create(cell)
        _loaded[cell.framework].load()
    framework = _loaded[cell.framework]
    framework.cell, framework.models = cell, frameworks.builder(cell, framework.family)
    return framework


def measured(cell):
    """The cell's framework after a few steps, on as many processors as the cell has threads."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: cell.threads])
    framework = framework_of(cell)
    framework.build()
    timed(framework)
    return framework


def timed(framework):
    """A timer after a few steps of the framework."""
    timer = Timer(PROTOCOLS["smoke"], framework.fence, framework.compilations)
    framework.run(timer)
    return timer


def start(cell):
    """State of the compilation cache before and after a step."""
    framework = framework_of(cell)
    framework.build()
    before = framework.compile_cache()
    framework.run(Ticks(1))
    return [before, framework.compile_cache()]


def work_done(cell):
    """What a regression check compares of the cell, and its calls."""
    framework = measured(cell)
    extras.PAIRS, extras.CALL_S = 2, 0.1
    return [*outcomes(framework, timed(framework).step_ns), extras.calls(framework)]


def loop_done(cell):
    """What a regression check compares of a builder's own loop."""
    return outcomes(framework_of(cell), 1e6)


def outcomes(framework, step_ns):
    """The outcome of the framework's cell, twice, and that of another seed."""
    found = [extras.outcome(framework, step_ns) for _ in range(2)]
    framework.cell = replace(framework.cell, seed=framework.cell.seed + 1)
    return [*found, extras.outcome(framework, step_ns)]


def allocated(cell):
    """Bytes that a step allocates; of native PyTorch also those with another buffer."""
    framework = measured(cell)
    found = [framework.allocated_bytes()]
    if framework.family == "pytorch":
        buffers, empty = [], framework.torch.empty
        framework.model.register_forward_pre_hook(lambda *_: buffers.append(empty(64, 1024)))
        found.append(framework.allocated_bytes())
    return found


def predict(cell, folder, counterparts, as_keras, inputs=None, answer=lambda found: found):
    """Give the built model the weights in the folder, and save its answers there.

    counterparts: from the model to all its variables, each with the native library's name of it.
    inputs: those of the cell's batch, if left out. answer: from what `predict` returns.
    """
    framework = framework_of(cell)
    framework.build()
    given = counterparts(framework.model)
    weights = give(framework.model, given, folder, as_keras)
    assert {name for _, name in given} == weights, "not every weight has its counterpart"
    if inputs is None:
        inputs = framework.models.batch(cell, cell.batch_size)[0]
    found = answer(framework.model.predict(inputs, verbose=0))
    np.save(folder / f"{cell.framework}.npy", found)


def give(model, given, folder, as_keras):
    """Give all variables of a model the weights in the folder; return the names of those.

    as_keras: from a weight there and its name to Keras' weight, up to its shape.
    """
    weights = np.load(folder / "weights.npz")
    assert len(given) == len(model.weights)
    for variable, name in given:
        variable.assign(as_keras(weights[name], name).reshape(variable.shape))
    return set(weights)


def affine(layer, name):
    """A layer's kernel or scale, and its bias if there is one, with a native library's names."""
    return list(zip(layer.weights, (f"{name}.weight", f"{name}.bias"), strict=False))


def abstract(keras, found):
    """Call a function that makes Keras 3 models, without giving any weight a value."""
    from keras.src.backend.common import global_state

    with keras.StatelessScope():
        try:
            return found()
        finally:  # leaving the scope would allocate them all
            global_state.set_global_attribute("uninitialized_variables", [])
