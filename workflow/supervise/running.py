"""The lines of blocks that run in parallel: each block writes a file, and one process shows all.

Jobs on nodes have no terminal, and several on one machine would write over each other's lines.
``<folder>/<block>@<place>.txt`` is there while a block runs, and removed once all of it was read.
"""

import contextlib
import glob
import os
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from supervise.terminal import printable

FOLDER = ".running"  # in the results' folder
RUNS, ENDED = ".txt", ".ended"
LOOK_S = 1.0  # seconds between two looks at what was written


def node() -> str:
    """The name of this machine: a cluster's for it, or its own."""
    return os.environ.get("SLURMD_NODENAME") or socket.gethostname()


def at_once(folder: Path) -> int:
    """The number of blocks that run now with a file; 0 if blocks print their lines themselves."""
    return sum(1 for _ in folder.glob(f"*{RUNS}"))


@contextlib.contextmanager
def told(folder: Path, block: str, place: str) -> Iterator[None]:
    """Redirect standard error of this process and of those that it starts to the block's file.

    place: the node or slot that is shown before every line.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{block}@{place}{RUNS}"
    for other in {*folder.glob(f"{glob.escape(block)}@*{RUNS}")} - {path}:
        other.unlink(missing_ok=True)  # left by an attempt that was killed
    sys.stderr.flush()
    own = os.dup(sys.stderr.fileno())
    with path.open("ab") as file:
        os.dup2(file.fileno(), sys.stderr.fileno())
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(own, sys.stderr.fileno())
        os.close(own)
        with contextlib.suppress(OSError):  # another attempt took its place
            path.rename(path.with_suffix(ENDED))


class Shown:
    """Shows every block's lines on one stream as they come, each with its place before it."""

    def __init__(self, folder: Path, stream: TextIO) -> None:
        self._folder, self._stream = folder, stream
        self._read: dict[str, int] = {}  # bytes that were read, by file name without its ending
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look_again, daemon=True)

    def start(self) -> None:
        """Show lines from now on; remove files of earlier starts."""
        for left in self._files():
            left.unlink(missing_ok=True)
        self._thread.start()

    def stop(self) -> None:
        """Show what was written last, and stop."""
        if self._thread.ident:
            self._over.set()
            self._thread.join()
            self.look()

    def _look_again(self) -> None:
        while not self._over.wait(LOOK_S):
            self.look()

    def look(self) -> None:
        """Show what is new in all files."""
        files = self._files()
        self._read = {path.stem: self._read.get(path.stem, 0) for path in files}
        for path in files:
            with contextlib.suppress(OSError):  # renamed or replaced meanwhile: the next look
                self._show(path)

    def _files(self) -> list[Path]:
        return sorted(p for p in self._folder.glob("*@*") if p.suffix in (RUNS, ENDED))

    def _show(self, path: Path) -> None:
        with path.open("rb") as file:
            file.seek(self._read[path.stem])
            new = file.read()
        complete = len(new) if path.suffix == ENDED else new.rfind(b"\n") + 1
        self._read[path.stem] += complete
        place = path.stem.partition("@")[2]
        lines = new[:complete].decode(errors="replace").splitlines()
        self._stream.write("".join(f"{place}: {printable(line)}\n" for line in lines))
        self._stream.flush()
        if path.suffix == ENDED:
            path.unlink()
            self._read[path.stem] = 0
