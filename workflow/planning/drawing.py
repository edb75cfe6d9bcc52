"""The analysis's interpreter, its commands, and the params that say when to draw again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from contract import report_contents
from deploy.environments import definition_sha256, virtual_prefix
from planning.commands import Commands, literal
from planning.start import Start
from supervise.sources import content_digest

TOPICS = "workflow/analysis/topics"
TEXTS = {".rst", ".j2"}  # captions are params of their figures, templates of the report


class Drawing:
    """Answer the rules of one start that draw. shared: sources that every drawing depends on."""

    def __init__(self, start: Start, shared: Sequence[str]):
        self._start = start
        self._shared = [*shared, *self._code_of_topics()]
        self._workflow = Commands(start).workflow
        self.definition = start.sources / "envs/analysis.yaml"
        self.environment = f"{start.results}/environments/analysis.json"
        self.definition_sha256 = definition_sha256(self.definition)
        self.python = "python3"  # of the rule's conda environment
        if not start.use_conda:
            self.python = f"{virtual_prefix('analysis', self.definition)}/bin/python"

    def drawn_by(self, *rooms: str, texts: Sequence[str] = ()) -> str:
        """Return a param that changes with the code, texts and environment that draw something.

        rooms: folders of workflow/analysis.
        """
        start, folders = self._start, [f"workflow/analysis/{room}" for room in rooms]
        # Results from elsewhere are unpacked files, whose times say nothing: their digest does.
        came = sha256(start.measured_elsewhere.read_bytes()).hexdigest() if start.elsewhere else ""
        found = content_digest(start.sources, *self._shared, *folders, *texts)
        return f"{found}-{self.definition_sha256}-{came}"

    def _code_of_topics(self) -> list[str]:
        files = sorted((self._start.sources / TOPICS).rglob("*.*"))
        return [
            path.relative_to(self._start.sources).as_posix()
            for path in files
            if path.suffix not in {*TEXTS, ".pyc"}
        ]

    def analysis(self, name: str, options: str) -> str:
        """Return the command of an analysis module that reads the plan."""
        return self.module(name, f"--plan {{input.plan}} {options}")

    def module(self, name: str, options: str) -> str:
        """Return the command that runs a module of the analysis."""
        return (
            f"PYTHONPATH={self._workflow} {literal(self.python)} -s -m analysis.{name}"
            f" {options} 2> >(tee {{log}} >&2)"
        )

    def caption(self, wildcards: Any) -> str:
        """Return a figure's caption as a param: Snakemake takes the path of a caption without
        wildcards, but its text may show params.
        """
        return report_contents.caption(wildcards.figure)

    def lost_environment(self, wildcards: Any) -> list[str]:
        """Return no input, but have a virtual environment made again that no longer exists."""
        lost = not (self._start.use_conda or os.access(self.python, os.X_OK))
        if lost and os.path.exists(self.environment):
            self._start.workflow.dag.forcefiles.add(self.environment)
        return []
