"""Run in the PyTorch environment: what Transformers makes of a cell.

    python causal_lm_pytorch.py WORKFLOW CELL count
    python causal_lm_pytorch.py WORKFLOW CELL outputs EXCHANGE

count: ``[parameters, trainable with LoRA]`` on standard output, nothing allocated.
outputs: weights, logits and generated strings into the folder EXCHANGE.
"""

import json

import numpy as np
import torch
from native import models
from program import cell, command, exchange

from measure.models.causal_lm.inputs import new_tokens, prompts, tokens


def count():
    """Numbers of all parameters and of LoRA's."""
    parameters = list(models.build(cell).parameters())
    adapters = sum(p.numel() for p in parameters if p.requires_grad)
    print(json.dumps([sum(p.numel() for p in parameters) - adapters, adapters]))


@torch.inference_mode()
def outputs(folder):
    """Random weights as they are, except that norms get weights of their own, too."""
    torch.manual_seed(cell.seed)
    model = models.build(cell).eval()
    for name, parameter in model.named_parameters():
        if "norm" in name:
            parameter.add_(0.1 * torch.randn_like(parameter))
        else:
            parameter.mul_(5.0)  # far enough from a uniform guess to tell mistakes
    ids, mask, _ = tokens(cell, cell.batch_size)
    logits = model(torch.tensor(ids).long(), attention_mask=torch.tensor(mask).long()).logits
    inputs = model.tokenizer(prompts(cell.batch_size), return_tensors="pt")
    count = new_tokens(cell.architecture)
    generated = model.generate(**inputs, min_new_tokens=count, max_new_tokens=count)
    texts = model.tokenizer.batch_decode(generated, skip_special_tokens=True)
    np.savez(folder / "weights.npz", **{k: v.numpy() for k, v in model.state_dict().items()})
    np.save(folder / "pytorch.npy", logits.numpy())
    (folder / "pytorch.json").write_text(json.dumps(texts))


{"count": count, "outputs": outputs}[command](*exchange)
