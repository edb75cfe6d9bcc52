"""Verdicts against a known truth: a cell on simulated GPUs whose kernels differ, or not.

The kernels of device B take a set part longer than those of A: first 3 %, which is to be found,
then nothing. Both are measured in a random order in each round, as the pipeline does. None of these
numbers is a measurement of any framework.
"""

import random
import sys
import tempfile
from pathlib import Path

from cells import ROOT, ms_per_step, parser, title
from same_cell import compared

sys.path[:0] = [str(ROOT), str(ROOT / "envs")]

from tests.gpu_stand_in import harness  # noqa: E402 (found by the path above)
from tests.gpu_stand_in.machine import Machine  # noqa: E402


def main():
    options = parser(__doc__, "smoke")
    options.add_argument("--rounds", type=int, default=20)
    options.add_argument("--kernel-us", type=float, default=20_000.0, help="on A: the limit")
    options.add_argument("--slower", type=float, nargs="*", default=[1.03, 1.0])
    wanted = options.parse_args()
    columns, models = wanted.columns or ["pytorch-eager"], wanted.models or ["bert"]
    print("| cell | set | B / A | 95 % interval | verdict |")
    print("|---|---:|---:|---|---|", flush=True)
    rng = random.Random(1)
    with tempfile.TemporaryDirectory(prefix="millistep-") as scratch:
        _, libraries = harness.environment_of(columns[0])
        with harness.on(Machine(Path(scratch), libraries).set()):
            runs = harness.planned(columns, models, wanted.tasks or ["predict"], wanted.scale)
        for run in runs:
            for slower in wanted.slower:
                us = {"A": wanted.kernel_us, "B": wanted.kernel_us * slower}
                names = experiment(run, us, wanted.rounds, rng, Path(scratch, str(slower)))
                found, _ = compared(names)
                low, high = found.interval.low, found.interval.high
                facts = f"{slower:.2f} | {found.value:.4f} | {low:.4f} to {high:.4f}"
                print(f"| {title(run)} | {facts} | {found.verdict} |", flush=True)


def experiment(run, us, rounds, rng, scratch):
    """``{name: {round: ms/step}}`` of a cell on devices whose kernels take so long, by name."""
    _, libraries = harness.environment_of(run.column.name)
    names = {name: {} for name in us}
    for number in range(1, rounds + 1):
        for name in rng.sample(sorted(names), 2):
            folder = scratch / f"{number}-{name}"
            folder.mkdir(parents=True)
            machine = Machine(folder, libraries).set(kernel_us=us[name])
            with harness.on(machine):
                record = harness.measured(run, machine, folder / "run.json", extras=[])
            names[name][number] = ms_per_step(run, record)
    return names


if __name__ == "__main__":
    main()
