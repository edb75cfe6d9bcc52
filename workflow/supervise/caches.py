"""What compilers keep on disk between processes, of a cell's first run for its later ones.

A user's first process finds nothing there and the next ones do. A run works on a copy in its own
scratch folder, and what it leaves there is put in its place when it is whole: neither a kill nor a
neighbour leaves half of it, and where nothing can be read or written, runs are cold.
"""

import contextlib
import hashlib
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

FOLDER = "caches"  # of the results; in no archive and on no way back from elsewhere
PARTS = ("inductor", "triton", "jax")  # of a run's scratch folder, see supervise.variables
# What runs of a cell differ in; none of it is compiled.
OF_A_RUN = {"run", "seed", "extras", "probes", "training"}


class Kept:
    """Of a cell on one machine, in a folder of their own; None keeps nothing.

    What another identity has left there is never used, and goes when this one leaves something.
    """

    def __init__(self, folder: Path | None, identity: dict[str, Any]) -> None:
        same = {name: value for name, value in identity.items() if name not in OF_A_RUN}
        digest = hashlib.sha256(json.dumps(same, sort_keys=True).encode()).hexdigest()
        self._folder, self._first = folder, identity["run"] == 1
        self._place = folder / digest if folder else None

    def lend(self, scratch: Path) -> None:
        """Copy it into a run's scratch folder; the first run of a cell starts without."""
        if self._first or not self._place or not self._place.is_dir():
            return
        try:
            shutil.copytree(self._place, scratch, dirs_exist_ok=True)
        except OSError:
            for part in PARTS:
                shutil.rmtree(scratch / part, ignore_errors=True)

    def keep(self, scratch: Path) -> None:
        """What a run has compiled, in the place of all that was there."""
        if not self._folder or not self._place:
            return
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            partial = Path(tempfile.mkdtemp(prefix=".partial-", dir=self._folder))
            try:
                for part in PARTS:
                    if (scratch / part).is_dir():
                        shutil.move(scratch / part, partial / part)
                for other in {*self._folder.iterdir()} - {partial}:
                    shutil.rmtree(other)
                partial.rename(self._place)
            finally:
                shutil.rmtree(partial, ignore_errors=True)
