"""Tasks on vision models in the native libraries: sizes, fit's network, and FLOPs by PyTorch."""

import numpy as np
import torch
from native import batch, flops, more, weighted

from measure.frameworks import builder

__all__ = ["flops", "outputs", "sizes"]


def sizes(cell):
    """Number of parameters, nothing allocated."""
    with torch.device("meta"):
        return sum(p.numel() for p in builder(cell, "pytorch").build(cell).parameters())


@torch.inference_mode()
def outputs(cell, folder):
    """Write answers of fit's network into the folder, with its weights."""
    network, name = weighted(cell, folder, more(0.05), lambda model: model.network)
    found = network(as_kerascv(cell, batch(cell)["images"]))
    np.save(folder / f"{name}.npy", found.permute(0, 2, 3, 1).numpy())


def as_kerascv(cell, images):
    """Images centred as KerasCV's SegmentAnything does inside its encoder, Meta's before it."""
    if cell.model != "sam":
        return images
    mean, deviation = torch.tensor([[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]])[..., None, None]
    return (images - mean) / deviation
