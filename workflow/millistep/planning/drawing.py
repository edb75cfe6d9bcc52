"""The analysis's interpreter, its commands, and the param that makes its rules run again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from typing import Any

from millistep.deploy.environments import definition_sha256, virtual_prefix
from millistep.planning.commands import literal
from millistep.planning.start import Start
from millistep.supervise.sources import content_digest

SOURCES = tuple(f"workflow/millistep/{part}" for part in ("analysis", "contracts", "reference"))


class Drawing:
    """Answer the rules of one start that draw."""

    def __init__(self, start: Start):
        self._start = start
        self.definition = start.sources / "envs/analysis.yaml"
        self.environment = f"{start.results}/environments/analysis.json"
        self.definition_sha256 = definition_sha256(self.definition)
        self.python = "python3"  # of the rule's conda environment
        if not start.use_conda:
            self.python = f"{virtual_prefix('analysis', self.definition)}/bin/python"

    def drawn_by(self, texts: Sequence[str] = ()) -> str:
        """Return a param that changes with the code, texts and environment that draw something."""
        start = self._start
        # Files of another machine are unpacked, so their times mean nothing: use their digest.
        came = sha256(start.measured_elsewhere.read_bytes()).hexdigest() if start.elsewhere else ""
        return f"{content_digest(start.sources, *SOURCES, *texts)}-{self.definition_sha256}-{came}"

    @cached_property
    def _program(self) -> str:
        workflow = literal((self._start.sources / "workflow").absolute().as_posix())
        return f"{literal(self.python)} -s {workflow}"

    def analysis(self, command: str) -> str:
        """Return the shell command of an analysis command that writes to a rule's log."""
        return f"{self._program} {command} 2> >(tee {{log}} >&2)"

    def render(self, folder: str, *options: str) -> str:
        """Return the shell command that draws what is measured into a folder."""
        asked = " ".join(options)
        return self.analysis(f"render --plan {{input.plan}} --output-dir {folder} {asked}")

    def lost_environment(self, wildcards: Any) -> list[str]:
        """Return no input, but have a virtual environment made again that no longer exists."""
        lost = not (self._start.use_conda or os.access(self.python, os.X_OK))
        if lost and os.path.exists(self.environment):
            self._start.workflow.dag.forcefiles.add(self.environment)
        return []
