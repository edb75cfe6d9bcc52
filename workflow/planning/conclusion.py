"""The last lines on the terminal: what is shown, what is not, and the command that would show it.

The analysis has written the sentences, and how many runs would show more; how Snakemake was called,
only this side knows.
"""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Call:
    """The options with which Snakemake was called that decide what is measured.

    configfiles, overrides (``name=value``): those of ``--configfile`` and ``--config``. study: the
    study's name, which ``make study`` takes, if it is one. by_make: whether make called. slots: how
    many blocks are measured at once here. on_nodes: whether a cluster measures them.
    """

    configfiles: tuple[str, ...] = ()
    overrides: tuple[str, ...] = ()
    use_conda: bool = False
    study: str | None = None
    by_make: bool = False
    slots: int = 1
    on_nodes: bool = False

    def with_runs(self, runs: str) -> str:
        """The command of this call with another value of ``runs``, as a line for a shell. On nodes
        the option alone: how jobs are sent there, only the user knows.
        """
        kept = [entry for entry in self.overrides if not entry.startswith("runs=")]
        config = ["--config", *kept, f"runs={runs}"]
        if self.on_nodes:
            return shlex.join(config)
        own = ["--configfile", *self.configfiles] if self.configfiles else []
        cores = ["--cores", str(self.slots)]
        if not self.by_make:
            conda = ["--use-conda"] if self.use_conda else []
            return shlex.join(["snakemake", *cores, *conda, *own, *config])
        more = cores if self.slots > 1 else []  # make says --cores 1
        if own == ["--configfile", f"config/studies/{self.study}.yaml"]:
            return f"make study NAME={self.study} ARGS={_one_word([*more, *config])}"
        return f"make ARGS={_one_word([*more, *own, *config])}"


def lines(path: Path, call: Call | None) -> list[str]:
    """The analysis's conclusions and the command that would show more; empty if there are none yet.

    path: of conclusion.json. call: None if nothing is measured here.
    """
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return []
    more = found["more_rounds"]
    if not (more and call):
        return found["sentences"]
    same = "The same command with " if call.on_nodes else ""
    return [*found["sentences"], f"{same}`{call.with_runs(more['runs'])}` {more['text']}."]


def relative(file: str) -> str:
    """A path relative to this folder; unchanged if it lies outside."""
    short = os.path.relpath(file)
    return file if short.startswith("..") else short


def _one_word(words: list[str]) -> str:
    """Words as one argument, quoted for a shell and make, in the quotes that are easier to read."""
    text = shlex.join(words).replace("$", "$$")
    return f'"{text}"' if "'" in text and not set(text) & set('"$`\\!') else shlex.quote(text)
