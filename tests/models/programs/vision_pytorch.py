"""Run in the PyTorch environment: what the native library makes of a cell.

    python vision_pytorch.py WORKFLOW CELL shapes
    python vision_pytorch.py WORKFLOW CELL flops
    python vision_pytorch.py WORKFLOW CELL outputs EXCHANGE

shapes: of every parameter of the cell's model, nothing allocated.
flops: what PyTorch counts in one step.
outputs: weights and output of fit's network into the folder EXCHANGE.
"""

import json

import numpy as np
import torch
from native import batch, flops, models
from program import cell, command, exchange


def shapes():
    with torch.device("meta"):
        print(json.dumps([list(p.shape) for p in models.build(cell).parameters()]))


def outputs(folder):
    """Every weight random, those too that a fresh model has at zero or one."""
    torch.manual_seed(cell.seed)
    network = models.build(cell).network
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.05 * torch.randn_like(parameter))
        found = network(as_kerascv(batch()["images"]))
    weights = {name: p.detach().numpy() for name, p in network.named_parameters()}
    np.savez(folder / "weights.npz", **weights)
    np.save(folder / "pytorch.npy", found.permute(0, 2, 3, 1).numpy())


def as_kerascv(images):
    """KerasCV's SegmentAnything centres images inside its encoder, Meta's in front of it."""
    if cell.model != "sam":
        return images
    mean, deviation = torch.tensor([[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]])[..., None, None]
    return (images - mean) / deviation


{"shapes": shapes, "flops": flops, "outputs": outputs}[command](*exchange)
