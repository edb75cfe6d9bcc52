"""The record: the result of one run of one cell."""

from typing import Annotated, Literal, Self

from pydantic import (
    ConfigDict,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    model_validator,
)
from pydantic_core import PydanticCustomError

from millistep.contracts.base import ABSENT, Accelerator, Contract, Scale, Text, Workload

Digest = Annotated[str, Field(pattern="^[0-9a-f]{12}$")]
Seconds = Annotated[float, Field(ge=0, le=10**9)]
Milliseconds = Annotated[float, Field(gt=0, le=10**12)]
Total = Annotated[float, Field(ge=0, le=10**12)]
Number = Annotated[float, Field(ge=0, le=10**9)]
Steps = Annotated[int, Field(ge=1, le=10**9)]
Parameters = Annotated[int, Field(ge=0, le=10**15)]
Nanoseconds = Annotated[int, Field(ge=0, le=10**18)]
Elapsed = Annotated[int, Field(ge=1, le=10**18)]
Status = Literal[
    "ok", "unsupported", "too large", "oom", "timeout", "error", "killed", "refused", "invalid"
]


class Cell(Workload):
    scale: Scale
    accelerator: Accelerator
    column: Text
    framework: Text
    run: PositiveInt
    """Number of the run and of its round."""


class Failure(Contract):
    type: str
    message: str
    """Message of the exception, at most its first 4,000 characters."""
    line: str = ABSENT
    """File and line of the model's module that the exception passed through."""


class MemoryOver(Contract):
    used: float
    limit: float


class Ending(Contract):
    done: bool
    """True if the process reported that it had finished."""
    exit_code: int
    """Exit code of the process; a negative number is the signal that ended it."""
    failure: Failure | None
    """Exception that ended the process; null without one."""
    timed_out_after_s: float | None
    """Time limit, if the process had not finished by then; otherwise null."""
    memory_over_mib: MemoryOver | None
    """Used host memory and its limit, if the process exceeded the limit; otherwise null."""
    kernel_killed_for_memory: bool
    """True if the kernel killed a process for lack of memory during the run."""
    measured: bool
    """True if the measurement was complete. Only a probe or the profile can fail later."""
    device_free_mib: float | None
    """Free GPU memory in the last sample."""
    last_words: str | None = None
    """After a crash, the last line of the log in which a library gives the reason."""


class NotDeployed(Contract):
    not_deployed: str
    """Last error of the installation; the next start tries again."""


class TooLarge(Contract):
    needed_mib: float
    """Memory of weights, gradients and optimizer state alone."""
    available_mib: float
    memory_of: Literal["gpu", "host"]


class Installation(Contract):
    name: str
    method: Literal["venv", "conda", "interpreter"]
    """How the environment was installed; interpreter: a Python that the user named."""
    definition_sha256: str
    python: str
    packages: dict[str, str]
    """Every installed package and its version, as found in the environment."""


class Environment(Installation):
    variables: dict[str, str] = ABSENT
    """Environment variables that the configuration sets in the measuring process."""


class Threads(Contract):
    policy: str
    requested: PositiveInt
    affinity: list[int]
    """Logical CPUs to which the measuring process was pinned."""


class Machine(Contract):
    id: str
    """Short anonymous digest of the fields below, equal on equal machines."""
    cpu: str
    cores: PositiveInt
    memory_mib: NonNegativeInt
    os: str
    accelerator_name: str | None
    accelerator_memory_mib: int | None


class Session(Contract):
    id: Digest
    device: Digest | None
    """Digest of the GPU's UUID; null without a GPU."""


class Load(Contract):
    before: float | None
    """One-minute load average before the run."""
    after: float | None
    foreign_cpu_share: float | None
    """CPU time of other processes during the timed steps, as a share of the time of the logical
    CPUs that the run may use; null if unknown.
    """
    system_cpu_share: NonNegativeFloat | None = None
    """Share of the CPU time of the timed steps that the operating system used."""
    page_faults_per_step: NonNegativeFloat | None = None
    """Minor page faults per timed step: first accesses to newly mapped pages of memory."""
    quota_periods: NonNegativeInt | None = None
    """Periods of the container's quota of CPU time during the timed steps; null without a quota."""
    quota_throttled_periods: NonNegativeInt | None = None
    """Periods in which the quota was used up, so that the system stopped the run."""
    swapped_mib: float | None
    """MiB swapped in and out during the run."""


