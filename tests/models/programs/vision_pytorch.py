"""Tasks on vision models in the native libraries: sizes, answers, and FLOPs by PyTorch."""

from functools import partial
from unittest.mock import patch

import numpy as np
import torch
from native import batch, flops, more, weighted

from millistep.measure.frameworks import builder
from millistep.measure.models.image_regression import channels_first
from millistep.measure.models.stable_diffusion.work import embeddings, noise

__all__ = ["flops", "outputs", "sizes"]


def sizes(cell):
    """Number of parameters, nothing allocated."""
    with torch.device("meta"):
        return sum(p.numel() for p in builder(cell, "pytorch").build(cell).parameters())


@torch.inference_mode()
def outputs(cell, folder):
    """Write answers of the task's network into the folder, with its weights."""
    answers = {"fit": encoded, "sam": masked, "stable_diffusion": denoised}
    part = (lambda model: model.network) if cell.task == "fit" else (lambda model: model)
    network, name = weighted(cell, folder, more(0.05), part)
    found = answers["fit" if cell.task == "fit" else cell.model](cell, network)
    np.save(folder / f"{name}.npy", found.numpy())


def encoded(cell, network):
    """Channels last, as KerasCV has them."""
    return network(as_kerascv(cell, batch(cell)["images"])).permute(0, 2, 3, 1)


def masked(cell, network):
    """The three masks of each image, then their qualities."""
    masks, qualities = network(**batch(cell))
    return torch.cat([masks.flatten(1), qualities], dim=1)


def denoised(cell, network):
    """The UNet's answer at one timestep, channels last, with the GELU that KerasCV has."""
    size, gelu = cell.batch_size, partial(torch.nn.functional.gelu, approximate="tanh")
    arrays = channels_first(noise(cell, size)), embeddings(cell, size)[0]
    latents, context = map(torch.from_numpy, arrays)
    with patch("torch.nn.functional.gelu", gelu):
        return network(latents, torch.tensor(501), context).sample.permute(0, 2, 3, 1)


def as_kerascv(cell, images):
    """Images centred as KerasCV's SegmentAnything does inside its encoder, Meta's before it."""
    if cell.model != "sam":
        return images
    mean, deviation = torch.tensor([[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]])[..., None, None]
    return (images - mean) / deviation
