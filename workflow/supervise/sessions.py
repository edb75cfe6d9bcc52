"""The sittings in which a block was measured, in a file that is whole at any time."""

import json
import secrets
from pathlib import Path
from typing import Any

from deploy.virtual_environments import write_atomically
from supervise.planned import Block
from supervise.record import now

SCHEMA = "millistep.block/1"


class Sessions:
    """Those of one block; what is there already is kept."""

    def __init__(self, block: Block) -> None:
        self._path = block.path
        about = {"schema": SCHEMA, "row": block.row, "scale": block.scale, "round": block.round}
        earlier = read(block.path)
        for session in earlier:
            session["ended"] = session["ended"] or "killed"
        self._document: dict[str, Any] = {**about, "sessions": earlier}

    @property
    def last(self) -> dict[str, Any] | None:
        """The latest, None where there is none."""
        return self._document["sessions"][-1] if self._document["sessions"] else None

    def begin(self, **facts: Any) -> dict[str, Any]:
        """A new one, which the caller fills in and saves. facts: where it is, what it may use."""
        session = {
            "id": secrets.token_hex(6),
            **facts,
            "started_at": now(),
            "finished_at": None,
            "ended": None,
            "canaries": {},
            "runs": [],
        }
        self._document["sessions"].append(session)
        self.save()
        return session

    def end(self, how: str) -> None:
        """The latest: ``done``, ``interrupted`` or ``killed``."""
        self._document["sessions"][-1].update(finished_at=now(), ended=how)
        self.save()

    def save(self) -> None:
        """Write the file; raises OSError."""
        write_atomically(self._path, json.dumps(self._document, indent=1, sort_keys=True) + "\n")


def read(path: Path) -> list[dict[str, Any]]:
    """The sessions of a block's file; none where there is none, or it is broken."""
    try:
        found: list[dict[str, Any]] = json.loads(path.read_text())["sessions"]
        return found if all("ended" in session for session in found) else []
    except (OSError, ValueError, KeyError, TypeError):
        return []
