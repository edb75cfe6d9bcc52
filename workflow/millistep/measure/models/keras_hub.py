"""KerasHub, or KerasNLP, as it was called before 0.17: ``library`` is the one that is there."""

import importlib
import inspect
from typing import Any

try:
    import keras_hub as library
except ModuleNotFoundError:
    import keras_nlp as library

__all__ = ["backbone_with_heads", "decoder_attention", "library"]


def backbone_with_heads(backbone: Any, *, head_dim: int, **sizes: Any) -> Any:
    """Return a backbone with heads of this size, also of a class that takes none."""
    if "head_dim" in inspect.signature(backbone.__init__).parameters:
        sizes["head_dim"] = head_dim
    elif head_dim * sizes["num_query_heads"] != sizes["hidden_dim"]:
        raise ValueError(f"{backbone.__name__} has heads of hidden_dim / num_query_heads alone")
    return backbone(**sizes)


def decoder_attention(layer: Any = None) -> str:
    """Return the implementation that a decoder's attention really takes.

    layer: its attention layer, if that decides by itself; else the library does.
    """
    if layer is not None:
        decides = getattr(layer, "_use_fused_attention_op", None)
    else:
        utils = importlib.import_module(f"{library.__name__}.src.utils.keras_utils")
        decides = getattr(utils, "fused_attention_op_available", None)
    return "keras.ops.dot_product_attention" if decides and decides() else "einsum"
