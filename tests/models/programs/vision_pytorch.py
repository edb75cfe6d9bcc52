"""Run in the PyTorch environment: what the native library makes of a cell.

    python vision_pytorch.py WORKFLOW CELL shapes
    python vision_pytorch.py WORKFLOW CELL flops
    python vision_pytorch.py WORKFLOW CELL steps
    python vision_pytorch.py WORKFLOW CELL outputs EXCHANGE

shapes: of every parameter of the cell's model, nothing allocated.
flops: what PyTorch counts in one step.
steps: facts of three steps of the task's own loop.
outputs: weights and output of fit's network into the folder EXCHANGE.
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


def shapes():
    with torch.device("meta"):
        print(json.dumps([list(p.shape) for p in models.build(cell).parameters()]))


def flops():
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


def steps():
    print(json.dumps(loop(models.build(cell), steps=3)))


def outputs(folder):
    """Every weight random, those too that a fresh model has at zero or one."""
    torch.manual_seed(cell.seed)
    network = models.build(cell).network
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.05 * torch.randn_like(parameter))
        found = network(as_kerascv(batch()["images"]))
    weights = {name: p.detach().numpy() for name, p in network.named_parameters()}
    np.savez(Path(folder, "weights.npz"), **weights)
    np.save(Path(folder, "pytorch.npy"), found.permute(0, 2, 3, 1).numpy())


def as_kerascv(images):
    """KerasCV's SegmentAnything centres images inside its encoder, Meta's in front of it."""
    if cell.model != "sam":
        return images
    mean, deviation = torch.tensor([[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]])[..., None, None]
    return (images - mean) / deviation


def batch():
    return {name: torch.from_numpy(a) for name, a in models.batch(cell, cell.batch_size).items()}


def loop(model, steps):
    ticks = iter([False] * steps)
    return models.LOOPS[cell.task](model, cell, cell.batch_size, lambda: next(ticks, True))


{"shapes": shapes, "flops": flops, "steps": steps, "outputs": outputs}[command](*exchange)
