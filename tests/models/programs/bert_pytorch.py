"""Run in the PyTorch environment: what Transformers makes of a cell.

    python bert_pytorch.py WORKFLOW CELL flops
    python bert_pytorch.py WORKFLOW CELL outputs EXCHANGE

flops: what PyTorch counts in one step.
outputs: weights (unless some lie there) and logits into the folder EXCHANGE.
"""

import numpy as np
import torch
from native import batch, flops, weighted
from program import command, exchange


def change(model):
    """Every weight random, those too that a fresh model has at zero or one, and far enough from
    linear that another activation or attention shows.
    """
    for parameter in model.parameters():
        parameter.add_(0.2 * torch.randn_like(parameter))


@torch.inference_mode()
def outputs(folder):
    model, name = weighted(folder, change)
    np.save(folder / f"{name}.npy", model(**batch()).logits.numpy())


{"flops": flops, "outputs": outputs}[command](*exchange)
