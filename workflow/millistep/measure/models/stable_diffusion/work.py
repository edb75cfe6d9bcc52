"""Inputs and work of a step, and where a step begins: the same for every framework."""

from collections.abc import Callable
from typing import Any

import numpy as np

from millistep.measure.frameworks import Cell
from millistep.measure.models import Architecture, Tick
from millistep.measure.timer import Finished

LATENT_CHANNELS = 4


def per_step(task: str, architecture: Architecture, batch_size: int) -> dict[str, Any]:
    """Return FLOPs (a multiply-add is two), tokens and images of one step.

    Convolutions and matrix products. A training step costs three forward passes of the image
    encoder (the backward pass repeats each product twice), less the gradient of the images, which
    nothing needs; a diffusion step evaluates the UNet on two latents per image, with and without
    the prompt. Norms, softmax, activations, the scheduler and the optimizer are left out.
    """
    fit = 3 * image_encoder(architecture) - _first(architecture)
    flops = batch_size * (fit if task == "fit" else 2 * unet(architecture))
    return {"flops_per_step": flops, "tokens_per_step": None, "images_per_step": batch_size}


def image_encoder(a: Architecture) -> int:
    """Return FLOPs of the VAE's encoder for one image."""
    widths, side = a["vae_widths"], a["image_size"]
    flops, width = _first(a), widths[0]
    for level, out in enumerate(widths):
        if level:
            side //= 2
            flops += _conv(side, width, width)
        for _ in range(a["blocks"]):
            flops += _residual(side, width, out)
            width = out
    pixels = side**2
    attention: int = 2 * pixels * 4 * width * width + 4 * pixels * pixels * width
    middle = 2 * _residual(side, width, width) + attention
    return flops + middle + _conv(side, width, 2 * LATENT_CHANNELS)


def _first(a: Architecture) -> int:
    return _conv(a["image_size"], 3, a["vae_widths"][0])


def unet(a: Architecture) -> int:
    widths, side = a["unet_widths"], a["image_size"] // 8
    embedding, deepest = 4 * widths[0], len(widths) - 1

    def block(width: int, out: int, attend: bool) -> int:
        residual: int = _residual(side, width, out) + 2 * embedding * out
        return residual + (_transformer(side**2, out, a) if attend else 0)

    width = widths[0]
    flops: int = 2 * (width * embedding + embedding * embedding)
    flops += _conv(side, LATENT_CHANNELS, width)
    skips = [width]
    for level, out in enumerate(widths):
        for _ in range(a["blocks"]):
            flops += block(width, out, attend=level < deepest)
            width = out
            skips.append(width)
        if level < deepest:
            side //= 2
            flops += _conv(side, width, width)
            skips.append(width)
    flops += block(width, width, attend=True) + block(width, width, attend=False)
    for level in range(deepest, -1, -1):
        for _ in range(a["blocks"] + 1):
            flops += block(width + skips.pop(), widths[level], attend=level < deepest)
            width = widths[level]
        if level:
            side *= 2
            flops += _conv(side, width, width)
    return flops + _conv(side, width, LATENT_CHANNELS)


def _conv(side: int, width: int, out: int, kernel: int = 3) -> int:
    """Return FLOPs of a convolution with side x side outputs."""
    return 2 * side**2 * kernel**2 * width * out


def _residual(side: int, width: int, out: int) -> int:
    """Return FLOPs of two convolutions, and a third one of 1 x 1 where the width changes."""
    shortcut = _conv(side, width, out, kernel=1) if width != out else 0
    return _conv(side, width, out) + _conv(side, out, out) + shortcut


def _transformer(pixels: int, d: int, a: Architecture) -> int:
    """Return FLOPs: two projections; attention to itself and to the text; a gated layer of 4 d."""
    text, context = a["text_length"], a["context_size"]
    itself = 2 * pixels * 4 * d * d + 4 * pixels * pixels * d
    cross: int = 2 * pixels * 2 * d * d + 2 * text * 2 * context * d + 4 * pixels * text * d
    return 2 * pixels * 2 * d * d + itself + cross + 2 * pixels * (d * 8 * d + 4 * d * d)


def images(cell: Cell, batch_size: int) -> np.ndarray:
    """Return random images, float32 of (batch, size, size, 3) in [0, 1)."""
    size = cell.architecture["image_size"]
    return _rng(cell, 0).random((batch_size, size, size, 3), dtype=np.float32)


def moments(cell: Cell, batch_size: int) -> np.ndarray:
    """Return targets of the encoder, mean and log variance: float32 of (batch, side, side, 8)."""
    a = cell.architecture
    side = a["image_size"] // 2 ** (len(a["vae_widths"]) - 1)
    shape = (batch_size, side, side, 2 * LATENT_CHANNELS)
    return _rng(cell, 1).random(shape, dtype=np.float32)


def noise(cell: Cell, batch_size: int) -> np.ndarray:
    """Return latents that the sampler starts from: float32 of (batch, size / 8, size / 8, 4)."""
    side = cell.architecture["image_size"] // 8
    shape = (batch_size, side, side, LATENT_CHANNELS)
    return _rng(cell, 2).standard_normal(shape, dtype=np.float32)


def embeddings(cell: Cell, batch_size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return embeddings of (prompts, empty prompts): float32 of (batch, length, context)."""
    a = cell.architecture
    shape = (2, batch_size, a["text_length"], a["context_size"])
    prompts, empty = _rng(cell, 3).standard_normal(shape, dtype=np.float32)
    return prompts, np.repeat(empty[:1], batch_size, axis=0)


def _rng(cell: Cell, stream: int) -> np.random.Generator:
    return np.random.default_rng([cell.seed, stream])


LENGTH = 500  # steps of the sampling schedule


class Steps:
    """Ticks at each step and counts what the UNet really does in it."""

    def __init__(self, tick: Tick) -> None:
        self._tick = tick
        self._timestep = None
        self._steps = self._calls = self._images = 0
        self.outputs: Any = None

    def evaluation(self, timestep: Any, images: int) -> None:
        """Called before the UNet sees ``images`` latents at ``timestep``, an object per step."""
        if timestep is not self._timestep:
            if self._tick():
                raise Finished
            self._timestep = timestep
            self._steps += 1
        self._calls += 1
        self._images += images

    def keep(self, outputs: Any) -> None:
        self.outputs = outputs

    def run(self, sample: Callable[[], object], results: str) -> dict[str, Any]:
        """Call the library's ``sample`` until the tick returns True; return observed settings. On a
        fast machine, a run has more steps than a sampling schedule.

        results: the use of the UNet's outputs, of :mod:`measure.frameworks.loops`.
        """
        try:
            done = -1
            while done < self._steps:
                done = self._steps
                sample()
        except Finished:
            return {
                "scheduler": "DDIM",
                "step_results": results,
                "unet_calls_per_step": self._per_step(self._calls),
                "unet_images_per_step": self._per_step(self._images),
                "outputs": self.outputs,
            }
        raise RuntimeError("the library sampled without the UNet")

    def _per_step(self, count: int) -> float:
        mean = count / max(1, self._steps)
        return int(mean) if mean.is_integer() else mean
