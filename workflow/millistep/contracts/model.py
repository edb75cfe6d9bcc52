"""The content of a model's ``model.yaml`` and of a folder's ``frameworks.yaml``."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, NoReturn, Self, TypeVar

from pydantic import AfterValidator, ConfigDict, Field, JsonValue, RootModel, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError, ValidationError

from millistep.contracts.base import (
    Omittable,
    ScaleKey,
    Task,
    TaskKey,
    Text,
    Unique,
    UserFile,
    short,
)
from millistep.contracts.config import BatchSize
from millistep.contracts.settings import Settings

SCALES = ("paper", "laptop", "smoke")
COUNT = "the model's number of parameters is a whole number from"
T = TypeVar("T")


def _every_scale(values: dict[str, T]) -> dict[str, T]:
    for scale in SCALES:
        if scale not in values:
            words = f"'{scale}' is missing; needed are {', '.join(SCALES)}"
            raise PydanticCustomError("line", words)
    return values


ByScale = Annotated[
    dict[ScaleKey, T],
    AfterValidator(_every_scale),
    Field(json_schema_extra={"required": list(SCALES)}),
]
Size = Annotated[
    JsonValue,
    Field(description="a size is a finite number, or another value that the builders read"),
]
Sizes = Annotated[
    dict[str, Size], Field(min_length=1, description="a mapping of sizes that the builders read")
]
SomeBatchSizes = Annotated[
    Unique[BatchSize], Field(min_length=1, description="a list of at least one batch size from 1")
]
Count = Annotated[int, Field(ge=1, le=10**15, description=f"{COUNT} 1 to 10^15")]
AnyCount = Annotated[int, Field(ge=0, le=10**15, description=f"{COUNT} 0 (one operation) to 10^15")]
Words = Annotated[
    str,
    Field(
        min_length=1,
        description="a text for the report; the value of a size replaces its name in braces",
    ),
]
Name = Annotated[str, Field(pattern="^[a-z][a-z0-9_]*$")]
Suffix = Annotated[
    str,
    Field(pattern="^[a-z0-9]{1,20}$", description="a suffix has at most 20 letters a-z and digits"),
]
FrameworkName = Annotated[
    str,
    Field(
        max_length=40,
        pattern="^[a-z][a-z0-9]*(-[a-z0-9]+)*$",
        description="a framework's name has at most 40 lowercase letters, digits and hyphens, and "
        "starts with a letter",
    ),
]
Color = Annotated[str, Field(pattern="^#[0-9a-f]{6}$", description='a color like "#0072b2"')]


class Measures(UserFile):
    """What a task measures, in words."""

    short: Annotated[Words, Field(max_length=50)] = ""
    step: Words = ""
    network: Words = ""
    inputs: Words = ""
    trained: Words = ""
    optimizer: Words = ""
    loss: Words = ""


Length = Annotated[int, Field(ge=1, le=10**6)]
LENGTH = "a whole number from 1 to 1000000"
# Kinds of sizes in words; a probe has sizes of the same kinds as the model.
KINDS: dict[type, str] = {
    bool: "true or false",
    int: "a whole number from 0",
    float: "a number from 0",
    str: "a text",
    list: "a list",
    dict: "a mapping",
}


class Probe(UserFile):
    """A mapping of the sizes that differ from those of the workload."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Size]
    batch_size: Omittable[BatchSize] = Field(None, description=LENGTH)
    max_length: Omittable[Length] = Field(None, description=LENGTH)
    prompt_tokens: Omittable[Length] = Field(None, description=LENGTH)

    @model_validator(mode="after")
    def _some(self) -> Self:
        if not self.model_fields_set:
            raise PydanticCustomError("empty", "at least one size is needed")
        return self

    def faults(self, sizes: dict[str, Any], scale: str) -> Iterator[tuple[str, ...]]:
        """Yield a line, and the size's name, for each size that a model with these cannot have."""
        known = {**dict.fromkeys(Probe.model_fields), **sizes}
        for name, size in (self.model_extra or {}).items():
            if name not in known:
                yield (f"unknown size {short(name)}; allowed are {', '.join(known)}",)
                continue
            kind = type(known[name])
            alike = type(size) is kind or (kind is float and type(size) is int)
            if kind in KINDS and not (alike and (kind not in (int, float) or size >= 0)):
                words = f"{short(size)} is not allowed; {KINDS[kind]}, as in architecture.{scale}"
                yield words, name
        length = self.max_length or sizes.get("max_length")
        if self.prompt_tokens and isinstance(length, int) and self.prompt_tokens >= length:
            words = f"{self.prompt_tokens} is not allowed; less than max_length ({length})"
            yield words, "prompt_tokens"


def _refuse(words: str, *place: str | int) -> NoReturn:
    """Raise a violation with its whole line, at a place within the model that is validated."""
    details = [InitErrorDetails(type=PydanticCustomError("line", words), loc=place, input=0)]
    raise ValidationError.from_exception_data("line", details)


