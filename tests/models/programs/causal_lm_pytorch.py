"""Run in the PyTorch environment: what Transformers makes of a cell.

    python causal_lm_pytorch.py WORKFLOW CELL count
    python causal_lm_pytorch.py WORKFLOW CELL flops
    python causal_lm_pytorch.py WORKFLOW CELL outputs EXCHANGE

count: ``[parameters, trainable with LoRA]`` on standard output, nothing allocated.
flops: what PyTorch counts in one step.
outputs: weights (unless some lie there), logits and generated strings into the folder EXCHANGE.
"""

import json

import numpy as np
import torch
from native import flops, models, weighted
from program import cell, command, exchange

from measure.models.causal_lm.inputs import new_tokens, prompts, tokens


def count():
    """Numbers of all parameters and of LoRA's."""
    parameters = list(models.build(cell).parameters())
    adapters = sum(p.numel() for p in parameters if p.requires_grad)
    print(json.dumps([sum(p.numel() for p in parameters) - adapters, adapters]))


def change(model):
    """Random weights as they are, except that norms get weights of their own, too."""
    for name, parameter in model.named_parameters():
        if "norm" in name:
            parameter.add_(0.1 * torch.randn_like(parameter))
        else:
            parameter.mul_(5.0)  # far enough from a uniform guess to tell mistakes


@torch.inference_mode()
def outputs(folder):
    model, name = weighted(folder, change)
    ids, mask, _ = tokens(cell, cell.batch_size)
    logits = model(torch.tensor(ids).long(), attention_mask=torch.tensor(mask).long()).logits
    inputs = model.tokenizer(prompts(cell.batch_size), return_tensors="pt")
    count = new_tokens(cell.architecture)
    generated = model.generate(**inputs, max_new_tokens=count)
    texts = model.tokenizer.batch_decode(generated, skip_special_tokens=True)
    np.save(folder / f"{name}.npy", logits.numpy())
    (folder / f"{name}.json").write_text(json.dumps(texts))


{"count": count, "flops": flops, "outputs": outputs}[command](*exchange)
