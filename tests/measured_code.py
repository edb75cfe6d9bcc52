"""Digests of the code that decides what a number means: steps, synchronization, protocol, models.

    python tests/measured_code.py           # list the files that changed
    python tests/measured_code.py --update  # accept them

Syntax trees are compared, without docstrings: comments, formatting and docstrings change nothing.
"""

import ast
import hashlib
import sys
from pathlib import Path

MEASURE = Path(__file__).resolve().parents[1] / "workflow/millistep/measure"
ACCEPTED = Path(__file__).with_name("measured_code.sha256")
CODE = ("timer.py", "protocol.py", "device.py", "operations.py", "frameworks", "models")


def tree(node: object) -> object:
    """Return a syntax tree as nested lists, without docstrings and unset fields."""
    if isinstance(node, list):
        return [tree(item) for item in node]
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = dict(ast.iter_fields(node))
    match fields.get("body"):
        case [ast.Expr(ast.Constant(str())), *code]:
            fields["body"] = code
    set_fields = [[name, tree(value)] for name, value in fields.items() if value not in (None, [])]
    return [type(node).__name__, *set_fields]


def digest(source: str) -> str:
    """Return the sha256 of a file's syntax tree."""
    return hashlib.sha256(repr(tree(ast.parse(source))).encode()).hexdigest()


def digests() -> dict[str, str]:
    """Return the digests of all files, by their names below workflow/millistep/measure."""
    paths = [MEASURE / name for name in CODE]
    files = [file for path in paths for file in (sorted(path.rglob("*.py")) or [path])]
    return {path.relative_to(MEASURE).as_posix(): digest(path.read_text()) for path in files}


def accepted() -> dict[str, str]:
    """Return the digests in the file."""
    lines = ACCEPTED.read_text().splitlines()
    return {name: found for found, name in (line.split("  ") for line in lines)}


def changed() -> list[str]:
    """Return the names of files whose code differs from the accepted one."""
    now, before = digests(), accepted()
    return sorted(name for name in {*now, *before} if now.get(name) != before.get(name))


def main() -> int:
    if sys.argv[1:] == ["--update"]:
        ACCEPTED.write_text("".join(f"{d}  {name}\n" for name, d in sorted(digests().items())))
        return 0
    print("\n".join(changed()))
    return bool(changed())


if __name__ == "__main__":
    sys.exit(main())
