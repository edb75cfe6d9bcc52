"""PEFT, from 0.9 on."""

import inspect
from typing import Any

import peft


def adapted(model: Any, config: Any) -> Any:
    """Add adapters of the model's own dtype; earlier releases had no others."""
    own = "autocast_adapter_dtype" in inspect.signature(peft.get_peft_model).parameters
    return peft.get_peft_model(model, config, **({"autocast_adapter_dtype": False} if own else {}))
