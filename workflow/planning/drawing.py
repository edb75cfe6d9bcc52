"""Find the interpreter that draws results, and what they have to be drawn again for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from deploy.environments import definition_sha256, virtual_prefix
from planning.commands import Commands
from planning.config import read_yaml
from planning.start import Start
from supervise.sources import content_digest

TOPICS = "workflow/analysis/topics"
TEXTS = {".rst", ".j2"}  # of a topic: a caption is a param of its figure, a template of the report


class Drawing:
    """Serve the rules of one start. shared: places of the sources that draw everything."""

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
        """Return a param that changes with the code, texts and environment of what is drawn.

        rooms: folders of workflow/analysis.
        """
        start, folders = self._start, [f"workflow/analysis/{room}" for room in rooms]
        # The times of unpacked files say nothing.
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
        """Return the command of a module of the analysis that reads a plan, for a rule with its
        python.
        """
        return self.module(name, f"--plan {{input.plan}} {options}")

    def module(self, name: str, options: str) -> str:
        """Return the command of any module of the analysis."""
        return (
            f"PYTHONPATH={self._workflow} {{resources.python:q}} -s -m analysis.{name}"
            f" {options} 2> >(tee {{log}} >&2)"
        )

    def of_report(self, kind: str) -> list[str]:
        """List the figures or tables of the report, without those of topics that were taken out."""
        listed = read_yaml(self._start.sources / f"report/{kind}.yaml")
        return [name for name, module in listed.items() if self._folder(module).is_dir()]

    def _folder(self, module: str) -> Path:
        return self._start.sources.joinpath("workflow/analysis", *module.split(".")[:-1])

    def caption(self, wildcards: Any) -> str:
        """Return a figure's caption as a param: its path knows no wildcards, but its text may ask
        for params. It lies beside the figure's code where that is of a topic.
        """
        sources, name = self._start.sources, wildcards.figure
        own = self._folder(read_yaml(sources / "report/figures.yaml")[name]) / f"{name}.rst"
        return (own if own.exists() else sources / "report/captions" / own.name).read_text()

    def lost_environment(self, wildcards: Any) -> list[str]:
        """Return no input, but have a virtual environment made again that is not there any more."""
        lost = not (self._start.use_conda or os.access(self.python, os.X_OK))
        if lost and os.path.exists(self.environment):
            self._start.workflow.dag.forcefiles.add(self.environment)
        return []
