"""Run in the PyTorch environment: what Transformers makes of a cell.

    python bert_pytorch.py WORKFLOW CELL flops
    python bert_pytorch.py WORKFLOW CELL outputs EXCHANGE

flops: what PyTorch counts in one step.
outputs: weights and logits into the folder EXCHANGE.
"""

import numpy as np
import torch
from native import batch, flops, models
from program import cell, command, exchange


def outputs(folder):
    """Every weight random, those too that a fresh model has at zero or one, and far enough from
    linear that another activation or attention shows.
    """
    torch.manual_seed(cell.seed)
    model = models.build(cell).eval()
    with torch.inference_mode():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
        logits = model(**batch()).logits
    np.savez(folder / "weights.npz", **{k: v.numpy() for k, v in model.state_dict().items()})
    np.save(folder / "pytorch.npy", logits.numpy())


{"flops": flops, "outputs": outputs}[command](*exchange)
