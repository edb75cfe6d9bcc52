"""Run in the PyTorch environment: what Transformers makes of a cell.

    python bert_pytorch.py WORKFLOW CELL flops
    python bert_pytorch.py WORKFLOW CELL outputs EXCHANGE

flops: what PyTorch counts in one step.
outputs: weights and logits into the folder EXCHANGE.
"""

import json
import sys
from pathlib import Path

workflow, cell, command, *exchange = sys.argv[1:]
sys.path.insert(0, workflow)

from measure.frameworks import Cell, builder  # noqa: E402 (the path above is how it is found)

cell = Cell(**json.loads(cell))
models = builder(cell, "pytorch")
models.load()

import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch.nn.attention import SDPBackend, sdpa_kernel  # noqa: E402
from torch.utils.flop_counter import FlopCounterMode  # noqa: E402


def flops():
    model = models.build(cell)
    # The counter does not know the host's fused attention; the plain one is two products.
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        found = model(**batch())
        if cell.task == "fit":
            found.loss.backward()
    print(counter.get_total_flops())


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
    np.savez(Path(folder, "weights.npz"), **{k: v.numpy() for k, v in model.state_dict().items()})
    np.save(Path(folder, "pytorch.npy"), logits.numpy())


def batch():
    return {name: torch.from_numpy(a) for name, a in models.batch(cell, cell.batch_size).items()}


{"flops": flops, "outputs": outputs}[command](*exchange)
