"""Work of one step, from the architecture alone: the same for every framework."""

from typing import Any

from millistep.measure.models import Architecture

LATENT_CHANNELS = 4


def per_step(task: str, architecture: Architecture, batch_size: int) -> dict[str, Any]:
    """Return FLOPs (a multiply-add is two), tokens and images of one step.

    Convolutions and matrix products. A training step costs three forward passes of
    the image encoder (the backward pass repeats each product twice), less the
    gradient of the images, which nothing needs; a diffusion step evaluates the UNet
    on two latents per image, with and without the prompt. Norms, softmax,
    activations, the scheduler and the optimizer are left out.
    """
    fit = 3 * image_encoder(architecture) - _first(architecture)
    one = fit if task == "fit" else 2 * unet(architecture)
    return {
        "flops_per_step": batch_size * one,
        "tokens_per_step": None,
        "images_per_step": batch_size,
    }


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
    """Return FLOPs of the encoder's first convolution, of three colours."""
    return _conv(a["image_size"], 3, a["vae_widths"][0])


def unet(a: Architecture) -> int:
    """Return FLOPs of the UNet for one latent."""
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
