"""Run in the PyTorch environment: a small classifier in PyTorch's layers.

    python classifier_pytorch.py WORKFLOW CELL flops
    python classifier_pytorch.py WORKFLOW CELL outputs EXCHANGE

flops: what PyTorch counts in one step.
outputs: weights and probabilities into the folder EXCHANGE.
"""

import numpy as np
import torch
from native import batch, flops, models
from program import cell, command, exchange


def outputs(folder):
    torch.manual_seed(cell.seed)
    model = models.build(cell).eval()
    with torch.inference_mode():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
        probabilities = model(**batch())
    np.savez(folder / "weights.npz", **{k: v.numpy() for k, v in model.state_dict().items()})
    np.save(folder / "pytorch.npy", probabilities.numpy())


{"flops": flops, "outputs": outputs}[command](*exchange)
