"""What is measured about the measuring itself: canaries between the rounds, the self-test."""

import json
import random
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from planning import sources
from planning.cells import Row, Run, record_path
from planning.frameworks import FRAMEWORKS, Framework

# Whose library the canary uses: the ones that reach a processor's peak in every dtype first.
CANARY_FRAMEWORKS = (
    "pytorch-eager",
    "pytorch-compiled",
    "keras3-torch",
    "keras3-tensorflow",
    "keras2-tensorflow",
    "keras3-jax",
)
# Whose cell is measured under two names: the quickest to start first.
SAME_CELL_FRAMEWORKS = (
    "pytorch-eager",
    "keras3-jax",
    "keras3-torch",
    "keras3-tensorflow",
    "keras2-tensorflow",
    "pytorch-compiled",
)
PART_S = {"paper": 0.7, "laptop": 0.7, "smoke": 0.05}  # of each of a canary's parts
# Milliseconds, and in how many processes: one hiccup of the machine is much to a short step.
_KNOWN_STEPS = ((2, 5), (20, 3), (200, 1))
KNOWN_STEPS = {"paper": _KNOWN_STEPS, "laptop": _KNOWN_STEPS, "smoke": ((2, 1), (20, 1))}
MONITOR_PAIRS = {"paper": 200, "laptop": 100, "smoke": 3}
MONITOR_PART_S = 0.1


@dataclass(frozen=True)
class Check:
    """A file that says something of the measuring."""

    path: str
    identity: str


class Checks:
    """Those of one plan.

    core: entry files of the sources that every run uses. workflow: where they lie.
    """

    def __init__(self, plan, workflow: Path, core: tuple[Path, ...]):
        self._plan = plan
        self._workflow = workflow
        self._core = core
        self.framework = _first(CANARY_FRAMEWORKS, plan.measurable or plan.frameworks)

    @cached_property
    def canaries(self) -> list[Check]:
        """Entry k is measured before round k + 1 and after round k."""
        scale = self._plan.scale
        facts = {**self._facts("measure/canary.py"), "part_s": PART_S[scale]}
        return [
            Check(f"results/canaries/{scale}/{k}.json", _identity({**facts, "index": k}))
            for k in range(self._plan.runs_per_cell + 1)
        ]

    @cached_property
    def known_steps(self) -> Check:
        """Steps of known duration, and a step of known work with and without the monitor."""
        scale = self._plan.scale
        facts = {
            **self._facts("measure/monitor_pair.py", "self_test/**/*.py"),
            "known_steps": KNOWN_STEPS[scale],
            "monitor_pairs": MONITOR_PAIRS[scale],
            "monitor_part_s": MONITOR_PART_S,
        }
        return Check(f"results/self_test/{scale}/known_steps.json", _identity(facts))

    @cached_property
    def again(self) -> list[Run]:
        """The runs of one cell under its second name; none where nothing is measured."""
        folder, same_cell = f"results/self_test/{self._plan.scale}", self._same_cell()
        return [
            replace(
                run,
                record=record_path(folder, run.row, run.framework, run.number),
                # Not probed: only the timed steps are compared.
                identity=_identity({**json.loads(run.identity), "again": True, "probes": []}),
            )
            for run in self._plan.runs
            if (run.row, run.framework) == same_cell
        ]

    @property
    def same_cell_frameworks(self) -> list[Framework]:
        """The one whose cell has two names; none where nothing is measured."""
        return [FRAMEWORKS[name] for name in {run.framework for run in self.again}]

    @cached_property
    def order(self) -> list[str]:
        """Every file that is timed, in the order in which it is to be.

        The second name of a cell goes next to the first, before or after it as
        the seed has it, so that a drift falls on both alike.
        """
        again = {run.position: run for run in self.again}
        coin = random.Random(f"{self._plan.config['seed']} same cell")
        rounds: dict[int, list[str]] = {}
        for run in self._plan.runs:
            names = [run, again[run.position]] if run.position in again else [run]
            coin.shuffle(names)
            rounds.setdefault(run.number, []).extend(name.record for name in names)
        canaries = [canary.path for canary in self.canaries]
        files = [self.known_steps.path, canaries[0]]
        for number, canary in enumerate(canaries[1:], start=1):
            files += [*rounds.get(number, []), canary]
        return files

    @cached_property
    def identities(self) -> dict[str, str]:
        """What defines the content of each file, by its path."""
        checks = [*self.canaries, self.known_steps]
        return {
            **{check.path: check.identity for check in checks},
            **{run.record: run.identity for run in self.again},
        }

    def _same_cell(self) -> tuple[Row, str] | None:
        """Little to build and quick to start; None without any cell that is measured."""
        plan = self._plan
        cells = [(row, f.name) for row in plan.rows for f in plan.frameworks]
        return min(
            (cell for cell in cells if cell not in plan.unsupported),
            key=lambda cell: (plan.least_memory_mib(cell[0]), SAME_CELL_FRAMEWORKS.index(cell[1])),
            default=None,
        )

    def _facts(self, *programs: str) -> dict:
        """What every check's identity holds; programs: patterns of the sources it uses."""
        plan, environment = self._plan, self._plan.environment_of(self.framework)
        used = (*programs, "measure/matmul/*.py")
        files = [file for pattern in used for file in self._workflow.glob(pattern)]
        return {
            "accelerator": plan.accelerator,
            "device": plan.device,
            "environment": environment.definition_sha256,
            "framework": self.framework.name,
            "interpreter": environment.interpreter,
            "scale": plan.scale,
            "seed": plan.config["seed"],
            "sources": sources.digest(self._workflow, (*self._core, *files)),
            "threads": plan.threads,
            "variables": plan.config["environment"],
        }


def _first(preferred: tuple[str, ...], available: list[Framework]) -> Framework:
    names = {framework.name for framework in available}
    return FRAMEWORKS[next(name for name in preferred if name in names)]


def _identity(facts: dict) -> str:
    return json.dumps(facts, sort_keys=True)
