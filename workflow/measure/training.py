"""Trains a model to its end on real data, after all that is timed and never beside it."""

from __future__ import annotations

import importlib
import math
import time
from collections.abc import Callable
from typing import Any

from measure.frameworks import Framework

Report = Callable[[dict[str, Any]], None]


def train(framework: Framework, planned: dict[str, Any], report: Report) -> None:
    """Train the cell's model anew for so many epochs, each followed by a validation.

    planned: ``data``, ``path`` and ``sha256`` of the file, ``epochs``. report: is told all that is
    known, at the beginning and after each epoch. Weights at the start and the order of the images
    are the same in every framework.
    """
    found: dict[str, Any] = {
        "data": planned["data"],
        "sha256": planned["sha256"],
        "status": "ok",
        "reason": "",
        "images": None,
        "validation_images": None,
        "epochs": [],
    }
    report(found)
    try:
        _train(framework, planned, found, report)
    except Exception as error:
        words = next(iter(str(error).splitlines()), "")
        report({**found, "status": "error", "reason": f"{type(error).__name__}: {words}"})


def _train(
    framework: Framework, planned: dict[str, Any], found: dict[str, Any], report: Report
) -> None:
    cell = framework.cell
    data = importlib.import_module(f"measure.models.{cell.model}.data")
    try:
        sets = data.sets(planned, cell.architecture, cell.batch_size)
    except data.NoData as problem:
        report({**found, "status": "unsupported", "reason": str(problem)})
        return
    found |= {"images": len(sets.images), "validation_images": len(sets.validation_images)}
    framework.begin_training()
    for epoch in range(planned["epochs"]):
        one = _epoch(framework, sets, sets.order(epoch, cell.seed))
        if not math.isfinite(one["validation_loss"]):
            raise ArithmeticError(f"the loss of epoch {epoch + 1} is {one['validation_loss']}")
        found["epochs"].append(one)
        report(found)


def _epoch(framework: Framework, sets: Any, order: Any) -> dict[str, Any]:
    """Train and validate one epoch; seconds of both, and the validation's findings.

    What is the same work for all and no framework's own, the order, one-hot classes, channels
    first, is done before the clock starts.
    """
    images = framework.prepared(sets.images[order], sets.classes[order])
    validation = framework.prepared(sets.validation_images, None)
    start = time.perf_counter()
    framework.train_epoch(images)
    framework.fence()
    trained = time.perf_counter()
    probabilities = framework.probabilities(validation)
    validated = time.perf_counter()
    loss, right = sets.score(probabilities)
    return {
        "steps_s": trained - start,
        "validation_s": validated - trained,
        "validation_loss": loss,
        "validation_right": right,
    }
