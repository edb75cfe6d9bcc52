"""Bad input, reported in one clear line per file, and the part of every command that prints it."""

import gc
import sys
from collections.abc import Callable, Iterable
from pathlib import Path


class InputError(Exception):
    """Input that cannot be used; `lines` holds one readable line per problem."""

    def __init__(self, lines: str | Iterable[str]):
        self.lines = [lines] if isinstance(lines, str) else list(lines)
        super().__init__("\n".join(self.lines))

    def __reduce__(self) -> tuple[type, tuple[list[str]]]:
        """Keep the lines apart when the error goes from one process to another."""
        return type(self), (self.lines,)


def run_command(main: Callable[[], None], status: int = 1) -> None:
    """Run a command line; bad input and files that cannot be used end it with one line and this
    exit status.
    """
    gc.disable()  # it keeps what it reads until it ends; looking for garbage doubled its time
    try:
        main()
    except InputError as error:
        _end(error.lines, status)
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        file = f"{error.filename}: " if error.filename else ""
        _end([f"{file}{error.strerror or error}"], status)
    except KeyboardInterrupt:
        sys.exit(130)


def _end(problems: Iterable[str], status: int) -> None:
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    sys.exit(status)


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 with plain newlines; what is not Unicode (a lone surrogate in a log line) is
    spelled out.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", errors="backslashreplace"))
