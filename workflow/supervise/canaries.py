"""Canaries around a block: fixed work that shows how fast the machine is before and after it.

What was measured after one block is what was before the next, where that follows at once.
"""

import json
import time
from pathlib import Path
from typing import Any

from deploy.virtual_environments import write_atomically
from supervise import commands, programs
from supervise.planned import Block, Settings
from supervise.slots import FOLDER

AT_ONCE_S = 60.0


class Canaries:
    """Of one session."""

    def __init__(self, block: Block, settings: Settings, session: dict[str, Any]) -> None:
        self._block, self._settings, self._session = block, settings, session

    def before(self, accelerator: str) -> dict[str, Any] | None:
        """That after the block that has just ended in this share of the machine, or a new one."""
        return self._kept(accelerator) or self.measured(accelerator)

    def measured(self, accelerator: str) -> dict[str, Any] | None:
        """A new one, None where its program did not come to an end; raises what interrupts it."""
        path = self._block.path
        output = path.with_name(f".{path.stem}.canary.json")
        possible = self._block.canaries[accelerator]
        for attempt in (1, 2):  # the second says that the first was killed
            command = commands.canary(possible, self._settings, attempt, self._block.log, output)
            status = programs.run(command, self._settings.deadline)
            if status >= 0:
                break
        found = _read(output)
        output.unlink(missing_ok=True)
        if found:
            kept = {"finished_s": time.time(), "canary": found}
            write_atomically(self._file(accelerator), json.dumps(kept) + "\n")
        return found

    def _kept(self, accelerator: str) -> dict[str, Any] | None:
        kept = _read(self._file(accelerator))
        if kept is None or not 0 <= time.time() - kept["finished_s"] < AT_ONCE_S:
            return None
        canary: dict[str, Any] = kept["canary"]
        identities = [timed.identity for timed in self._block.canaries[accelerator]]
        return canary if canary["status"] == "ok" and canary["identity"] in identities else None

    def _file(self, accelerator: str) -> Path:
        share = f"{self._session['node']}-{self._session['slot']}"
        return self._settings.results / FOLDER / f"{share}-{accelerator}.json"


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads(path.read_text())
        return found
    except (OSError, ValueError):
        return None
