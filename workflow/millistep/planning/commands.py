"""The shell commands by which rules call the programs of this workflow.

Options about an environment are resources of the jobs: when resources change, nothing is measured
again, and a brace in the text of a command would name a wildcard."""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from millistep.deploy.environments import definition_sha256, virtual_prefix
from millistep.planning.columns import Column
from millistep.planning.controls import Control
from millistep.planning.environments import Environment
from millistep.planning.jobs import OfJob, with_signature
from millistep.planning.start import Start
from millistep.supervise.sources import content_digest

SOURCES = tuple(f"workflow/millistep/{part}" for part in ("analysis", "contracts", "reference"))


class Commands:
    """The shell commands of one start, and the environment of those that draw."""

    def __init__(self, start: Start):
        self._start = start
        self.workflow = literal((start.sources / "workflow").as_posix())
        self.start_id = str(time.time_ns())  # an installation that fails is tried once in a start
        definition = start.sources / "envs/analysis.yaml"
        marker = f"{start.results}/environments/analysis.json"
        digest = definition_sha256(definition)
        self.environment = Environment("analysis", "analysis", definition, digest, marker)
        self.python = "python3"  # of the rule's conda environment
        if not start.use_conda:
            self.python = f"{virtual_prefix('analysis', definition)}/bin/python"

    def program(self, name: str, *options: str) -> str:
        """Return the shell command that runs a command of Millistep.

        The program runs on Snakemake's Python, even where conda activates another one. `exec`
        leaves no shell between the two, so that the program ends with Snakemake.
        """
        python = literal(sys.executable)
        return " ".join(["exec", python, "-s", self.workflow, name, *options])

    def logged(self, name: str, options: str) -> str:
        """Return the shell command that runs a command of Millistep and logs its messages."""
        return self.program(name, options, "2> >(tee {log} >&2)")

    def alone(self, command: str) -> str:
        """Return the shell command that runs another one while no run is timed."""
        return self.program("alone", "--", command.removeprefix("exec "))

    def measured(self, name: str, options: str) -> str:
        """Return the shell command that measures in the environment of :meth:`timed`."""
        return self.program(name, options, "{resources.told} --log {log}")

    def timed(
        self, environment: Environment, *more: str, of_job: OfJob | None = None
    ) -> dict[str, Any]:
        """Return the resources of every job that times something in an environment.

        more: options that are the same for all jobs of the rule. of_job: finds the options of one
        job, if it belongs to a group. All options are one resource, since Snakemake evaluates each
        resource of each of thousands of jobs.
        """
        plan = self._start.plan
        options = [
            f"--environment={json.dumps(environment.wanted(self._start.use_conda))}",
            f"--start={self.start_id}",
            f"--memory-gib={plan.config.limits.memory_gib}",
        ]
        if of_job:
            options += [f"--results={plan.results}", f"--device={plan.config.device}"]
        same = shlex.join([*options, *more])

        def told(wildcards: Any, attempt: int) -> str:
            own = f" {of_job(wildcards)}" if of_job else ""
            return f"{same} --attempt={attempt}{own}"

        return {"machine_percent": 100 // plan.most_resident, "told": with_signature(told)}

    def cell(self, column: Column, of_job: OfJob) -> dict[str, Any]:
        plan = self._start.plan
        folders = [f"--folder={folder}" for folder in plan.config.folders]
        limit = f"--time-limit-s={plan.time_limit_s}"
        return self.timed(plan.environment_of(column), limit, *folders, of_job=of_job)

    def control(self, control: Control, *more: str, of_job: OfJob | None = None) -> dict[str, Any]:
        others = control.instead(self._start.use_conda)
        return self.timed(control.environment, *more, *others, of_job=of_job)

    def reference(self, accelerator: str, of_job: OfJob) -> dict[str, Any]:
        plan = self._start.plan
        control = plan.controls.references[accelerator]
        own = [f"--identity={control.identity}", "--accelerators", *plan.accelerators]
        return self.control(control, *own, of_job=of_job)

    def drawn_by(self) -> str:
        """Return a param that changes with the code and environment that draw something."""
        start = self._start
        # Files of another machine are unpacked, so their times mean nothing: use their digest.
        came = sha256(start.elsewhere.read_bytes()).hexdigest() if start.elsewhere else ""
        cited = start.sources / "CITATION.cff"  # which the report quotes
        came += sha256(cited.read_bytes()).hexdigest() if cited.is_file() else ""
        return f"{content_digest(start.sources, *SOURCES)}-{self.environment.sha256}-{came}"

    def analysis(self, command: str) -> str:
        """Return the shell command of an analysis command that writes to a rule's log."""
        workflow = literal((self._start.sources / "workflow").absolute().as_posix())
        return f"{literal(self.python)} -s {workflow} {command} 2> >(tee {{log}} >&2)"

    def render(self, folder: str, option: str = "") -> str:
        """Return the shell command that draws what is measured into a folder."""
        return self.analysis(f"render --plan {{input.plan}} --output-dir {folder} {option}")

    def lost_environment(self, wildcards: Any) -> list[str]:
        """Return no input, but have a virtual environment made again that no longer exists."""
        lost = not (self._start.use_conda or os.access(self.python, os.X_OK))
        if lost and os.path.exists(self.environment.marker):
            self._start.workflow.dag.forcefiles.add(self.environment.marker)
        return []


def literal(text: str) -> str:
    """Quote a constant for a rule's command, in which braces name wildcards."""
    return shlex.quote(text).replace("{", "{{").replace("}", "}}")


def verbatim(text: str) -> Callable[[Any], str]:
    """Wrap a text for a param, so that Snakemake takes no {this} in it for a wildcard."""
    return lambda wildcards: text


def in_report(caption: str, category: str, label: str) -> dict[str, Any]:
    """Return the arguments that mark an output for Snakemake's own report."""
    labels = {category.lower().removesuffix("s"): label}
    return {"caption": f"../report/{caption}.rst", "category": category, "labels": labels}
