"""Columns: a framework with settings, and the words that follow from them by rule.

Path word, title and look depend on the column alone, never on its neighbours or on the machine: a
setting that a column names stands in them, unless it is the framework's own default.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from planning.config import ConfigError, check_word
from planning.frameworks import Framework
from planning.looks import Look, look
from planning.overlays import Overlay, overlays

STACK = "2026-11"  # today's: what a column has that names none
# Those that every column takes, with what stands for the default; then those of some frameworks.
EVERY = {
    "accelerator": "auto",
    "stack": STACK,
    "precision": "default",
    "threads": "auto",
    "interpreter": None,
    "overlay": (),
}
# The order in which they stand in names and titles.
SETTINGS = (
    "accelerator",
    "stack",
    "precision",
    "mode",
    "jit_compile",
    "optimizer",
    "cudnn_benchmark",
    "way",
    "threads",
    "interpreter",
    "overlay",
)
DEVICES = {"cpu": "CPU", "cuda": "GPU"}
# In which an operation is written; another word is its own title.
WAYS = {
    "framework": "framework alone",
    "native": "native code",
    "naive": "native code, -O3 alone",
    "callback": "C through a callback",
    "triton": "Triton",
    "python": "Python alone",
    "numpy": "NumPy",
    "numba": "Numba",
    "cython": "Cython",
}


@dataclass(frozen=True)
class Column:
    """A column of the table, with everything that ``auto`` and the global keys stand for."""

    framework: Framework
    name: str  # word of the paths
    title: str
    look: Look
    accelerator: str  # cpu, cuda
    stack: str
    precision: str  # of float32 products: default, float32, tf32
    threads: int
    interpreter: str | None  # the user's own, instead of the locked environment
    overlay: tuple[Overlay, ...]
    mode: str | None = None  # of torch.compile, where the framework takes it
    jit_compile: str | bool | None = None  # of Keras, where the framework takes it
    optimizer: str | None = None  # how native PyTorch updates parameters
    cudnn_benchmark: bool | None = None  # of PyTorch: convolutions tuned by trying
    way: str | None = None  # in which a model's operation is written, where the framework takes it

    def __hash__(self) -> int:
        """No two of a plan have the same name; tens of thousands of runs hash theirs."""
        return hash(self.name)

    @property
    def rule(self) -> str:
        """The name of the rule that times it: ``time_keras3_jax__float32``."""
        return re.sub(r"\W", "_", f"time_{self.name}".replace("+", "__"))

    @property
    def settings(self) -> dict:
        """What the framework was told, as the plan's document and the effects have it."""
        found = {name: getattr(self, name) for name in SETTINGS}
        found["overlay"] = [overlay.title for overlay in self.overlay]
        taken = {*EVERY, *dict(self.framework.settings)}
        return {name: value for name, value in found.items() if name in taken}

    @property
    def of_framework(self) -> dict:
        """Settings that this framework takes beside those that all take."""
        return {name: getattr(self, name) for name, _ in self.framework.settings}


def columns(
    asked: list, frameworks: Mapping[str, Framework], defaults: Mapping[str, object]
) -> list[Column]:
    """Those of the configuration, in its order; raises :class:`ConfigError`.

    asked: names of frameworks, or mappings of ``framework`` and settings. defaults: what a setting
    has that is not named, and ``interpreters`` by framework.
    """
    found: dict[str, Column] = {}
    for place, entry in enumerate(asked):
        column = _column(place, entry, frameworks, defaults)
        check_word(f"columns.{place}", column.name)
        if column.name in found:
            raise ConfigError(
                f"columns.{place}: a second column is called {column.name}; "
                "they must differ in a setting that is not the default, folders and "
                "interpreters also in their names"
            )
        found[column.name] = column
    return list(found.values())


def _column(place: int, entry, frameworks, defaults) -> Column:
    entry = {"framework": entry} if isinstance(entry, str) else dict(entry)
    name = entry.pop("framework")
    if name not in frameworks:
        allowed = ", ".join(frameworks)
        raise ConfigError(f"columns.{place}: unknown framework '{name}'; allowed are {allowed}")
    framework = frameworks[name]
    own = {**EVERY, **dict(framework.settings)}
    for setting in entry:
        if setting not in own:
            allowed = ", ".join(s for s in SETTINGS if s in own)
            raise ConfigError(
                f"columns.{place}.{setting}: {name} does not take it; allowed are {allowed}"
            )
    if "overlay" in entry:
        entry["overlay"] = overlays(entry["overlay"], f"columns.{place}.overlay")
    interpreter = entry.get("interpreter") or defaults["interpreters"].get(name)
    if interpreter and entry.get("overlay"):
        raise ConfigError(
            f"columns.{place}.overlay: not put over an interpreter of your own; "
            f"install it there, or leave {interpreter} out"
        )
    told = {setting: value for setting, value in entry.items() if value != own[setting]}
    words = [part for s in SETTINGS if s in told for part in _words(s, told[s])]
    return Column(
        framework=framework,
        name="+".join([name, *(word for word, _ in words)]),
        title=", ".join([framework.title, *(title for _, title in words)]),
        look=look(framework, told),
        **{**_resolved(framework, own, defaults), **_named(entry, defaults)},
    )


def _resolved(framework: Framework, own: dict, defaults: Mapping[str, object]) -> dict:
    """What a column has that names nothing."""
    interpreters = defaults["interpreters"]
    found = {setting: defaults.get(setting, value) for setting, value in own.items()}
    return {**found, "interpreter": interpreters.get(framework.name)}


def _named(entry: Mapping[str, object], defaults: Mapping[str, object]) -> dict:
    """What it names; ``auto`` of accelerator and threads is the plan's."""
    return {
        setting: defaults[setting]
        if value == "auto" and setting in ("accelerator", "threads")
        else value
        for setting, value in entry.items()
    }


def _words(setting: str, value) -> list[tuple[str, str]]:
    """``(path word, title)`` of a setting's value; an overlay has one for each package."""
    if setting == "overlay":
        return [(overlay.word, overlay.title) for overlay in value]
    if setting == "accelerator":
        return [(value, DEVICES[value])]
    if setting == "precision":
        return [(value, {"tf32": "TF32"}.get(value, value))]
    if setting == "mode":
        return [(value, f"mode {value}" if value == "default" else value)]
    if setting == "jit_compile":
        word = {True: "jit", False: "no-jit"}.get(value, value)
        return [(word, f"jit_compile {str(value).lower()}")]
    if setting == "optimizer":
        return [(f"{value}-optimizer", f"{value} optimizer")]
    if setting == "cudnn_benchmark":
        return [("cudnn-benchmark", "cuDNN benchmark")]
    if setting == "way":
        return [(value, WAYS.get(value, value))]
    if setting == "threads":
        ending = "" if value == 1 else "s"
        return [(f"{value}-thread{ending}", f"{value} thread{ending}")]
    if setting == "interpreter":
        digest = hashlib.sha256(value.encode()).hexdigest()[:6]
        return [(f"python-{digest}", f"own interpreter {digest}")]
    return [(value, f"stack {value}")]
