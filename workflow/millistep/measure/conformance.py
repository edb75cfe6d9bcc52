"""Checks that a run is about its row; where one fails, the run is an error, never a number."""

import math
from collections.abc import Callable
from typing import Any

WORK = ("flops_per_step", "tokens_per_step", "images_per_step")
SETTING_HINTS = {
    "jit_compile": "; in build(cell), pass **xla.options(cell, keras) to compile(), as "
    "docs/custom-model.md does"
}


class WrongModel(RuntimeError):
    """The model that was built is not the one that the row is about."""


def check_work(model: str, amount: dict[str, Any]) -> None:
    """Raise :class:`WrongModel` unless a model's ``per_step`` returned what a record holds."""
    if not isinstance(amount, dict) or set(amount) != set(WORK):
        raise WrongModel(
            f"work.py of {model}: per_step returned {', '.join(amount or ()) or 'nothing'}; "
            f"needed are {', '.join(WORK)}"
        )
    for name, value in amount.items():
        if hasattr(value, "item"):
            amount[name] = value = value.item()  # a number of NumPy's
        whole = isinstance(value, int) or (name == WORK[0] and isinstance(value, float))
        if value is not None and (not whole or not math.isfinite(value) or value < 0):
            kind = "a number" if name == WORK[0] else "a whole number"
            raise WrongModel(f"work.py of {model}: {name} is {value!r}; needed is {kind} or None")


def check_model(sizes: dict[str, Any], parameters: int, trains: str, where: str) -> None:
    """Raise :class:`WrongModel` unless size and what is trained are as declared.

    where: the place in model.yaml that declares the parameters; a variant declares its own. It may
    have them as one library counts them, which is not as another one does.
    """
    trainable = sizes["trainable_parameters"]
    base = sizes["parameters"] - (trainable if trains == "adapters" else 0)
    averages, second = (sizes.get(name, 0) for name in ("moving_averages", "second_biases"))
    counts = {base, base + averages, base + second, base + averages + second}
    # Meta's SegmentAnything has 256 of 641 million fewer than KerasCV's.
    if all(abs(count - parameters) > parameters / 1000 for count in counts):
        hint = "; call it once in build(cell), so that it makes its weights" if not base else ""
        raise WrongModel(
            f"{base:,} parameters were built, the row is about {parameters:,} "
            f"(model.yaml: {where}, or parameters of the variant){hint}"
        )
    if trains != "nothing" and not trainable:
        raise WrongModel("nothing is trainable: fit would report a time for no training")


class WrongSetting(RuntimeError):
    """The built model does not have a setting of the configuration."""


def check_settings(asked: Any, live: dict[str, Any]) -> None:
    """Raise :class:`WrongSetting` unless the built model has the settings of its column.

    asked: settings by attribute. live: those that the built model has, by name.
    """
    for name, found in live.items():
        wanted = getattr(asked, name)
        if wanted not in ("published", "auto", "default") and found != wanted:
            hint = SETTING_HINTS.get(name, "")
            raise WrongSetting(
                f"{name}: {_word(wanted)} was requested, the built model has {_word(found)}{hint}"
            )


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class WrongDevice(RuntimeError):
    """The framework computes on another kind of device than the requested one."""


def check_device(asked: str, live: Callable[[], tuple[str, str]]) -> None:
    """Raise :class:`WrongDevice` unless the library computes on the requested device.

    live: returns where it computes, see :mod:`measure.device`; may raise if there is no device.
    """
    try:
        found, library = live()
    except Exception as error:
        words = next(iter(str(error).splitlines()), "")
        raise WrongDevice(f"{asked} was requested: {type(error).__name__}: {words}") from error
    if found != asked:
        raise WrongDevice(f"{asked} was requested, {library} computes on {found}")


class WrongPrecision(RuntimeError):
    """Float32 products are not computed in the precision of the configuration."""


def check_precision(asked: str, used: dict[str, Any]) -> None:
    """Raise :class:`WrongPrecision` unless the tested products have the requested precision."""
    for kind, found in used.items():
        if found != asked:
            raise WrongPrecision(f"precision {asked} was requested, {kind} is {found}")
