"""What a row measures, in the words of its ``model.yaml`` with the sizes of a scale filled in."""

from __future__ import annotations

from millistep.planning.config import ConfigError
from millistep.planning.models import Model

# Titles in the order of the list. `short` has no title: it is printed below a row's name.
TITLES = {
    "step": "One step",
    "network": "Network",
    "inputs": "Inputs",
    "trained": "Trained",
    "optimizer": "Optimizer",
    "loss": "Loss",
    "precision": "Precision",
    "parameters": "Parameters",
    "memory": "Memory at least",
}


def measures(model: Model, task: str, scale: str) -> dict[str, str]:
    """Return words by the keys of ``TITLES`` and `short`; some (the memory) are computed from the
    sizes.

    Raises :class:`ConfigError` for a name in braces that is no size of the model.
    """
    about, sizes = model.tasks[task], model.architecture[scale]
    found = {}
    for name, text in about.measures.model_dump(exclude_unset=True).items():
        try:
            found[name] = text.format_map({key: _words(size) for key, size in sizes.items()})
        except (LookupError, ValueError, AttributeError, TypeError) as problem:
            raise ConfigError(
                f"{model.file}: tasks.{task}.measures.{name}: {problem} is no "
                f"size of it; allowed in braces are {', '.join(sizes)}"
            ) from None
    if count := about.parameters[scale]:
        gib = model.least_memory_mib(task, scale) / 1024
        found |= {"precision": sizes.get("dtype", "float32"), "parameters": f"{count:,}"}
        found["memory"] = f"{gib:.1f} GiB" if gib >= 1 else f"{gib * 1024:,.0f} MiB"
    return found


def _words(size: object) -> str:
    """Return a size as a reader writes it: a list as `1, 2`, inner lists as `128 x 7`."""
    if isinstance(size, list):
        inner = (_words(each).replace(", ", " x ") for each in size)
        return ", ".join(inner) or "none"
    return f"{size:,}" if isinstance(size, int) and not isinstance(size, bool) else str(size)
