"""``generate()`` of KerasNLP and KerasHub, on Keras 2 and on Keras 3."""

import inspect
from typing import Any


def never_stopping(model: Any) -> dict[str, Any]:
    """Return options of ``generate()`` with which no token ends an answer early."""
    if "stop_token_ids" in inspect.signature(model.generate).parameters:
        return {"stop_token_ids": None}
    model.preprocessor.tokenizer.end_token_id = -1  # read at each call; no token has it
    return {}
