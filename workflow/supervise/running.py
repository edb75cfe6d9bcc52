"""What blocks say that run beside each other: each into a file of its own, shown by one process.

Jobs on nodes have no terminal, and several on one machine would write over each other's lines.
``<folder>/<block>@<place>.txt`` is there while a block runs, and goes when it was read to its end.
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

FOLDER = ".running"  # of the results
RUNS, ENDED = ".txt", ".ended"
LOOK_S = 1.0  # between two looks at what was written


def node() -> str:
    """What a cluster calls this machine, or its own name."""
    return os.environ.get("SLURMD_NODENAME") or socket.gethostname()


def at_once(folder: Path) -> int:
    """How many blocks run now; none where each says its lines itself."""
    return sum(1 for _ in folder.glob(f"*{RUNS}"))


@contextlib.contextmanager
def told(folder: Path | None, block: str, place: str) -> Iterator[None]:
    """Standard error of this process and of those that it starts is the block's file meanwhile.

    folder: None leaves it as it is. place: a node or a slot, which every line is shown with.
    """
    if folder is None:
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{block}@{place}{RUNS}"
    for other in {*folder.glob(f"{glob.escape(block)}@*{RUNS}")} - {path}:
        other.unlink(missing_ok=True)  # of an attempt that was killed
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
    """Every block's lines on one stream, each after its place, as they come."""

    def __init__(self, folder: Path, stream: TextIO) -> None:
        self._folder, self._stream = folder, stream
        self._read: dict[str, int] = {}  # bytes, by the name without its ending
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look_again, daemon=True)

    def start(self) -> None:
        """From now on, and nothing of an earlier start."""
        for left in self._files():
            left.unlink(missing_ok=True)
        self._thread.start()

    def stop(self) -> None:
        """With what was written last."""
        if self._thread.ident:
            self._over.set()
            self._thread.join()
            self.look()

    def _look_again(self) -> None:
        while not self._over.wait(LOOK_S):
            self.look()

    def look(self) -> None:
        """Show what is new."""
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
