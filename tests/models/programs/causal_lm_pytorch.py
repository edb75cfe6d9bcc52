"""Tasks on causal language models in Transformers: sizes, logits, texts, FLOPs by PyTorch."""

import json

import numpy as np
import torch
from native import flops, weighted

from millistep.measure.frameworks import builder
from millistep.measure.models.causal_lm.work import new_tokens, prompts, tokens

__all__ = ["flops", "outputs", "sizes"]


def sizes(cell):
    """Numbers of all parameters and of LoRA's, nothing allocated where the accelerator is meta."""
    parameters = list(builder(cell, "pytorch").build(cell).parameters())
    adapters = sum(p.numel() for p in parameters if p.requires_grad)
    return [sum(p.numel() for p in parameters) - adapters, adapters]


def changed(name, parameter):
    """Random weights, far enough from a uniform guess to tell mistakes; norms get their own."""
    return parameter + 0.1 * torch.randn_like(parameter) if "norm" in name else 5.0 * parameter


@torch.inference_mode()
def outputs(cell, folder):
    """Write the logits of a batch and the texts of prompts into the folder, and the weights unless
    some are there.
    """
    model, name = weighted(cell, folder, changed)
    ids, mask, _ = tokens(cell, cell.batch_size)
    logits = model(torch.tensor(ids).long(), attention_mask=torch.tensor(mask).long()).logits
    inputs = model.tokenizer(prompts(cell.batch_size), return_tensors="pt")
    generated = model.generate(**inputs, max_new_tokens=new_tokens(cell.architecture))
    texts = model.tokenizer.batch_decode(generated, skip_special_tokens=True)
    np.save(folder / f"{name}.npy", logits.numpy())
    (folder / f"{name}.json").write_text(json.dumps(texts))
