"""Read and check the configuration, and replace ``auto`` by the resolved values."""

import contextlib
import json
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import yaml

from millistep.contracts.base import MAX_VALUE, Violation, checked
from millistep.contracts.config import Config

INCOMPLETE = (
    "; to override keys of the default table, use --configfile config/config.yaml YOUR_FILE"
)
MAX_WORD = 200  # characters of a folder's name; file systems take 255 bytes, some with an ending
REPEATED = re.compile(r"(.+)\1{19,}")  # Snakemake takes such a path for an endless recursion
T = TypeVar("T")


class Problem(Exception):
    """A problem that ends the program with one line for the user."""

    def __init__(self, message: str):
        super().__init__(" ".join(message.splitlines()))


def or_one_line(function: Callable[..., T], *arguments: Any) -> T:
    """Return what the function returns; a :class:`Problem` ends the program with its one line."""
    try:
        return function(*arguments)
    except Problem as problem:
        sys.exit(f"millistep: {problem}")


class ConfigError(Problem):
    """A problem of the configuration: the key, what is wrong with it, what is allowed."""

    def __init__(self, message: str):
        super().__init__(f"configuration: {message}")


def results_folder(config: Config) -> str:
    """Return the folder for all results of a configuration."""
    return f"results/studies/{config.study.name}" if config.study else "results"


def check(config: dict[str, Any]) -> Config:
    """Return the typed configuration with its defaults; raises :class:`ConfigError`."""
    try:
        return checked(Config, config)
    except Violation as problem:
        complete = {"models", "columns"} <= config.keys()
        raise ConfigError(f"{problem}{'' if complete else INCOMPLETE}") from None


FAST: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
MERGE = "tag:yaml.org,2002:merge"


class _EachKeyOnce:
    """A loader's part that refuses a key that a mapping has twice; one that it merges is another's.
    Merged keys are put among a mapping's own, so each is looked at before that.
    """

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        keys = [key for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        first: dict[str, yaml.Mark] = {}
        for key in keys if not hasattr(node, "seen") else ():
            mark = first.setdefault(key.value, key.start_mark)
            if key.tag != MERGE and mark is not key.start_mark:
                problem = f"the key '{key.value}' appears twice, first in line {mark.line + 1}"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
        node.seen = True
        super().flatten_mapping(node)  # type: ignore[misc]  # the loader's, see below


class _Fast(_EachKeyOnce, FAST):  # type: ignore[misc]  # PyYAML has no types
    pass


# YAML 1.1 reads 1e-3 as a text, unlike 1.0e-3.
_Fast.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+$"), list("-+0123456789")
)


class _Snakemakes(_EachKeyOnce, yaml.SafeLoader):  # type: ignore[misc]  # PyYAML has no types
    pass


def read_configuration(path: str) -> dict[str, Any]:
    """Read a configuration file with Snakemake's loader: it refuses more than the fast one."""
    return read_yaml(path, _Snakemakes)


def check_readable(paths: Iterable[str]) -> None:
    """End the program with one line if a configuration file cannot be read."""
    for path in paths:
        or_one_line(read_configuration, path)


def read_yaml(path: str, loader: type[_EachKeyOnce] = _Fast) -> dict[str, Any]:
    """Read a YAML file's mapping; raises :class:`ConfigError` with file and line if it is none."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        with contextlib.suppress(ValueError, RecursionError):
            json.loads(text)
            text = text.replace("\t", " ")  # JSON, in which tabs are blanks, unlike in YAML
        content = yaml.load(text, Loader=loader)
        if isinstance(content, dict):
            return content
        problem = ": not a mapping of keys to values"
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = f"{where}: {getattr(error, 'problem', None) or 'not YAML'}"
        if mark and "\t" in "".join(text.split("\n")[mark.line : mark.line + 1]):
            problem += "; this line has a tab: use spaces"
    except UnicodeDecodeError:
        problem = ": not text in UTF-8"
    except RecursionError:
        problem = ": nested too deeply"
    except (OSError, ValueError) as error:
        problem = f": {getattr(error, 'strerror', error)}"
    raise ConfigError(f"{path}{problem}")


def lay_over_command_line(config: dict[str, Any], entries: list[str]) -> None:
    """Put the entries of ``--config`` into a configuration, parsed as in a file."""
    for name, _, text in (entry.partition("=") for entry in entries):
        with contextlib.suppress(yaml.YAMLError, ValueError, RecursionError):
            lay_over(config, {name: yaml.load(text, Loader=FAST)})


def lay_over(config: dict[str, Any], settings: dict[str, Any]) -> None:
    """Put settings into a configuration, mapping by mapping and in its order.

    A key may be there twice, as a number and as the same text (Snakemake or another file reads it
    otherwise): the setting takes the place of both.
    """
    for key, value in settings.items():
        first, *others = [known for known in config if str(known) == str(key)] or [key]
        before = config.get(first)
        for other in others:
            del config[other]
        if isinstance(value, dict) and isinstance(before, dict):
            lay_over(before, value)
        else:
            config[first] = value


def check_known(where: str, kind: str, name: str, allowed: Iterable[str]) -> None:
    """Raise :class:`ConfigError` for a name that is none of the allowed ones."""
    if name not in (names := list(allowed)):
        raise ConfigError(f"{where}: unknown {kind} '{name}'; allowed are {', '.join(names)}")


def check_word(where: str, word: str) -> None:
    """Raise :class:`ConfigError` for a name that cannot be a folder in a path of results."""
    if len(word) > MAX_WORD:
        raise ConfigError(
            f"{where}: a name of {len(word)} characters, {word[:MAX_VALUE]}...; "
            f"at most {MAX_WORD} are allowed"
        )
    if REPEATED.search(word):
        raise ConfigError(
            f"{where}: the name {word} repeats a part of it more than 19 times, which Snakemake"
            " refuses; choose another one"
        )


def check_names(roots: Iterable[Path], part: str) -> None:
    """Raise :class:`ConfigError` if two folders have a module of one name in this part of them."""
    seen: set[str] = set()
    for root in roots:
        for path in sorted(Path(root, part).glob("*")):
            importable = path.is_dir() or path.suffix == ".py"
            if importable and not path.name.startswith((".", "__")):
                if path.stem in seen:
                    raise ConfigError(f"{path}: another folder has this name, too; rename one")
                seen.add(path.stem)
