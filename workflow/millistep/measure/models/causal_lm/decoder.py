"""Sizes of a decoder, by the names that KerasNLP and KerasHub have for them."""

from typing import Any

from millistep.measure.models import Architecture


def sizes(a: Architecture) -> dict[str, Any]:
    """Return arguments of a backbone that every decoder takes."""
    return {
        "vocabulary_size": a["vocabulary_size"],
        "num_layers": a["layers"],
        "num_query_heads": a["heads"],
        "num_key_value_heads": a["key_value_heads"],
        "hidden_dim": a["hidden_size"],
        "dtype": a["dtype"],
    }
