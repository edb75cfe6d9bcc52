"""The compilers' caches on disk, kept from a cell's first run for its later ones.

Users' processes find them, too. A run works on a copy in its own scratch folder, which replaces the
kept cache only when it is complete: neither a kill nor a parallel job leaves half of it. If the
folder cannot be read or written, runs start without caches.
"""

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

FOLDER = "caches"  # in the results' folder; in no archive, nor in results of another machine
PARTIAL = ".partial-"
PARTS = ("inductor", "triton", "jax")  # folders in a run's scratch folder, see supervise.variables
# The facts in which runs of a cell differ; no compiled code depends on them.
OF_A_RUN = {"run", "seed", "extras", "probes"}


class Kept:
    """The caches of a cell on one machine; those of another identity are not used, but replaced."""

    def __init__(self, folder: Path, identity: dict[str, Any]) -> None:
        same = {name: value for name, value in identity.items() if name not in OF_A_RUN}
        digest = hashlib.sha256(json.dumps(same, sort_keys=True).encode()).hexdigest()
        self._place, self._first = folder / digest, identity["run"] == 1

    def lend(self, scratch: Path) -> None:
        """Copy the caches into a run's scratch folder; the first run of a cell starts without."""
        if self._first:
            return
        try:
            shutil.copytree(self._place, scratch, dirs_exist_ok=True)
        except OSError:  # also if nothing is kept
            for part in PARTS:
                shutil.rmtree(scratch / part, ignore_errors=True)

    def keep(self, scratch: Path) -> None:
        """Keep what a run has compiled, instead of all that was kept before."""
        folder = self._place.parent
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=PARTIAL, dir=folder) as partial:
                for part in PARTS:
                    if (scratch / part).is_dir():
                        shutil.move(scratch / part, partial)
                for other in folder.iterdir():
                    if not other.name.startswith(PARTIAL):  # of a run that goes on elsewhere
                        shutil.rmtree(other)
                os.rename(partial, self._place)