class Range(Contract):
    min: float
    median: float
    max: float


class Gpu(Contract):
    """GPU during the timed steps; null for everything that the driver does not report."""

    sm_clock_mhz: Range | None
    memory_clock_mhz: Range | None
    temperature_c: Range | None
    power_w: Range | None
    utilization_percent: Range | None
    throttle_reasons: list[str] | None
    """Reasons for slowed clocks except idle, from just before to just after the timed steps."""
    foreign_processes: NonNegativeInt | None
    """Most processes of other programs with a compute context on the device in that time."""
    process_memory_mib: Range | None = None
    """Device memory of the run's processes with memory pools, context and kernels."""


class Monitor(Contract):
    interval_s: PositiveFloat
    samples: NonNegativeInt
    """Number of samples during the timed steps; 0 if all timed steps fell between two samples."""
    load_max: float | None
    """Highest one-minute load average."""
    frequency_mhz: Range | None
    throttled: int | None
    """Thermal throttle events of the CPUs during the timed steps; null if not counted."""
    swapped_mib: float | None
    gpu: Gpu | None


FOREIGN_MUCH = 0.10  # of the CPU time, used by other processes: such windows do not count
CALM_WINDOWS = 2  # windows of a run without interference; with fewer, all of its windows count


class Window(Contract):
    steps: Steps
    elapsed_ns: Elapsed
    start_ns: Nanoseconds
    """Start on the monotonic clock that all processes of a machine share."""
    foreign_cpu_share: NonNegativeFloat | None = None
    """Share of the CPU time that other processes took during the window's turn."""


class Legacy(Contract):
    step_ms: Milliseconds
    steps: Steps
    method: str
    """Description of the original benchmark's timing method."""


class Compilations(Contract):
    before_timing: int | None
    """Compiled programs, traces and recorded CUDA graphs when timing began; null if uncounted."""
    during_timing: int | None


class Timing(Contract):
    import_s: Seconds
    build_s: Seconds
    """Seconds to build model, weights and inputs."""
    first_step_s: Seconds
    """Seconds of the first step with its synchronization: trace, compile and run."""
    compile_cache: Literal["cold", "warm", None]
    """cold: a program was compiled; warm: all came from caches on disk; null: no such cache."""
    warmup_steps: PositiveInt
    """Number of discarded steps, including the first one."""
    warmup_s: Seconds
    """Seconds of the discarded steps after the first."""
    windows: list[Window]
    """Steps between two synchronizations. ms/step = sum of elapsed times / sum of steps."""
    late_ns: list[Nanoseconds] | None
    """Time after each window until all work was ready for which the synchronization should have
    waited; null if the framework cannot measure it.
    """
    outside_turns: NonNegativeInt = ABSENT
    """Timing windows in no turn by the supervisor's clock, which make the run invalid."""
    harness_ns: NonNegativeFloat | None = None
    """Cost of counting a step, measured with empty steps; it is part of each step's time."""
    stop: Literal["windows", "time"]
    """windows: all planned windows were timed; time: the time limit was reached."""
    synchronized_ns: list[Elapsed]
    """Times of single steps, each followed by a synchronization."""
    legacy: Legacy | None
    """Result of the original benchmark's timing method in a cell's first run; otherwise null."""
    compilations: Compilations
    timed_s: Seconds
    """Seconds of windows, synchronized steps, original method, probes with warm-up, profile."""
    other_s: Seconds
    """Remaining seconds of the run: outside import, build, first step, warm-up and timed steps."""
    start_alone: bool
    """True if it was prepared alone; later rounds prepare a workload's processes in parallel."""
    in_turns: PositiveInt
    """Number of processes that took turns; 1 if the run was timed alone."""


class Probe(Contract):
    batch_size: PositiveInt
    max_length: int | None
    """Number of tokens of prompt and answer together, if the task generates."""
    new_tokens: int | None
    """Number of generated tokens per step, over the whole batch."""
    steps: Annotated[int, Field(ge=0, le=10**9)]
    elapsed_ns: Nanoseconds
    windows: list[Window] = ABSENT
    """Timing windows in their order; `steps` and `elapsed_ns` are their sums."""
    failed: str | Failure | None
    """Exception that prevented it, or ProcessEnded; null without. The run itself stays valid."""


