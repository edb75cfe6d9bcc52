"""Write the commands by which rules call the programs of this workflow.

What the programs are told of an environment are resources of the jobs: their changes are no reason
to measure again, and in the text of a command a brace would name a wildcard.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deploy import bare
from planning.cells import Environment
from planning.start import Start

IN_ENVIRONMENT = (
    "--deployment {resources.deployment} --definition {resources.definition:q}"
    " --environment {resources.environment} {resources.overlay}"
    " --memory-gib {resources.memory_gib} --attempt {resources.attempt_no} --log {log}"
    " --monitor-interpreter {resources.monitor:q}"
)
IN_BLOCK_OF = (
    "--results {resources.results} --around {resources.around} --device {resources.device:q}"
)


class Commands:
    """Write those of one start."""

    def __init__(self, start: Start):
        self._start = start
        # In a rule's command braces name wildcards.
        path = shlex.quote((start.sources / "workflow").as_posix())
        self.workflow = path.replace("{", "{{").replace("}", "}}")

    def program(self, name: str, *options: str) -> str:
        """Return the command of a folder of the sources that is a program, or of a part of it.

        No shell is left between Snakemake and the program, which ends with it.
        """
        folder, *part = name.split()
        return " ".join(["exec python3 -s", f"{self.workflow}/{folder}", *part, *options])

    def conda(self, environment: Environment) -> str | None:
        """Return the yaml that conda makes an environment from, see :mod:`deploy.bare`; None where
        an interpreter is given.
        """
        if environment.conda is None or not self._start.use_conda:
            return environment.conda
        return bare.definition(environment.definition, Path(".snakemake/millistep")).as_posix()

    def timed(self, environment: Environment) -> dict[str, Any]:
        """Return the resources of every job that times something in an environment."""
        plan = self._start.plan
        return {
            "machine_percent": 100,
            "attempt_no": attempt_no,
            "deployment": environment.method(self._start.use_conda),
            "definition": environment.definition.as_posix(),
            "environment": environment.marker,
            "overlay": environment.overlay_options,
            "memory_gib": plan.memory_gib,
            "results": plan.results,
            "device": str(plan.config["device"]),
            # This interpreter, which samples the machine from a process of its own.
            "monitor": sys.executable,
        }


def attempt_no(wildcards: Any, attempt: int) -> int:
    """Return the attempt's number: where a supervisor was killed itself, the second says so."""
    return attempt


def verbatim(text: str) -> Callable[[Any], str]:
    """Return a text as a param, in which Snakemake takes no {this} for a wildcard."""
    return lambda wildcards: text