class TaskOfModel(UserFile):
    """A mapping with the batch sizes of each scale, the published batch sizes, the trained part and
    the numbers of parameters.
    """

    published: list[BatchSize] = Field(description="a list of the published batch sizes, or empty")
    paper: SomeBatchSizes
    laptop: SomeBatchSizes
    smoke: SomeBatchSizes
    trains: Literal["all", "adapters", "nothing"]
    measures: Measures = Field(
        Measures(), description=f"a mapping of {', '.join(Measures.model_fields)} to texts"
    )
    parameters: ByScale[AnyCount] = Field(
        description="a mapping of the scales paper, laptop and smoke to numbers of parameters"
    )
    probes: dict[ScaleKey, list[Probe]] = Field(
        {}, description="a mapping of scales to lists of other sizes"
    )

    @model_validator(mode="after")
    def _trained_parameters(self) -> Self:
        """Refuse a trained part without parameters."""
        lacking = [scale for scale, count in self.parameters.items() if not count]
        if lacking and self.trains != "nothing":
            _refuse(f"0 is not allowed; {COUNT} 1 to 10^15", "parameters", lacking[0])
        return self

    def batch_sizes(self, scale: str) -> list[int]:
        return list(getattr(self, scale))

    def probes_at(self, scale: str) -> list[dict[str, Any]]:
        return [probe.model_dump(exclude_unset=True) for probe in self.probes.get(scale, [])]


class Variant(UserFile):
    """A mapping with sizes and parameters."""

    sizes: Sizes
    parameters: Count


class Incapable(UserFile):
    """A mapping with column, task, jit_compile and reason."""

    column: Text = Field(description="the name of a configuration or of its framework")
    task: Omittable[Task] = Field(None, description="a task; if omitted, all tasks")
    jit_compile: Omittable[bool] = Field(
        None, description="true or false, the configuration's setting; if omitted, all"
    )
    reason: Text = Field(description="the reason, as text")


class ModelFile(UserFile):
    """A model: the content of its model.yaml."""

    title: Annotated[str, Field(pattern="^[^\x00-\x1f\x7f]+$")] = Field(
        description="the model's name in tables, as text in one line"
    )
    citation: Text = Field(description="the publication to cite, as text; 'none' if there is none")
    preset: Text = Field(description="the name of its published weights; 'none' if there are none")
    builders: Annotated[str, Field(pattern="^[A-Za-z0-9_]*$")] = Field(
        "",
        description="the name of the folder next to the model's folder with its builders, if its "
        "own folder has none: letters, digits and underscores",
    )
    architecture: ByScale[Sizes] = Field(
        description="a mapping of the scales paper, laptop and smoke to sizes"
    )
    tasks: dict[TaskKey, TaskOfModel] = Field(
        min_length=1,
        description="a mapping of at least one task (fit, predict, generate) to its properties",
    )
    variants: dict[Suffix, Variant] = Field(
        {},
        description="a mapping of suffixes to other sizes; a variant's name is the model's name, "
        "an underscore and the suffix",
    )
    unsupported: list[Incapable] = Field(
        [], description="a list of configurations that cannot run the model, each with a reason"
    )

    @model_validator(mode="after")
    def _probes(self) -> Self:
        """Refuse probes of sizes that the model cannot have."""
        for task, about in self.tasks.items():
            for scale, probes in about.probes.items():
                for number, probe in enumerate(probes):
                    for words, *name in probe.faults(self.architecture[scale], scale):
                        _refuse(words, "tasks", task, "probes", scale, number, *name)
        return self


class FrameworkEntry(UserFile):
    """A mapping of the framework's properties."""

    title: Text = Field(description="the framework's name in tables, as text")
    module: Name = Field("", description="the name of a module in the same folder")
    family: Name = Field(description="the name of a model's builder")
    environment: Annotated[str, Field(pattern="^[a-z][a-z0-9-]*$")] = Field(
        description="the name of an environment"
    )
    library: Literal["jax", "tensorflow", "torch"]
    start_rank: int = Field(99, ge=1, description="a whole number from 1")
    settings: Settings = Field(
        Settings(), description="a mapping of settings to the framework's own values"
    )
    against: dict[str, Annotated[Text, Field(description="a question")]] = Field(
        {}, description="a mapping of frameworks to questions"
    )
    color: Color | Annotated[list[Color], Field(min_length=1)] = Field(
        description='a color like "#0072b2", or a list of a color and its shades'
    )
    marker: Literal["s", "o", "^", "D", "v", "P", "X", "<", ">", "*", "h", "d"]


class Frameworks(UserFile, RootModel[dict[FrameworkName, FrameworkEntry]]):
    """The frameworks of a folder by their names, after `like` is resolved."""

    model_config = ConfigDict(extra=None)