class Work(Contract):
    parameters: Parameters
    """Number of parameters; 0 for a single operation."""
    trainable_parameters: Parameters
    moving_averages: NonNegativeInt = ABSENT
    """Moving averages of batch normalization (weights in Keras, buffers in PyTorch), and in Keras
    the statistics of other normalizing layers; not counted in the other numbers.
    """
    second_biases: NonNegativeInt = ABSENT
    """Biases that PyTorch's recurrent layers have twice, counted once in the other numbers."""
    flops_per_step: float | None
    """FLOPs per step, computed from the architecture and equal for every framework."""
    tokens_per_step: int | None
    images_per_step: int | None

    @model_validator(mode="after")
    def _of_a_model(self) -> Self:
        if self.trainable_parameters and not self.parameters:
            message = "a model with trainable parameters has parameters"
            raise PydanticCustomError("parameters", message)
        return self


class Memory(Contract):
    peak_rss_mib: NonNegativeFloat | None
    peak_device_mib: NonNegativeFloat | None
    """Peak device memory from the framework's own counter."""
    peak_device_counts: str | None = None
    """Description of this counter: what it counts and since when; frameworks differ."""
    device_limit_mib: float | None = None
    """Upper limit of device memory that the framework reports; null if it reports none."""
    allocated_bytes_per_step: NonNegativeFloat | None = None
    """Bytes that a step allocates, in a cell's first run of a regression check. PyTorch: all
    requests of its allocator; JAX: temporary values and results of the compiled step. Null for
    TensorFlow, and for custom loops on JAX.
    """


class Energy(Contract):
    joules_per_step: NonNegativeFloat
    counter: Literal["nvml", "rapl"]
    """Source of the counter: nvml counts the whole GPU, rapl the CPU packages."""


class Function(Contract):
    name: Annotated[str, Field(max_length=1000)]
    """Module and name."""
    per_step: Total


class Calls(Contract):
    steps: Annotated[int, Field(ge=1, le=1000)]
    """Counted steps."""
    per_step: Total
    """Sum over all functions, of each the median over these steps."""
    functions: Annotated[list[Function], Field(max_length=1000)]
    """The most frequently called functions."""


class Outcome(Contract):
    kind: Literal["losses", "outputs", "tokens"]
    """losses: of ten steps; outputs: of two batches, or a custom loop's second step; tokens."""
    values: Annotated[list[float | None], Field(max_length=100000)]
    """Per array up to 500 evenly spaced numbers and the root mean square; null if not finite."""
    steps: Annotated[int, Field(ge=1, le=256)]
    """Steps of a complete call."""
    call_ms: PositiveFloat | None
    """ms/step of the shortest of five to twelve complete calls with other batches and all results
    on the host; null for a custom loop.
    """
    step_ms: PositiveFloat | None
    """ms/step of the shortest timing window, one after each call; null as `call_ms`."""


class Pair(Contract):
    plain_ms: Milliseconds
    profiled_ms: Milliseconds


class Operation(Contract):
    name: Annotated[str, Field(max_length=200)]
    """Name from the profiler without instance numbers. For a piece of a compiled program, the fused
    operations and, if known, the layer or optimizer that contains it.
    """
    ms: Total
    count: Number
    """Number of executions per step."""
    launched: Number
    """Executions per step, or 0 if the operation passes most of its time on to others."""


class HostOverhead(Contract):
    share: Annotated[float, Field(ge=0, le=1)]
    """Share of a profiled step without computation, which a faster host language could save."""
    method: str
    """Name of the profiler, and the events that count as computing."""
    steps: Steps
    step_ms: Milliseconds = ABSENT
    """Milliseconds per step under the profiler."""
    foreign_cpu_share: NonNegativeFloat | None = None
    """The same as `load.foreign_cpu_share`, during the profile."""
    pairs: Annotated[list[Pair], Field(min_length=1, max_length=100)] = ABSENT
    """Pairs of timing windows with equal numbers of steps, first without and then with the
    profiler, in ms/step. They show the slow-down by the profiler and its variability.
    """
    operations: Annotated[list[Operation], Field(max_length=100)] = ABSENT
    """Operations per profiled step, the longest first. Computing threads or streams share each
    instant equally, and each assigns its part to its innermost operation: the times and rest_ms add
    up to the time in which any operation computes.
    """
    rest_ms: Total = ABSENT
    """Milliseconds per step of all operations that are not listed."""
    rest_launched: Number = ABSENT
    """Sum of `launched` over all operations that are not listed."""


