"""Check that the modules of a user's model are there, with the functions that are called by name.

Their source is parsed, not imported: what they import is installed only where they are measured.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from planning.config import ConfigError
from planning.models import OWN

NEEDED = {"keras2": ("build",), "keras3": ("build",), "pytorch": ("build",)}
OWN_LOOPS = "LOOPS"  # a builder's, which makes the batches itself


def check(plan) -> None:
    """Raise :class:`ConfigError` if a module is missing or lacks a function that is called by name.

    Only the user's models: tests check ours. Frameworks of a family of their own may call others.
    """
    unsupported = plan.unsupported
    for row in plan.rows:
        folder = plan.models.load(row.model).folder
        if folder.is_relative_to(OWN):
            continue
        columns = [c for c in plan.columns if (row, c.name) not in unsupported]
        for family in sorted({column.framework.family for column in columns} & {*NEEDED}):
            _check(folder / f"{family}.py", (*NEEDED[family], *_of_task(family, row.task)))
        if columns:
            _check(folder / "work.py", ("per_step",))


def _of_task(family: str, task: str) -> tuple[str, ...]:
    """What the steps of a task need."""
    steps = OWN_LOOPS if task == "generate" else "batch"
    return ("optimizer", steps) if (family, task) == ("pytorch", "fit") else (steps,)


def _check(file: Path, needed: tuple[str, ...]) -> None:
    try:
        names = set(_names(ast.parse(file.read_bytes())))
    except FileNotFoundError:
        raise ConfigError(f"{file}: no such file; needed in it are {', '.join(needed)}") from None
    except SyntaxError as error:
        raise ConfigError(f"{file}, line {error.lineno}: {error.msg}") from None
    known = names | ({"batch"} if OWN_LOOPS in names else set())
    if missing := [name for name in needed if name not in known and "*" not in names]:
        raise ConfigError(
            f"{file}: no function '{missing[0]}'; needed are {', '.join(needed)}, "
            f"there are {', '.join(sorted(names)) or 'none'}"
        )


def _names(parent: ast.AST) -> Iterator[str]:
    """Names that a module defines, imports or assigns; `*` if it has a star import. What its
    functions and classes have inside is not the module's.
    """
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, ast.ImportFrom | ast.Import):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        else:
            yield from _names(node)
