"""Where the time of a run went. Field for field the record's; raw times stay in nanoseconds."""

from dataclasses import dataclass

from analysis.statistics.intervals import NS_PER_MS


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive pipelined steps between two fences."""

    steps: int
    elapsed_ns: int

    @property
    def step_ms(self) -> float:
        return self.elapsed_ns / self.steps / NS_PER_MS


@dataclass(frozen=True, slots=True)
class Probe(Block):
    """The same step at another batch size or generated length, timed in the same process."""

    batch_size: int
    max_length: int | None  # tokens of prompt and answer, where the task generates
    new_tokens: int | None  # per step, over the whole batch
    failed: str | None
    blocks: tuple[Block, ...] = ()  # the same by blocks; older records have none


@dataclass(frozen=True)
class Legacy:
    """ms/step by the published arithmetic."""

    step_ms: float
    steps: int
    method: str


@dataclass(frozen=True)
class Compilations:
    """Compiled programs or traces; None where the framework does not count them."""

    before_timing: int | None
    during_timing: int | None


@dataclass(frozen=True)
class Timing:
    """Where the time of a run went; names end in their unit."""

    import_s: float
    build_s: float
    first_step_s: float
    warmup_steps: int
    warmup_s: float
    blocks: tuple[Block, ...]
    stop: str
    synchronised_ns: tuple[int, ...]
    legacy: Legacy | None
    compilations: Compilations
    timed_s: float
    other_s: float
    compile_cache: str | None = "cold"  # warm, or None where nothing is kept between processes
    import_tensorflow_s: float | None = None  # of import_s, where another library computes

    @property
    def steps(self) -> int:
        return sum(block.steps for block in self.blocks)


@dataclass(frozen=True)
class Epoch:
    """An epoch: seconds of its steps and of its validation, and what the validation found."""

    steps_s: float
    validation_s: float
    validation_loss: float
    validation_right: int


@dataclass(frozen=True)
class Training:
    """A training to its end; `images` are in whole batches."""

    data: str
    sha256: str
    status: str
    reason: str
    images: int | None
    validation_images: int | None
    epochs: tuple[Epoch, ...]
