"""Diffusers, from 0.3 on."""

import inspect
from types import SimpleNamespace
from typing import Any

import diffusers
import torch

SCHEDULE = {  # of Stable Diffusion v1.4
    "beta_start": 0.00085,
    "beta_end": 0.012,
    "beta_schedule": "scaled_linear",
    "clip_sample": False,
    "steps_offset": 1,
}


def ddim() -> Any:
    """The DDIM sampler; to one that takes no offset the pipeline gives it."""
    taken = inspect.signature(diffusers.DDIMScheduler.__init__).parameters
    return diffusers.DDIMScheduler(**{k: v for k, v in SCHEDULE.items() if k in taken})


def attention(unet: Any) -> str:
    """The attention processor that was chosen; 2_0 is PyTorch's fused attention. Releases without
    processors write the attention out.
    """
    used = {type(m.processor).__name__ for m in unet.modules() if hasattr(m, "processor")}
    return "sdpa" if used == {"AttnProcessor2_0"} else ", ".join(sorted(used)) or "matmul"


def run_pipeline(unet: Any, prompts: Any, empty: Any, latents: Any, steps: int) -> None:
    """Run all steps of ``StableDiffusionPipeline`` around a UNet; the picture is not decoded.

    prompts, empty: embeddings of (batch, length, context), which take the text encoder's place.
    latents: (batch, 4, side, side). All are tensors on the UNet's device.
    """
    kind = diffusers.StableDiffusionPipeline
    options = {"latents": latents, "num_inference_steps": steps}
    parts = {"unet": unet, "scheduler": ddim()}
    if "prompt_embeds" not in inspect.signature(kind.__call__).parameters:
        side = 8 * latents.shape[-1]
        texts = {"tokenizer": _Tokenizer(), "text_encoder": _Encoder(prompts, empty)}
        absent = dict.fromkeys(("vae", "safety_checker", "feature_extractor"), _Part(unet.dtype))
        pipeline = kind(**texts, **absent, **parts)
        pipeline(["text"] * len(prompts), height=side, width=side, **options)
        return
    parts |= {"tokenizer": None, "safety_checker": None, "feature_extractor": None}
    parts |= {"requires_safety_checker": False}
    try:
        pipeline = kind(vae=None, text_encoder=None, **parts)
    except AttributeError:  # some releases look at parts that they do not need
        pipeline = kind(vae=_Part(unet.dtype), text_encoder=_Part(unet.dtype), **parts)
    embeddings = {"prompt_embeds": prompts, "negative_prompt_embeds": empty}
    pipeline(**embeddings, **options, output_type="latent")


class _Part:
    """Stands in for a part that a pipeline wants and no step needs."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        self.config = SimpleNamespace(block_out_channels=(0, 0, 0, 0))  # pictures 8 times as large

    def modules(self) -> list[Any]:
        return []


class _Tokenizer:
    """Makes one token of each text: 0 of an empty one, else 1."""

    model_max_length = 1

    def __call__(self, texts: list[str], **_: Any) -> SimpleNamespace:
        return SimpleNamespace(input_ids=torch.tensor([[int(bool(text))] for text in texts]))


class _Encoder:
    """Returns the embeddings that were given: for the token of an empty text, or of any other."""

    def __init__(self, prompts: Any, empty: Any) -> None:
        self._embeddings = (empty, prompts)

    def __call__(self, tokens: Any) -> tuple[Any]:
        return (self._embeddings[int(tokens[0, 0])],)
