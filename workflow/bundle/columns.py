"""The interpreters that the user gives for columns, and the packages in them."""

import json
import platform
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bundle import Problem
from deploy.environments import EnvironmentProblem, marker, post_deploy, users_interpreter
from deploy.virtual_environments import ask, write_atomically

OLDEST = (3, 11)
LOCKED = re.compile(r"^([a-z0-9-]+)==[^\s;]+(?: ; ([^\\\n]+))?", re.M)  # a package, and its marker


@dataclass(frozen=True)
class Column:
    """A column that can be measured here."""

    interpreter: str
    marker: str  # file that lists what the interpreter has; path in the bundle
    definition: str


def columns(bundle: dict, given: Iterable[str], root: Path) -> dict[str, Column]:
    """The columns that have an interpreter, by name; writes a marker for each interpreter.

    given: ``NAME=PATH``; NAME is a column's, or that of a framework or environment that several
    columns share. A column's own name takes precedence. Raises :class:`Problem`.
    """
    paths, found, written = named(bundle, given), {}, {}
    for column, about in bundle["columns"].items():
        names = (column, about["framework"], about["environment"])
        name = next((name for name in names if name in paths), None)
        if name is None:
            continue
        file = str(Path(about["marker"]).with_name(f"{name}.json"))
        if file not in written:
            content = described(name, paths[name], root / about["definition"])
            write_atomically(root / file, json.dumps(content, indent=1) + "\n")
            tell_missing(name, root / about["definition"], content["packages"])
            written[file] = Column(content["interpreter"], file, about["definition"])
        found[column] = written[file]
    return found


def named(bundle: dict, given: Iterable[str]) -> dict[str, str]:
    """The paths of ``NAME=PATH`` by name; raises :class:`Problem`."""
    columns = bundle["columns"]
    shared = [about[key] for key in ("framework", "environment") for about in columns.values()]
    allowed = list(dict.fromkeys([*columns, *shared]))
    found: dict[str, str] = {}
    for text in given:
        name, _, path = text.partition("=")
        if not path:
            raise Problem(f"--interpreter: '{text}' is not NAME=PATH")
        if name not in allowed:
            raise Problem(f"--interpreter: unknown name '{name}'; allowed are {', '.join(allowed)}")
        if name in found:
            raise Problem(f"--interpreter: '{name}' is named twice")
        found[name] = path
    return found


def described(name: str, path: str, definition: Path) -> dict:
    """The marker of an interpreter; raises :class:`Problem` if it cannot measure."""
    try:
        found = marker(name, definition, "interpreter", users_interpreter(path))
    except EnvironmentProblem as problem:
        raise Problem(f"--interpreter {name}: {problem}") from None
    version = tuple(int(number) for number in re.findall(r"\d+", found["python"])[:2])
    if version < OLDEST:
        needed = ".".join(map(str, OLDEST))
        raise Problem(
            f"--interpreter {name}: {path} is Python {found['python']}, needed is {needed} or later"
        )
    return found


def tell_missing(name: str, definition: Path, packages: dict[str, str]) -> None:
    """Print which packages of a lock are missing: a run that needs one will end as an error.

    CUDA's libraries (nvidia-, cuda-) are left out: they need not come from packages.
    """
    here = {"sys_platform": sys.platform, "platform_machine": platform.machine()}
    pins = LOCKED.findall(post_deploy(definition).read_text())
    # A marker is an expression of Python's, and a lock as much our code as this: eval will do.
    locked = {package for package, marker in pins if not marker or eval(marker, dict(here))}
    missing = sorted(n for n in locked - packages.keys() if not n.startswith(("nvidia-", "cuda-")))
    if missing:
        print(f"{name}: of its lock are not there: {', '.join(missing)}", file=sys.stderr)


def monitor_interpreter(
    asked: str | None, interpreters: Iterable[str], accelerators: Iterable[str]
) -> str | None:
    """An interpreter that can sample the machine: with psutil and, for a GPU, NVML's bindings.

    asked: the user's. Without it, this Python or a framework's that has psutil; None if none has.
    """
    if asked is not None:
        try:
            path = users_interpreter(asked)
        except EnvironmentProblem as problem:
            raise Problem(f"--monitor-interpreter: {problem}") from None
        if ask(path, "import psutil") is None:
            raise Problem(f"--monitor-interpreter: {path} does not have psutil")
        return path
    candidates = list(dict.fromkeys([sys.executable, *interpreters]))
    wanted = ["import psutil, pynvml"] if "cuda" in accelerators else []
    for program in [*wanted, "import psutil"]:
        for path in candidates:
            if ask(path, program) is not None:
                return path
    print(
        "no interpreter has psutil: nothing is sampled beside the runs, and the machine's card is "
        "short; see --monitor-interpreter",
        file=sys.stderr,
    )
    return None
