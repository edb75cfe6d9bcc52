"""Reported ms/step against a known truth: on a simulated GPU whose kernels take a set time.

Real CUDA wheels run on the stand-in of tests/gpu_stand_in, where a kernel takes exactly the set
time. The true time of a step is the set time of its kernels and the time that the device waited for
the host meanwhile, by the device's own clock. Next to the reported time, the table shows its ratio
to the truth, the ratio of the original timing method, whose clock stops before the device has
finished, and (``--without-fence``) that of our own harness with its synchronization taken out.
``waits`` is how often the host waited for the device within a step, by itself. None of these
numbers is a measurement of any framework.
"""

import sys
import tempfile
from pathlib import Path
from unittest import mock

from cells import parser, reported_ms, title
from tests.gpu_stand_in import harness, log
from tests.gpu_stand_in.machine import Machine
from tests.shared import copy_tree

from millistep.supervise import watch

COLUMNS = ("pytorch-eager", "pytorch-compiled", "keras3-torch")
FENCES = {  # the line with each synchronization, by its file in millistep/measure/frameworks
    "torch.py": "self.torch.cuda.synchronize()",
    "keras3_jax.py": "self.jax.block_until_ready(arrays)",
    "tensorflow.py": "self.tf.test.experimental.sync_devices()",
}
HEAD = (
    "| cell | launches | waits | set ms | idle ms | reported ms | ratio | published | status |",
    "|---|---:|---:|---:|---:|---:|---:|---:|---|",
)
HEAD_WITHOUT = (
    "| cell | waits | true ms | without synchronization | ratio | status |",
    "|---|---:|---:|---:|---:|---|",
)


def main():
    options = parser(__doc__, "smoke")
    options.add_argument("--kernel-us", type=float, default=2000.0, help="what a kernel takes")
    options.add_argument("--without-fence", action="store_true")
    options.add_argument("--records", type=Path, help="folder to keep the records in")
    wanted = options.parse_args()
    print("\n".join(HEAD_WITHOUT if wanted.without_fence else HEAD), flush=True)
    with tempfile.TemporaryDirectory(prefix="millistep-") as scratch:
        child = without_fence(Path(scratch, "copy")) if wanted.without_fence else None
        for run, record, step in measured(wanted, Path(scratch)):
            if not child:
                print(line(title(run), record, step), flush=True)
                continue
            with mock.patch.object(watch, "START", child):
                ((_, other, _),) = measured(wanted, Path(scratch, "without"), [run])
            print(line_without(title(run), record, step, other), flush=True)


def without_fence(copy):
    """Return the measuring process in a copy of this project whose synchronization does nothing."""
    copy_tree(copy)
    for name, fence in FENCES.items():
        source = copy / "workflow/millistep/measure/frameworks" / name
        text = source.read_text()
        if text.count(fence) != 1:
            sys.exit(f"{source}: holds {fence} {text.count(fence)} times")
        source.write_text(text.replace(fence, "pass"))
    return copy / "workflow/millistep/measure/start.py"


def measured(wanted, scratch, runs=None):
    """Yield ``(run, record, step)`` of each cell: the harness's record, and the device's own
    step.
    """
    folder = scratch / "records" if runs else wanted.records or scratch / "records"
    columns = wanted.columns or COLUMNS
    if runs is None:
        _, libraries = harness.environment_of(columns[0])
        with harness.on(Machine(scratch, libraries).set()):
            runs = harness.planned(columns, wanted.models, wanted.tasks, wanted.scale)
    for run in runs:
        name = title(run).replace(" ", "_")
        _, libraries = harness.environment_of(run.column.name)
        machine = Machine(scratch / name, libraries).set(kernel_us=wanted.kernel_us)
        with harness.on(machine):
            record = harness.measured(run, machine, folder / f"{name}.json", ["legacy"])
        yield run, record, step_of(machine, record)


def step_of(machine, record):
    """Return the step as the device saw it; None if no step was timed."""
    windows = (record["timing"] or {}).get("windows")
    fence_waits = record["cell"]["framework"] != "keras3-jax"
    return log.step_of(machine.processes(), windows, fence_waits) if windows else None


def line(name, record, step):
    """Return a cell's line of the table; unknown facts are left out."""
    legacy = (record["timing"] or {}).get("legacy")
    true_ms, ours_ms = step and step.busy_ms + step.idle_ms, reported_ms(record)
    facts = [
        *map(number, (step and step.launches, step and step.waits), (0, 1)),
        *map(number, (step and step.busy_ms, step and step.idle_ms, ours_ms)),
        number(ratio(ours_ms, true_ms)),
        number(ratio(legacy and legacy["step_ms"], true_ms)),
    ]
    return f"| {name} | {' | '.join(facts)} | {status(record)} |"


def line_without(name, record, step, other):
    """Return the line of a cell with its synchronization, for the true time, and without it."""
    true_ms, theirs_ms = step and step.busy_ms + step.idle_ms, reported_ms(other)
    facts = [number(step and step.waits, 1), *map(number, (true_ms, theirs_ms))]
    facts.append(number(ratio(theirs_ms, true_ms)))
    return f"| {name} | {' | '.join(facts)} | {status(other)} |"


def status(record):
    return record["status"] + (f": {record['reason']}" if record["reason"] else "")


def number(value, digits=3):
    return "" if value is None else f"{value:.{digits}f}"


def ratio(value, of):
    return value / of if value and of else None


if __name__ == "__main__":
    main()
