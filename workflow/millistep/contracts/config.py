"""The configuration: its keys, their allowed values and defaults."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag, field_validator

from millistep.contracts.base import Omittable, Precision, Text, Unique, UserFile
from millistep.contracts.settings import Column, Interpreter, Path, Threads

ModelName = Annotated[
    str,
    Field(
        pattern="^[a-z][a-z0-9_]{0,39}$",
        description="a model's name has at most 40 lowercase letters, digits and underscores, and "
        "starts with a letter",
    ),
]
BatchSize = Annotated[
    int, Field(ge=1, le=10**6, description="a batch size is a whole number from 1 to 1000000")
]
BatchSizes = Annotated[
    Literal["default"] | BatchSize | Annotated[Unique[BatchSize], Field(min_length=1)] | None,
    Field(
        description="allowed are 'default', a batch size from 1 to 1000000, a list of batch sizes, "
        "or null to omit the task"
    ),
]
Tasks = Annotated[
    dict[str, BatchSizes] | None,
    Field(min_length=1, description="a mapping of at least one task to its batch sizes"),
]
AColumn = Annotated[
    Annotated[
        str,
        Field(description="a framework's name, or a mapping with a framework and its settings"),
        Tag("name"),
    ]
    | Annotated[Column, Tag("mapping")],
    Discriminator(lambda value: "mapping" if isinstance(value, dict | Column) else "name"),
]


def _default_alone(runs: dict[str, Any]) -> dict[str, Any]:
    if any(value == "default" for name, value in runs.items() if name != "default"):
        raise ValueError("only default may be default")
    return runs


Rounds = Annotated[int, Field(ge=1, le=100)]
BySize = Annotated[dict[str | int, Rounds], Field(min_length=1)]
ByTask = Annotated[dict[str, Rounds | BySize], Field(min_length=1)]
ByModel = Annotated[
    dict[str, Rounds | Literal["default"] | ByTask],
    Field(min_length=1),
    AfterValidator(_default_alone),
]
Runs = Annotated[
    Literal["default", "auto"] | Rounds | ByModel,
    Field(
        description="allowed are 'default', 'auto', a whole number from 1 to 100, or a mapping of "
        "models (and default) to numbers; in place of its number, a model may have a mapping of "
        "tasks, and a task a mapping of batch sizes"
    ),
]
DeviceId = Annotated[str, Field(max_length=100, pattern="^(GPU|MIG)-[0-9A-Za-z/-]+$")]
Folder = Annotated[
    Path,
    Field(
        pattern="^[^{}\\x00-\\x1f\\x7f]*$",
        description="the path of a folder, without braces and control characters",
    ),
]
VariableName = Annotated[
    str,
    Field(pattern="^[A-Za-z_][A-Za-z0-9_]*$", description="the name of an environment variable"),
]
VariableValue = Annotated[
    str,
    Field(pattern="^[^\\x00]*$", description="a text; put numbers and words like true in quotes"),
]


class Study(UserFile):
    """A study: a table of its own."""

    name: str = Field(
        pattern="^[a-z][a-z0-9_]{0,39}$",
        description="the name of the results folder: at most 40 lowercase letters, digits and "
        "underscores, starting with a letter",
    )
    title: Text = Field(description="the title of the study, as text")
    question: Text = Field(description="the question of the study, as text")


class RegressionCheck(UserFile):
    """A regression check."""

    threshold: float = Field(0.02, gt=0, lt=1, description="a number above 0 and below 1")
    looks: int = Field(1, ge=1, le=100, description="a whole number from 1 to 100")
    last: bool = Field(False, description="true or false")
    left_out: dict[str, str] = Field({}, description="a mapping of workloads to failures")
    report: str = Field(
        "",
        pattern="^[^()<>\\s]*$",
        description="a URL without spaces, angle brackets and parentheses",
    )


class Limits(UserFile):
    """Limits of a run."""

    time_s: Annotated[
        Literal["default"]
        | Annotated[int, Field(ge=1, le=2592000)]
        | Annotated[float, Field(gt=0, le=2592000)],
        Field(
            description="allowed are 'default' or a number of seconds greater than 0 and at most "
            "2592000 (30 days)"
        ),
    ] = "default"
    memory_gib: Annotated[
        Literal["auto"]
        | Annotated[int, Field(ge=1, le=2**20)]
        | Annotated[float, Field(gt=0, le=2**20)],
        Field(description="allowed are 'auto' or a number of GiB greater than 0, at most 1048576"),
    ] = "auto"


class Unsupported(UserFile):
    """A mapping with model, task, column and reason."""

    model: ModelName = Field(description="the name of a model")
    task: Omittable[str] = Field(None, description="the name of a task; if omitted, all tasks")
    column: str = Field(description="the name of a framework or of a configuration")
    reason: Text = Field(description="the reason, as text")


class Config(UserFile):
    """The configuration."""

    scale: Literal["auto", "paper", "laptop", "smoke"] = "auto"
    accelerator: Literal["auto", "cpu", "cuda"] = "auto"
    device: Literal["auto"] | Annotated[int, Field(ge=0, le=1023)] | DeviceId = Field(
        "auto",
        description="allowed are 'auto', a GPU number of nvidia-smi from 0 to 1023, or a UUID from "
        "nvidia-smi -L",
    )
    models: dict[ModelName, Tasks] = Field(
        min_length=1, description="a mapping of at least one model to its tasks"
    )
    columns: list[AColumn] = Field(
        min_length=1,
        description="a list of at least one configuration: a framework, or a mapping with a "
        "framework and its settings",
    )
    study: Omittable[Study] = Field(None, description="a mapping with name, title and question")
    runs: Runs = "default"
    resident: Literal["auto"] | Annotated[int, Field(ge=1, le=64)] = Field(
        "auto",
        description="allowed are 'auto' or a whole number from 1 to 64: the number of processes of "
        "a workload in memory at the same time",
    )
    weights: Literal["random", "preset"] = "random"
    precision: Precision = "default"
    threads: Literal["auto", "physical"] | Threads = Field(
        "auto", description="allowed are 'auto', 'physical' or a whole number from 1 to 65536"
    )
    seed: int = Field(1, ge=0, le=2**31 - 1, description="a whole number from 0 to 2147483647")
    answer: Omittable[RegressionCheck] = Field(
        None,
        description="a mapping with threshold, looks, last, left_out and report; `millistep "
        "answer` writes it",
    )
    limits: Limits = Field(Limits(), description="a mapping with time_s and memory_gib")
    folders: Unique[Folder] = Field(
        [], description="a list of folders that contain models/<name>/ or frameworks/"
    )
    interpreters: dict[str, Interpreter] = Field(
        {}, description="a mapping of frameworks to Python interpreters"
    )
    environment: dict[VariableName, VariableValue] = Field(
        {}, description="a mapping of environment variables to their values"
    )
    unsupported: list[Unsupported] = Field(
        [], description="a list of cells to omit, each with a reason"
    )

    @field_validator("answer")
    @classmethod
    def _some(cls, value: RegressionCheck) -> RegressionCheck | None:
        return value if value.model_fields_set else None

    def document(self) -> dict[str, Any]:
        """Return the configuration as in a file, with the defaults of omitted keys."""
        written = self.model_dump(exclude_unset=True, exclude={"answer"})
        return self.model_dump(exclude_none=True) | written
