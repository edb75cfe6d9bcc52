"""Package overrides: versions, wheels or source trees, put over an environment that stays as it is.

The override is a virtual environment on the other one's Python that holds only these packages. All
others it finds in the other environment. Of a source tree, the contents of its files count, but no
build products, hidden files (such as its history) or virtual environments.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from millistep.deploy.virtual_environments import EnvironmentProblem, ask, unfinished

BUILT_AT_THE_TOP = ("build", "dist")
BUILT_ANYWHERE = ("__pycache__", "node_modules")
PURELIB = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
QUIET = ("--quiet", "--no-input", "--no-deps", "--retries", "1", "--no-warn-script-location")


def overlaid_interpreter(
    prefix: Path, base: str, copies: dict[str, str], log: Path | None, title: str
) -> str:
    """Return the interpreter of an environment with overrides, which is made if it is not there.

    base: of the environment below. copies: see :func:`copied`.
    """
    below = ask(base, PURELIB)
    if below is None:
        raise EnvironmentProblem(f"{base} does not run, so no package can be installed over it")
    python = f"{prefix}/bin/python"
    try:
        with unfinished(prefix, log, title) as run:
            if run:
                run([base, "-I", "-m", "venv", "--clear", "--without-pip", str(prefix)])
                pip = [base, "-I", "-m", "pip", "--python", python, "install", *QUIET]
                run([*pip, "--", *copies.values()])
                # Visible last: a source tree is built with the packages that it requires.
                packages = Path(ask(python, PURELIB) or prefix, "below.pth")
                packages.write_text(f"import site; site.addsitedir({below!r})\n")
    except EnvironmentProblem as problem:
        sources = " and ".join(copies)
        raise EnvironmentProblem(f"{sources} cannot be installed: {problem}") from None
    return python


def with_overlays(definition_sha256: str, contents: Iterable[str]) -> str:
    """Return the digest of a definition with overrides, each as :func:`content` returns it."""
    lines = [definition_sha256, *contents]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest() if lines[1:] else definition_sha256


def content(source: str) -> str:
    """Return ``name==version``, or the digest of a wheel or source tree, for which OSError may be
    raised.
    """
    path = Path(source)
    if not path.is_absolute():
        return source
    if not path.is_dir():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    whole = hashlib.sha256()
    for file in sorted(files(path)):
        data = file.read_bytes()
        whole.update(os.fsencode(f"{file.relative_to(path).as_posix()}\0{len(data)}\0") + data)
    return whole.hexdigest()


@contextlib.contextmanager
def copied(sources: Iterable[str]) -> Iterator[dict[str, str]]:
    """Yield by source the argument for pip: the copy of a source tree, any other source as it is.
    Raises EnvironmentProblem.
    """
    # Building leaves files in a source tree, and the user may edit it meanwhile: the digest is
    # that of the copy.
    with tempfile.TemporaryDirectory(prefix="millistep-") as folder:
        copies = {}
        for place, source in enumerate(sources):
            try:
                copies[source] = _copy(Path(source), Path(folder, str(place)))
            except OSError as error:
                where = error.filename or source
                raise EnvironmentProblem(f"overlay {where}: {error.strerror}") from None
        yield copies


def _copy(source: Path, folder: Path) -> str:
    if not source.is_absolute() or source.is_file():
        return str(source)
    for file in files(source):
        target = folder / file.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, target)
    return str(folder)


def files(tree: Path) -> Iterator[Path]:
    """Yield the files of a source tree that count. Links to files are followed, to folders not."""
    for place, folders, names in os.walk(tree, onerror=_raise):
        left_out = BUILT_ANYWHERE + (BUILT_AT_THE_TOP if Path(place) == tree else ())
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".")
            and name not in left_out
            and not name.endswith(".egg-info")
            and not Path(place, name, "pyvenv.cfg").exists()
        ]
        for name in names:
            path = Path(place, name)
            if not name.startswith(".") and path.suffix != ".pyc" and path.is_file():
                yield path


def _raise(error: OSError) -> None:
    raise error
