"""What the programs in the PyTorch environment share: the cell's builder, batch, and FLOPs."""

import torch
from program import cell
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from measure.frameworks import builder

models = builder(cell, "pytorch")


def batch():
    """The cell's own, as tensors."""
    return {name: torch.from_numpy(a) for name, a in models.batch(cell, cell.batch_size).items()}


def flops():
    """Print what PyTorch counts in one step."""
    model = models.build(cell)
    # The counter does not know the host's fused attention; the plain one is two products.
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        if cell.task in getattr(models, "LOOPS", {}):
            loop(model, steps=1)
        elif cell.task == "fit":
            model(**batch()).loss.backward()
        else:
            model(**batch())
    print(counter.get_total_flops())


def loop(model, steps):
    """Facts of so many steps of the task's own loop."""
    ticks = iter([False] * steps)
    return models.LOOPS[cell.task](model, cell, cell.batch_size, lambda: next(ticks, True))
