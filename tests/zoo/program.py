"""Measure tiny models by the harness and by a loop written by hand, in one process.

    PYTHONPATH=workflow python program.py '{"framework": ..., "kinds": [[kind, task, parameters]]}'

The windows of both take turns, and the shortest of each counts: a busy machine matters less.
"""

import json
import os
import sys
import time
import traceback
from dataclasses import replace
from pathlib import Path

from millistep.measure import frameworks, models
from millistep.measure.check import Trial
from millistep.measure.process import failure
from millistep.measure.protocol import PROTOCOLS
from millistep.measure.timer import Timer

WINDOWS, WINDOW_S, BATCH = 5, 0.05, 16
# Where other programs compute, too, the CPU time of this process says more than the wall clock.
CLOCKS = {"wall": time.perf_counter_ns, "cpu": time.process_time_ns}
clock = CLOCKS["wall"]


def trial_of(loaded, cell, parameters):
    """Build and check a model as the command does."""
    trains = "all" if cell.task == "fit" else "nothing"
    trial = Trial(loaded, cell, {"parameters": parameters, "trains": trains, "scale": "smoke"})
    trial.run()
    return trial


def harness_ms(framework):
    """The shortest window of the harness in ms per step, and compilations in its windows."""
    few = {"windows": 3, "window_s": WINDOW_S, "synchronized_steps": 0, "hard_cap_s": 1}
    protocol = replace(PROTOCOLS["smoke"], **few)
    options = {"batches": framework.batches_per_tick, "clock": clock}
    timer = Timer(protocol, framework.fence, framework.compilations, **options)
    framework.run(timer)
    shortest = min(ns / steps for steps, ns, _ in timer.windows)
    return shortest / 1e6, timer.compilations_during or 0


def by_hand(framework):
    """Return a function that times N steps of a new model, as a user would write it."""
    builder, cell = framework.models, framework.cell
    model, batch = builder.build(cell), builder.batch(cell, cell.batch_size)
    return {"keras3": of_keras, "pytorch": of_torch}[framework.family](builder, model, batch, cell)


def of_keras(builder, model, batch, cell):
    import keras

    def data(steps):
        if keras.backend.backend() == "tensorflow":
            import tensorflow as tf

            tuples = tuple(tuple(b) if isinstance(b, list) else b for b in batch)
            return tf.data.Dataset.from_tensors(tuples).repeat(steps)

        class Same(keras.utils.PyDataset):
            def __len__(self):
                return steps

            def __getitem__(self, index):
                return batch

        return Same()

    def timed(steps):
        start = clock()
        if cell.task == "generate":
            builder.LOOPS["generate"](model, cell, cell.batch_size, counting(steps))
        elif cell.task == "fit":
            model.fit(data(steps), epochs=1, verbose=0, shuffle=False)
        else:
            model.predict(data(steps), verbose=0)
        return (clock() - start) / 1e9

    return timed


def of_torch(builder, model, batch, cell):
    import torch

    def tensors(value):
        if isinstance(value, dict):
            return {name: tensors(each) for name, each in value.items()}
        if isinstance(value, list):
            return [tensors(each) for each in value]
        return torch.from_numpy(value)

    arguments = tensors(batch)
    marked = cell.architecture["kind"] == "marked"
    model.train(cell.task == "fit")
    optimizer = builder.optimizer(model) if cell.task == "fit" else None

    def timed(steps):
        start = clock()
        if optimizer:
            for _ in range(steps):
                model(**(tensors(batch) if marked else arguments)).loss.backward()
                optimizer.step()
                optimizer.zero_grad()
        else:
            with torch.inference_mode():
                for _ in range(steps):
                    model(**arguments)
        return (clock() - start) / 1e9

    return timed


def counting(steps):
    left = iter(range(steps))
    return lambda: next(left, None) is None


def compared(framework):
    """Return both times in ms per step; the loop by hand without what starts and ends it."""
    timed = by_hand(framework)
    timed(16)
    step_s = max(1e-6, (timed(48) - timed(16)) / 32)
    few = 8 * max(1, round(WINDOW_S / 2 / step_s / 8))
    harness, short, long = [], [], []
    compiled = 0
    for _ in range(WINDOWS):
        ms, during = harness_ms(framework)
        harness.append(ms)
        compiled += during
        short.append(timed(few))
        long.append(timed(4 * few))
    if compiled:
        return {"refused": f"{compiled} compilations in the timed windows"}
    return {"harness_ms": min(harness), "hand_ms": 1e3 * (min(long) - min(short)) / (3 * few)}


def main():
    global clock
    asked = json.loads(sys.argv[1])
    clock = CLOCKS[asked["clock"]] if asked["clock"] else clock
    models.__path__.append(str(Path(__file__).parent / "models"))
    cells = []
    for kind, task, _ in asked["kinds"]:
        names = ("zoo", task, BATCH, asked["framework"], asked["module"], "cpu", "default")
        jit = True if kind == "ignoredjit" else "auto"
        more = {"seed": 1, "threads": 1, "jit_compile": jit}
        cells.append(frameworks.Cell(*names, {"kind": kind}, "random", **more))
    loaded = frameworks.create(cells[0])
    loaded.load()
    for cell, (kind, _, parameters) in zip(cells, asked["kinds"], strict=True):
        found = {"kind": kind}
        try:
            trial = trial_of(loaded, cell, parameters)
            found["found"] = trial.found
            if trial.problems:
                found["problems"] = trial.problems
            elif asked["clock"]:
                found |= compared(trial.framework)
        except Exception as error:
            traceback.print_exc()
            found["problems"] = [failure(error)]
        print("FOUND " + json.dumps(found), flush=True)
    os._exit(0)


main()
