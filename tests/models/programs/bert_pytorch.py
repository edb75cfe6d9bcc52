"""Tasks on BERT in Transformers: logits, and the FLOPs that PyTorch counts in one step."""

import numpy as np
import torch
from native import batch, flops, more, weighted

__all__ = ["flops", "outputs"]


@torch.inference_mode()
def outputs(cell, folder):
    """Write the logits into the folder, and the weights unless some are there: far enough from
    linear that another activation or attention shows.
    """
    model, name = weighted(cell, folder, more(0.2))
    np.save(folder / f"{name}.npy", model(**batch(cell)).logits.numpy())
