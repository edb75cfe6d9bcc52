"""Stable Diffusion from HuggingFace Diffusers."""

from types import SimpleNamespace
from typing import Any

import diffusers
import torch

from millistep.measure.frameworks import Cell
from millistep.measure.frameworks.loops import LEFT
from millistep.measure.models import Architecture, Tick
from millistep.measure.models.image_regression import ImageRegression, adam, channels_first
from millistep.measure.models.stable_diffusion import work

PRESET = "CompVis/stable-diffusion-v1-4"
SCHEDULE = {  # of Stable Diffusion v1.4
    "beta_start": 0.00085,
    "beta_end": 0.012,
    "beta_schedule": "scaled_linear",
    "clip_sample": False,
    "steps_offset": 1,
}

optimizer = adam


def library() -> str:
    return f"diffusers {diffusers.__version__}"


def attention(model: Any) -> str:
    """Return the chosen attention processor; 2_0 is PyTorch's fused attention."""
    used = {type(m.processor).__name__ for m in model.modules() if hasattr(m, "processor")}
    return "sdpa" if used == {"AttnProcessor2_0"} else ", ".join(sorted(used))


def build(cell: Cell) -> Any:
    """Return the VAE's image encoder with its loss for fit, the UNet for predict."""
    preset = cell.weights == "preset"
    if cell.task == "predict":
        if preset:
            return diffusers.UNet2DConditionModel.from_pretrained(PRESET, subfolder="unet")
        return unet(cell.architecture)
    if preset:
        vae = diffusers.AutoencoderKL.from_pretrained(PRESET, subfolder="vae")
        return ImageRegression(vae.encoder)
    return ImageRegression(image_encoder(cell.architecture))


def batch(cell: Cell, batch_size: int) -> Any:
    """Return keyword arguments of fit's forward pass, channels first."""
    return {
        "images": channels_first(work.images(cell, batch_size)),
        "targets": channels_first(work.moments(cell, batch_size)),
    }


def sample(model: Any, cell: Cell, batch_size: int, tick: Tick) -> dict[str, Any]:
    """Make steps of ``StableDiffusionPipeline`` around our UNet, with ``tick()`` before each.

    Embeddings take the text encoder's place and the picture is not decoded: neither
    is part of a step. DDIM evaluates the UNet once per step, on both halves of the
    guidance together; KerasCV's own sampler is DDIM too. (The page's script took what
    ``from_pretrained`` gives, PNDM, which evaluates it once more in all.)
    """
    arrays = (*work.embeddings(cell, batch_size), channels_first(work.noise(cell, batch_size)))
    prompts, empty, latents = (torch.from_numpy(array).to(model.device) for array in arrays)
    steps = work.Steps(tick)
    hooks = [
        model.register_forward_pre_hook(
            lambda module, arguments: steps.evaluation(arguments[1], len(arguments[0]))
        ),
        model.register_forward_hook(lambda module, arguments, found: steps.keep(found)),
    ]
    # DDIM reads each step's timestep from the device, right behind the UNet.
    results = f"{LEFT}; the scheduler waits"
    try:
        found = steps.run(lambda: run_pipeline(model, prompts, empty, latents), results)
        return {**found, "outputs": [tensor.cpu().numpy() for tensor in steps.outputs or ()]}
    finally:
        for hook in hooks:
            hook.remove()


def run_pipeline(unet: Any, prompts: Any, empty: Any, latents: Any) -> None:
    """Run all steps of ``StableDiffusionPipeline`` around a UNet; the image is not decoded.

    prompts, empty: embeddings of (batch, length, context) instead of a text encoder's output.
    latents: (batch, 4, side, side). All are tensors on the UNet's device.
    """
    absent = dict.fromkeys(("tokenizer", "safety_checker", "feature_extractor"))
    parts = {"unet": unet, "scheduler": diffusers.DDIMScheduler(**SCHEDULE), **absent}
    try:
        pipeline = _pipeline(vae=None, text_encoder=None, **parts)
    except AttributeError:  # Diffusers 0.25 reads dtype and sizes of parts it never runs
        sizes = SimpleNamespace(block_out_channels=(0, 0, 0, 0))
        unused = SimpleNamespace(dtype=unet.dtype, config=sizes, modules=list)
        pipeline = _pipeline(vae=unused, text_encoder=unused, **parts)
    options = {"latents": latents, "num_inference_steps": work.LENGTH, "output_type": "latent"}
    pipeline(prompt_embeds=prompts, negative_prompt_embeds=empty, **options)


def _pipeline(**parts: Any) -> Any:
    return diffusers.StableDiffusionPipeline(requires_safety_checker=False, **parts)


LOOPS = {"predict": sample}


def image_encoder(a: Architecture) -> Any:
    """Return ``AutoencoderKL``'s encoder: images to the 8 channels of the moments."""
    widths = a["vae_widths"]
    return diffusers.AutoencoderKL(
        block_out_channels=widths,
        layers_per_block=a["blocks"],
        down_block_types=["DownEncoderBlock2D"] * len(widths),
        up_block_types=["UpDecoderBlock2D"] * len(widths),
        latent_channels=work.LATENT_CHANNELS,
    ).encoder


def unet(a: Architecture) -> Any:
    """Return ``UNet2DConditionModel``; its deepest level has no attention."""
    widths = a["unet_widths"]
    attending = len(widths) - 1
    return diffusers.UNet2DConditionModel(
        sample_size=a["image_size"] // 8,
        block_out_channels=widths,
        layers_per_block=a["blocks"],
        down_block_types=["CrossAttnDownBlock2D"] * attending + ["DownBlock2D"],
        up_block_types=["UpBlock2D"] + ["CrossAttnUpBlock2D"] * attending,
        cross_attention_dim=a["context_size"],
        attention_head_dim=a["unet_heads"],  # the number of heads, by an old misnomer
    )
