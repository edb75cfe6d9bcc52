"""What the programs in the PyTorch environment share: the cell's builder, batch, and FLOPs."""

import numpy as np
import torch
from program import cell
from torch.utils.flop_counter import FlopCounterMode

from measure.frameworks import builder

models = builder(cell, "pytorch")


def batch():
    """The cell's own, as tensors."""
    return {name: torch.from_numpy(a) for name, a in models.batch(cell, cell.batch_size).items()}


def flops():
    """Print what PyTorch counts in one step."""
    from torch.nn.attention import SDPBackend, sdpa_kernel  # here: early releases have none

    model = models.build(cell)
    # The counter does not know the host's fused attention; the plain one is two products.
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        if cell.task in getattr(models, "LOOPS", {}):
            ticks = iter([False])
            models.LOOPS[cell.task](model, cell, cell.batch_size, lambda: next(ticks, True))
        elif cell.task == "fit":
            model(**batch()).loss.backward()
        else:
            model(**batch())
    print(counter.get_total_flops())


def weighted(folder, change):
    """The model with the weights in the folder, or with its own, changed at random and left there;
    and the name for what it gives: that of its column, or of the first one.
    """
    torch.manual_seed(cell.seed)
    model, path = models.build(cell).eval(), folder / "weights.npz"
    if path.exists():
        model.load_state_dict({name: torch.from_numpy(w) for name, w in np.load(path).items()})
        return model, cell.framework
    change(model)
    np.savez(path, **{name: weight.numpy() for name, weight in model.state_dict().items()})
    return model, "pytorch"
