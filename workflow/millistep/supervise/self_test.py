"""Put the parts of the self-test together: known steps, and one cell under two names."""

import argparse
import json
from pathlib import Path
from typing import Any

from millistep.deploy.virtual_environments import write_atomically
from millistep.supervise.reading import step_ms


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--known-steps", type=Path, required=True)
    parser.add_argument("--first", type=Path, nargs="*", default=[], help="records of the cell")
    parser.add_argument("--second", type=Path, nargs="*", default=[], help="under its other name")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    found = read(options.known_steps)
    pairs = [(read(a), read(b)) for a, b in zip(options.first, options.second, strict=True)]
    found["same_cell"] = same_cell(pairs)
    write_atomically(options.output, json.dumps(found, indent=1, sort_keys=True) + "\n")


def same_cell(pairs: list[tuple[dict[str, Any], dict[str, Any]]]) -> dict[str, Any] | None:
    """Return ms per step in rounds that measured both names in one session; None without such
    rounds.
    """
    both = [
        (a, b) for a, b in pairs if a["status"] == b["status"] == "ok" and session(a) == session(b)
    ]
    if not both:
        return None
    cell = both[0][0]["cell"]
    return {
        **{name: cell[name] for name in ("model", "task", "batch_size", "column")},
        "a_ms": {str(a["cell"]["run"]): step_ms(a) for a, _ in both},
        "b_ms": {str(b["cell"]["run"]): step_ms(b) for _, b in both},
    }


def session(record: dict[str, Any]) -> str | None:
    """Return the id of a record's session; None for a record that was measured by itself."""
    return (record.get("session") or {}).get("id")


def read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text())
    return content
