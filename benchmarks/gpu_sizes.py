"""Memory that cells need on a GPU, and if they fit: at `paper` scale, on simulated GPUs.

On the stand-in of tests/gpu_stand_in memory of the device is counted and limited as on a GPU, and
takes room on the host only where something is copied to it, as no kernel writes. So models are
built and stepped here that are larger than this machine. Each cell makes a few steps on the
smallest device, and where it does not fit, on the next one. If a host has too little memory for a
cell, the output reports it. Workspaces of cuBLAS, cuBLASLt and cuDNN are not in it, except for the
memory that PyTorch takes for them by itself.
"""

import json
import tempfile
from pathlib import Path

from cells import parser, title
from tests.gpu_stand_in import harness
from tests.gpu_stand_in.machine import Machine

DEVICES = ("a100-40gb", "a100-80gb")
COLUMNS = ("pytorch-eager", "keras3-torch")
NUMBERS = ("parameters", "peak MiB", "taken MiB", "host MiB", "build s", "first step s")


def main():
    options = parser(__doc__, "paper")
    options.add_argument("--batch-sizes", type=int, nargs="*", help="of --models and --tasks")
    options.add_argument("--host-gib", type=float, default=12.0, help="a cell may take on the host")
    wanted = options.parse_args()
    if wanted.batch_sizes and not (wanted.models and wanted.tasks):
        options.error("--batch-sizes wants --models and --tasks")
    heads = ["cell", *NUMBERS, *DEVICES, "reason"]
    print(f"| {' | '.join(heads)} |", f"|---|{'---:|' * len(NUMBERS)}---|---|---|", sep="\n")
    with tempfile.TemporaryDirectory(prefix="millistep-") as scratch:
        for number, run in enumerate(planned(wanted, Path(scratch))):
            print(line(run, wanted.host_gib, Path(scratch, str(number))), flush=True)


def planned(wanted, scratch):
    """Return the planned runs, the smallest first."""
    columns = wanted.columns or COLUMNS
    _, libraries = harness.environment_of(columns[0])
    with harness.on(Machine(scratch, libraries).set()):
        if wanted.batch_sizes:
            tasks = dict.fromkeys(wanted.tasks, wanted.batch_sizes)
            rows = dict.fromkeys(wanted.models, tasks)
            runs = harness.plan(columns, wanted.scale, models=rows).runs
        else:
            runs = harness.planned(columns, wanted.models, wanted.tasks, wanted.scale)
    return sorted(runs, key=lambda run: json.loads(run.identity)["least_memory_mib"])


def line(run, host_gib, scratch):
    """Return a cell's line of the table, with the numbers of the last device that it was tried
    on.
    """
    said, reason = {}, ""
    for device in DEVICES:
        record, taken_mib = measured(run, device, host_gib, scratch / device)
        said[device] = record["status"]
        if record["status"] == "ok":
            break
        reason = record["reason"]
        if record["status"] not in ("oom", "too large") or of_the_host(record):
            break  # a larger device would change nothing
    timing, work, memory = (record[part] or {} for part in ("timing", "work", "memory"))
    facts = [
        work.get("parameters"),
        memory.get("peak_device_mib"),
        taken_mib,
        memory.get("peak_rss_mib"),
    ]
    seconds = [timing.get("build_s"), timing.get("first_step_s")]
    numbers = [*(number(fact, ",.0f") for fact in facts), *(number(s, ".1f") for s in seconds)]
    fits = [said.get(device, "") for device in DEVICES]
    return f"| {' | '.join([title(run), *numbers, *fits, reason])} |"


def measured(run, device, host_gib, folder):
    """Return a cell's record on a device, and the most memory that it took of it."""
    _, libraries = harness.environment_of(run.column.name)
    folder.mkdir(parents=True)
    machine = Machine(folder, libraries).set(devices=device)
    with harness.on(machine):
        record = harness.measured(
            run,
            machine,
            folder / "run.json",
            extras=[],
            few_steps=True,
            memory_limit_mib=host_gib * 1024,
        )
    return record, max((process.peak_mib[0] for process in machine.processes()), default=None)


def of_the_host(record):
    """Return True if the host had too little memory."""
    return bool(record["ending"] and record["ending"]["memory_over_mib"])


def number(value, how):
    return "" if value is None else format(value, how)


if __name__ == "__main__":
    main()
