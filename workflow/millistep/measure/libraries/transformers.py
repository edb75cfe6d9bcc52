"""HuggingFace Transformers, from 4.38 on."""

from typing import Any

import torch
import transformers

# A private name: by itself ``generate()`` compiles on accelerators alone.
ALL_DEVICES = "_compile_all_devices"


def forced_on_host(config: Any, device: str) -> bool:
    """Return True if ``generate()`` compiles on the host because of that private name."""
    return device == "cpu" and bool(getattr(config, ALL_DEVICES, False))


def in_dtype(name: str) -> dict[str, Any]:
    """Return options that make a model with numbers of this type from the start."""
    today = hasattr(transformers.PretrainedConfig(), "dtype")
    return {"dtype" if today else "torch_dtype": getattr(torch, name)}


def compile_generation(model: Any, mode: str | None) -> None:
    """Have ``generate()`` run compiled, as the documentation of the release describes.

    Today it compiles each token's pass by itself where the cache is static, and never the pass
    over the prompt, which creates the cache and marks its addresses as fixed for torch.compile.
    Before, users compiled the forward pass, with a static cache where the model has one.
    """
    if hasattr(transformers, "CompileConfig"):
        config = transformers.CompileConfig(mode=mode)
        setattr(config, ALL_DEVICES, True)  # on the host, too, so that both run the same path
        model.generation_config.update(cache_implementation="static", compile_config=config)
        return
    if hasattr(model, "_setup_cache"):
        model.generation_config.update(cache_implementation="static")
    model.forward = torch.compile(model.forward, mode=mode)
