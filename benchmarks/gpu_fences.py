"""Reported ms/step against a truth that is known: on a simulated GPU whose kernels take a set time.

Real CUDA wheels run on the stand-in of tests/gpu_stand_in, where a kernel takes exactly what is set
and the launches of a step are counted. So the true time of a step is known, where the device is
what limits it, and beside it stand the published benchmark's arithmetic, whose clock stops before
the device has finished, and (``--without-fence``) our own harness with its fence taken out. None of
these numbers is a measurement of any framework.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from cells import ROOT, parser, title

sys.path[:0] = [str(ROOT), str(ROOT / "envs")]

COLUMNS = ("pytorch-eager", "pytorch-compiled", "keras3-torch")
FENCE = "self.torch.cuda.synchronize()"
HEAD = (
    "| cell | launches a step | set ms | reported ms | ratio | published ms | ratio | status |",
    "|---|---:|---:|---:|---:|---:|---:|---|",
)


def main():
    options = parser(__doc__, "smoke")
    options.add_argument("--kernel-us", type=float, default=1000.0, help="what a kernel takes")
    options.add_argument("--without-fence", action="store_true")
    options.add_argument("--records", type=Path, help="folder to keep the records in")
    wanted = options.parse_args()
    if wanted.without_fence:
        return without_fence()
    print("\n".join(HEAD), flush=True)
    with tempfile.TemporaryDirectory(prefix="millistep-") as scratch:
        for run, record, process in measured(wanted, Path(scratch)):
            print(line(title(run), record, process, wanted.kernel_us), flush=True)


def without_fence():
    """The same in a copy of this project, whose fence for PyTorch does nothing."""
    from checkout import copy_to

    with tempfile.TemporaryDirectory(prefix="millistep-") as scratch:
        copy = Path(scratch)
        copy_to(copy)
        source = copy / "workflow/measure/frameworks/torch.py"
        text = source.read_text()
        if text.count(FENCE) != 1:
            sys.exit(f"{source}: holds {FENCE} {text.count(FENCE)} times")
        source.write_text(text.replace(FENCE, "pass"))
        words = [word for word in sys.argv[1:] if word != "--without-fence"]
        subprocess.run([sys.executable, "benchmarks/gpu_fences.py", *words], cwd=copy, check=True)


def measured(wanted, scratch):
    """``(run, record, process)`` of each cell: what the harness says, and the stand-in's log."""
    from tests.gpu_stand_in import harness
    from tests.gpu_stand_in.machine import Machine

    folder = wanted.records or scratch / "records"
    columns = wanted.columns or COLUMNS
    _, libraries = harness.environment_of(columns[0])
    with harness.on(Machine(scratch, libraries).set()):
        runs = harness.planned(columns, wanted.models, wanted.tasks, wanted.scale)
    for run in runs:
        name = title(run).replace(" ", "_")
        _, libraries = harness.environment_of(run.column.name)
        machine = Machine(scratch / name, libraries).set(kernel_us=wanted.kernel_us)
        with harness.on(machine):
            record = harness.measured(run, machine, folder / f"{name}.json")
        processes = machine.processes()
        yield run, record, max(processes, key=lambda found: found.launches, default=None)


def line(name, record, process, kernel_us):
    """A cell's line of the table; what is not known is left out."""
    from tests.gpu_stand_in.log import launches_per_step

    timing = record["timing"] or {}
    blocks, legacy = timing.get("blocks") or [], timing.get("legacy")
    steps = [block["steps"] for block in blocks]
    launches = launches_per_step(process, blocks) if process and steps else None
    true_ms = launches and launches * kernel_us / 1000
    ours_ms = sum(block["elapsed_ns"] for block in blocks) / sum(steps) / 1e6 if steps else None
    theirs_ms = legacy["step_ms"] if legacy else None
    facts = [
        f"{launches:g}" if launches else "",
        *map(number, (true_ms, ours_ms, ratio(ours_ms, true_ms))),
        *map(number, (theirs_ms, ratio(theirs_ms, true_ms))),
    ]
    reason = f": {record['reason']}" if record["reason"] else ""
    return f"| {name} | {' | '.join(facts)} | {record['status']}{reason} |"


def number(value):
    return "" if value is None else f"{value:.3f}"


def ratio(value, of):
    return value / of if value and of else None


if __name__ == "__main__":
    main()