class Parity(Contract):
    """Observed settings, read back from the live framework."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, str | int | float | bool | None]

    framework_version: str
    backend: str
    dtype: str
    """Dtype of the matrix products and convolutions of a step, as they ran or were traced, without
    those that do less than a tenth of the arithmetic. If `declared` names this entry, the dtype of
    the layers that hold the parameters.
    """
    matmul_precision: str
    """Precision that a float32 matrix product really uses: float32, tf32 or bfloat16."""
    execution: Literal["eager", "graph", "jit"]
    compiler: str
    """Compiler: none, tf-graph, xla, inductor or torchscript."""
    attention: str
    optimizer: str | None
    metrics: str | None = None
    """Metrics that a step of fit reports during training: none, loss, or loss and others."""
    prompt_positions: int | None = None
    """Prompt positions, with padding, that generate() computes before its first token."""
    device: str
    threads: int | None
    """Threads of the compute pool, counted or reported; null on a GPU with JAX."""
    flush_denormals: bool | None
    """On a CPU, whether denormals (below the smallest normal number) become zero; null on a GPU."""
    onednn: bool | None = None
    """On a CPU, whether PyTorch or TensorFlow uses oneDNN; null elsewhere."""
    global_switches: str = ABSENT
    """Global switches, like PyTorch's anomaly detection, that the model's code changed; or none."""
    feeding: str = ABSENT
    """Description of the inputs of a step."""
    fed_bytes_per_step: int | None = None
    """Bytes of a batch in host memory; null if the library's own loop makes its inputs."""
    declared: str = ABSENT
    """Entries, separated by commas, that a setting or builder declares: they are not read back."""


class Record(Contract):
    """Millistep record: the result of one run of one cell."""

    schema_: Literal["millistep.record/1"] = Field(alias="schema")
    identity: str
    """Fingerprint: sorted-keys JSON of all that defines this run's number: configuration with its
    defaults, sha256 of environment definition and user's files, version of the measuring code. A
    record is outdated if its fingerprint differs from the plan's.
    """
    cell: Cell
    status: Status
    """Outcome of the run; only the time of an ok run may be compared."""
    reason: str
    """Reason for the status in one line, from the record's facts; empty if the status is ok."""
    ending: Ending | None
    """How the measuring process ended; null if none was started, or if the whole job was killed."""
    not_tried: NotDeployed | TooLarge | None
    """Reason why no process was started; null if one was started."""
    started_at: str
    """UTC, ISO 8601."""
    finished_at: str
    total_s: Seconds
    """Wall-clock seconds of the whole run, from the start of the measuring process to its end."""
    environment: Environment
    threads: Threads
    machine: Machine
    session: Session | None
    """Runs of one workload and round on one machine in one start; null if the run never began. Only
    runs of one session are compared.
    """
    load: Load
    monitor: Monitor | None
    """Machine during the timed steps, sampled by another process; null without samples."""
    timing: Timing | None
    probes: list[Probe]
    """The same step at other batch sizes or generated lengths, timed after everything else."""
    work: Work | None
    memory: Memory
    energy: Energy | None
    """Energy of the timing windows' steps; null without a counter, or if processes took turns."""
    calls: Calls | None = None
    """Python functions that a step calls on the thread that issues the steps, in a cell's first run
    of a regression check; otherwise null.
    """
    outcome: Outcome | None = None
    """What the model, built again, computes for other batches, to compare base and patch: in a
    cell's first run of a regression check; null otherwise, and for custom loops.
    """
    host_overhead: HostOverhead | None
    """Profile of separate, untimed steps by the framework's own profiler, in the first run of a
    cell; null without a profile. If the profiler failed, `warnings` contains the reason.
    """
    parity: Parity | None
    warnings: list[str]
    """Warnings from Python's warnings module without duplicates: the first 200, each cut at 1,000
    characters, and the number of the others. Failures of optional measurements follow.
    """
    log_tail: list[str]
    """Last lines that the measuring process printed; empty if the status is ok."""
