"""The shell commands by which rules call the programs of this workflow.

Options about an environment are resources of the jobs: when resources change, nothing is measured
again, and a brace in the text of a command would name a wildcard.
"""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable
from typing import Any

from millistep.planning.cells import Environment
from millistep.planning.jobs import OfJob, with_signature
from millistep.planning.start import Start

IN_ENVIRONMENT = "{resources.told} --log {log}"


class Commands:
    """The commands of one start of Snakemake."""

    def __init__(self, start: Start):
        self._start = start
        self.workflow = literal((start.sources / "workflow").as_posix())
        self.start_id = str(time.time_ns())  # an installation that fails is tried once in a start

    def program(self, name: str, *options: str) -> str:
        """Return the shell command that runs a command of Millistep.

        The program runs on Snakemake's Python, even where conda activates another one. `exec`
        leaves no shell between the two, so that the program ends with Snakemake.
        """
        python = literal(sys.executable)
        return " ".join(["exec", python, "-s", self.workflow, name, *options])

    def timed(
        self, environment: Environment, *more: str, of_job: OfJob | None = None
    ) -> dict[str, Any]:
        """Return the resources of every job that times something in an environment.

        more: options that are the same for all jobs of the rule, quoted for a shell. of_job: finds
        the options of one job, if it belongs to a group. All options are one resource, since
        Snakemake evaluates each resource of each of thousands of jobs.
        """
        plan = self._start.plan
        options = {
            "deployment": environment.method(self._start.use_conda),
            "definition": environment.definition.as_posix(),
            "environment": environment.marker,
            "start": self.start_id,
            "memory-gib": plan.memory_gib,
        }
        if of_job:
            options |= {"results": plan.results, "device": str(plan.config.device)}
        same = shlex.join(f"--{name}={value}" for name, value in options.items())
        same = " ".join(filter(None, [same, environment.overlay_options, *more]))

        def told(wildcards: Any, attempt: int) -> str:
            own = f" {of_job(wildcards)}" if of_job else ""
            return f"{same} --attempt={attempt}{own}"

        share = 100 // plan.most_resident
        return {"machine_percent": share, "told": with_signature(told)}


def literal(text: str) -> str:
    """Quote a constant for a rule's command, in which braces name wildcards."""
    return shlex.quote(text).replace("{", "{{").replace("}", "}}")


def verbatim(text: str) -> Callable[[Any], str]:
    """Wrap a text for a param, so that Snakemake takes no {this} in it for a wildcard."""
    return lambda wildcards: text
