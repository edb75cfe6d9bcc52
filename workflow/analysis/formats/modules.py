"""What the report's files name by the module in which it is made."""

from collections.abc import Callable
from importlib import import_module
from typing import Any


def function(module: str, name: str) -> Callable[..., Any]:
    """The function of this name in a module of the analysis."""
    return getattr(import_module(f"analysis.{module}"), name)
