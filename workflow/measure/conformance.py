"""Checks that a run is about its row; where one fails, the run is an error, never a number."""

from collections.abc import Callable
from typing import Any

WORK = ("flops_per_step", "tokens_per_step", "images_per_step")


class WrongModel(RuntimeError):
    """The model that was built is not the one that the row is about."""


def check_work(model: str, amount: dict[str, Any]) -> None:
    """Raise :class:`WrongModel` unless a model's ``per_step`` returned what a record holds."""
    if set(amount) != set(WORK):
        raise WrongModel(
            f"work.py of {model}: per_step returned {', '.join(amount) or 'nothing'}; "
            f"needed are {', '.join(WORK)}"
        )


def check_model(sizes: dict, parameters: int, trains: str, where: str) -> None:
    """Raise :class:`WrongModel` unless size and what is trained are as declared.

    where: the place in model.yaml that declares the parameters; a variant declares its own.
    """
    trainable = sizes["trainable_parameters"]
    base = sizes["parameters"] - (trainable if trains == "adapters" else 0)
    # Meta's SegmentAnything has 256 of 641 million fewer than KerasCV's.
    if abs(base - parameters) > parameters / 1000:
        raise WrongModel(
            f"{base:,} parameters were built, the row is about {parameters:,} "
            f"(model.yaml: {where}, or parameters of the variant)"
        )
    if trains != "nothing" and not trainable:
        raise WrongModel("nothing is trainable: fit would report a time for no training")


class WrongDevice(RuntimeError):
    """The framework computes on another kind of device than the one that was asked for."""


def check_device(asked: str, live: Callable[[], tuple[str, str]]) -> None:
    """Raise :class:`WrongDevice` unless the library computes on the device that was asked for.

    live: returns where it computes, see :mod:`measure.live`; may raise if there is no device.
    """
    try:
        found, library = live()
    except Exception as error:
        words = next(iter(str(error).splitlines()), "")
        raise WrongDevice(f"{asked} was asked for: {type(error).__name__}: {words}") from error
    if found != asked:
        raise WrongDevice(f"{asked} was asked for, {library} computes on {found}")


class WrongPrecision(RuntimeError):
    """Float32 products are not computed in the precision that the configuration asks for."""


def check_precision(asked: str, used: dict) -> None:
    """Raise :class:`WrongPrecision` unless the products that were tried have the one asked for."""
    for kind, found in used.items():
        if found != asked:
            raise WrongPrecision(f"precision {asked} was asked for, {kind} is {found}")
