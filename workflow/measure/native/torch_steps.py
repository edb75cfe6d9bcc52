"""What models around an operation share in PyTorch: its results, and first training steps."""

import numpy as np
import torch

from measure.frameworks import Cell


def outputs(cell: Cell, results: list[torch.Tensor]) -> dict[str, np.ndarray]:
    """Results by name: ``output`` and, where there is one, ``gradient``."""
    arrays = (result.numpy(force=True) for result in results)
    return dict(zip(("output", "gradient"), arrays, strict=False))


def losses(
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    arrays: dict[str, np.ndarray],
    accelerator: str,
    steps: int,
) -> list[float]:
    """Losses of the first training steps of a model, which may be compiled, on one batch."""
    batch = {name: torch.from_numpy(array).to(accelerator) for name, array in arrays.items()}
    found = []
    for _ in range(steps):
        loss = model(**batch).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        found.append(loss.item())
    return found
