"""What models around an operation share in PyTorch: its results, and first training steps."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch

from measure.frameworks import Cell
from measure.native import torch_ways


def outputs(cell: Cell, results: list[torch.Tensor]) -> dict[str, np.ndarray]:
    """Results by name: ``output`` and, where there is one, ``gradient``."""
    arrays = (result.numpy(force=True) for result in results)
    return dict(zip(("output", "gradient"), arrays, strict=False))


def losses(
    build: Callable[[Cell], torch.nn.Module],
    batch: Callable[[Cell, int], dict[str, np.ndarray]],
    optimizer: Callable[[torch.nn.Module], torch.optim.Optimizer],
    cell: Cell,
    way: str,
    steps: int,
) -> list[float]:
    """Losses of the first training steps of a new model on one batch, in a given way; the cell's
    own is compiled as the cell is.
    """
    model = build(replace(cell, way=way)).to(cell.accelerator).train()
    stepped = torch_ways.as_in_steps(model, cell.mode) if way == cell.way else model
    arrays = batch(cell, cell.batch_size)
    given = {name: torch.from_numpy(array).to(cell.accelerator) for name, array in arrays.items()}
    trained = optimizer(model)
    found = []
    for _ in range(steps):
        loss = stepped(**given).loss
        loss.backward()
        trained.step()
        trained.zero_grad(set_to_none=True)
        found.append(loss.item())
    return found
