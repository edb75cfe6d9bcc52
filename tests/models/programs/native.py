"""Shared by the programs in the PyTorch environment: FLOPs, shapes, weights and answers."""

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

from millistep.measure.frameworks import builder
from millistep.measure.frameworks.loops import Ticks


def batch(cell):
    """The cell's batch, as tensors."""
    arrays = builder(cell, "pytorch").batch(cell, cell.batch_size)
    return {name: torch.from_numpy(array) for name, array in arrays.items()}


def flops(cell):
    """FLOPs that PyTorch counts in one step."""
    from torch.nn.attention import SDPBackend, sdpa_kernel  # not at the top: early releases lack it

    models = builder(cell, "pytorch")
    model = models.build(cell)
    # The counter does not know the host's fused attention; the plain one is two products.
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        if cell.task in getattr(models, "LOOPS", {}):
            models.LOOPS[cell.task](model, cell, cell.batch_size, Ticks(1).tick)
        elif cell.task == "fit":
            model(**batch(cell)).loss.backward()
        else:
            model(**batch(cell))
    return counter.get_total_flops()


def weighted(cell, folder, changed, part=lambda model: model):
    """The model, or a part of it, with the weights in the folder, or with its own, changed and left
    there; and the name for its answers: that of its column, or of the first one.

    changed: from the name of a parameter and itself to its new value.
    """
    torch.manual_seed(cell.seed)
    model, path = part(builder(cell, "pytorch").build(cell).eval()), folder / "weights.npz"
    if path.exists():
        model.load_state_dict({name: torch.from_numpy(w) for name, w in np.load(path).items()})
        return model, cell.framework
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(changed(name, parameter))
    np.savez(path, **{name: weight.numpy() for name, weight in model.state_dict().items()})
    return model, "pytorch"


def more(share):
    """A change that makes every weight random, also those that a fresh model has at zero or one."""
    return lambda name, parameter: parameter + share * torch.randn_like(parameter)
