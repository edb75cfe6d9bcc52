"""The settings that a configuration of the table may have, with all texts about each setting."""

import hashlib
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from millistep.contracts.base import NoNumber, Omittable, Precision, Switch, Text, UserFile

Path = Annotated[
    str,
    Field(min_length=1, max_length=1000, pattern="^[^\\x00-\\x1f\\x7f]*$", description="a path"),
]
Interpreter = Annotated[
    Path, Field(description="the path of a Python interpreter, without control characters")
]
Versions = Annotated[dict[str, Text], Field(min_length=1)]
Threads = Annotated[int, Field(ge=1, le=65536)]


@dataclass(frozen=True)
class Setting:
    """The texts about a setting, and where it applies."""

    title: str
    frameworks: tuple[str, ...] = ()  # that take it; by default all
    tasks: tuple[str, ...] = ()  # in which it changes anything; by default any
    # Texts about one value, or about all (`*`): its `word` in paths and its `title`, with `{value}`
    # and its `{digest}`.
    values: dict[str, dict[str, str]] = field(default_factory=dict)


class Settings(UserFile):
    """Settings of a configuration. After a change, run python3 docs/tables.py"""

    # Names and titles list settings in this order.
    accelerator: Annotated[
        Literal["auto", "cpu", "cuda"],
        Setting(
            "device that runs the steps", values={"cpu": {"title": "CPU"}, "cuda": {"title": "GPU"}}
        ),
    ] = "auto"
    stack: Annotated[
        str,
        Field(
            pattern="^[0-9]{4}-[0-9]{2}$",
            description="the name of a folder of envs, like '2026-11'",
        ),
        Setting(
            "software stack: dated set of locked library versions; 2024-03 has the versions of the "
            "published benchmark",
            values={"*": {"title": "stack {value}"}},
        ),
    ] = "2026-11"
    precision: Annotated[
        Precision,
        Setting(
            "precision of float32 products; default is each framework's own precision",
            values={"tf32": {"title": "TF32"}},
        ),
    ] = "default"
    mode: Annotated[
        Literal["default", "reduce-overhead", "max-autotune"],
        Setting(
            "mode of torch.compile",
            frameworks=("pytorch-compiled",),
            values={"default": {"title": "mode default"}},
        ),
    ] = "reduce-overhead"
    jit_compile: Annotated[
        Literal["published", "auto", True, False],
        NoNumber,
        Setting(
            "XLA in Keras; published follows the published benchmark, auto is Keras' own choice",
            frameworks=("keras2-tensorflow", "keras3-tensorflow", "keras3-jax", "keras3-torch"),
            values={
                "*": {"title": "jit_compile {value}"},
                "true": {"word": "jit"},
                "false": {"word": "no-jit"},
            },
        ),
    ] = "published"
    optimizer: Annotated[
        Literal["default", "foreach", "fused"],
        Setting(
            "implementation of the parameter update in native PyTorch; default is PyTorch's own "
            "choice",
            frameworks=("pytorch-eager", "pytorch-compiled"),
            tasks=("fit",),
            values={"*": {"word": "{value}-optimizer", "title": "{value} optimizer"}},
        ),
    ] = "default"
    cudnn_benchmark: Annotated[
        Switch,
        Setting(
            "PyTorch tries convolution algorithms and uses the fastest",
            frameworks=("keras3-torch", "pytorch-eager", "pytorch-compiled"),
            values={"*": {"word": "cudnn-benchmark", "title": "cuDNN benchmark"}},
        ),
    ] = False
    threads: Annotated[
        Literal["auto"] | Threads,
        Field(description="allowed are 'auto' or a whole number from 1 to 65536"),
        Setting(
            "threads of the framework, each pinned to a logical CPU",
            values={
                "*": {"word": "{value}-threads", "title": "{value} threads"},
                "1": {"word": "1-thread", "title": "1 thread"},
            },
        ),
    ] = "auto"
    interpreter: Annotated[
        Omittable[Interpreter],
        Setting(
            "Python interpreter instead of the locked environment",
            values={"*": {"word": "python-{digest}", "title": "custom interpreter {digest}"}},
        ),
    ] = None
    overlay: Annotated[
        Versions | Annotated[list[Path | Versions], Field(min_length=1)],
        Setting("package override: packages installed over the locked environment"),
    ] = Field(
        default_factory=list,
        description="a mapping of packages to versions in quotes, or a list of such mappings, "
        "wheels and folders",
    )
    again: Annotated[
        Switch,
        Setting(
            "the same configuration a second time: an A/A test",
            values={"*": {"word": "again", "title": "again"}},
        ),
    ] = False


class Column(Settings):
    """A framework and its settings."""

    framework: Annotated[str, Field(description="the name of a framework")]


SETTINGS: dict[str, Setting] = {
    name: setting
    for name, declared in Settings.model_fields.items()
    for setting in declared.metadata
    if isinstance(setting, Setting)
}
DEFAULTS: dict[str, Any] = {
    name: of.get_default(call_default_factory=True) for name, of in Settings.model_fields.items()
}


def texts(setting: str, value: Any) -> tuple[str, str]:
    """Return a value's word in paths and its title."""
    text, of_values = spelled(value), SETTINGS[setting].values
    facts = {"value": text, "digest": hashlib.sha256(text.encode(errors="replace")).hexdigest()[:6]}
    usual = {"word": "{value}", "title": "{value}"}
    found = {**usual, **of_values.get("*", {}), **of_values.get(text, {})}
    return found["word"].format(**facts), found["title"].format(**facts)


def spelled(value: Any) -> str:
    """Return a value as it is written in the configuration."""
    return str(value).lower() if isinstance(value, bool) else str(value)
