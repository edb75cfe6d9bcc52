"""Share of random mutants that the tests kill: statistics, steady state, plausibility, caveats.

    python benchmarks/mutants.py [NUMBER] [SEED]

A mutant changes one operator, comparison, number, name of a function or condition. Each runs, in a
copy of the project, the tests of the changed file up to the first failure. The tests start in forks
of a process that has the libraries imported already. Survivors are printed. The bar is 85 of 100.
"""

import ast
import importlib
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
ANALYSIS = "workflow/millistep/analysis"
TESTS = {
    "stats.py": ["test_stats.py", "test_first_page.py", "test_frames.py"],
    "steady.py": ["test_steady.py"],
    "plausible.py": ["test_plausible.py"],
    "caveats.yaml": ["test_caveat_conditions.py"],
}
LIBRARIES = ["pandas", "scipy.stats", "ruptures", "matplotlib.figure", "hypothesis", "pytest"]
LIBRARIES += ["jinja2", "yaml", "xdist", "pydantic", "pyarrow.parquet"]
LIMIT_S = 60  # of the processor
BAR = 0.85

COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
COMPUTED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd, ast.Pow: ast.Mult, ast.Mod: ast.Mult, ast.FloorDiv: ast.Mult,
}  # fmt: skip
NAMES = {
    "min": "max", "max": "min", "mean": "median", "median": "mean", "sum": "max", "low": "high",
    "high": "low", "cummax": "cummin", "nunique": "size", "idxmin": "idxmax", "any": "all",
    "all": "any", "sort_values": "copy", "first": "last", "notna": "isna", "isna": "notna",
}  # fmt: skip
TOKENS = {
    ">=": ">", ">": ">=", "<": "<=", "<=": "<", "==": "!=", "!=": "==", " and ": " or ",
    " or ": " and ", "not in": "in", "max ": "min ", "min ": "max ",
}  # fmt: skip

Change = Callable[[], Callable[[], None]]  # returns how to undo it
Content = Callable[[], str]
Mutant = tuple[str, int, str, Content]  # file, line, what changed, the whole file


def in_python(name: str, text: str) -> Iterator[Mutant]:
    """Yield every mutant of a module."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        for change in changes(node):
            before, undo = ast.unparse(node), change()
            after = ast.unparse(node)
            undo()

            def content(change: Change = change) -> str:
                undo = change()
                found = ast.unparse(tree)
                undo()
                return found

            yield name, node.lineno, f"{before} -> {after}", content


def changes(node: ast.AST) -> Iterator[Change]:
    """Yield functions that change a node and return a function to undo that."""

    def setting(name: str, value: object) -> Change:
        def change() -> Callable[[], None]:
            old = getattr(node, name)
            setattr(node, name, value)
            return lambda: setattr(node, name, old)

        return change

    match node:
        case ast.Compare(ops=[first, *rest]) if type(first) in COMPARED:
            yield setting("ops", [COMPARED[type(first)](), *rest])
        case ast.BinOp(op=operator) if type(operator) in COMPUTED:
            yield setting("op", COMPUTED[type(operator)]())
        case ast.BoolOp(op=operator):
            yield setting("op", ast.Or() if isinstance(operator, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            yield setting("operand", ast.UnaryOp(ast.Invert(), operand))
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield setting("op", ast.UAdd() if isinstance(node.op, ast.USub) else ast.Invert())
        case ast.Constant(value=bool(value)):
            yield setting("value", not value)
        case ast.Constant(value=int(value)):
            yield setting("value", value + 1)
        case ast.Constant(value=float(value)):
            yield setting("value", value * 1.5 or 1.0)
        case ast.Attribute(attr=name) if name in NAMES:
            yield setting("attr", NAMES[name])
        case ast.Name(id=name) if name in NAMES:
            yield setting("id", NAMES[name])


def in_conditions(name: str, text: str) -> Iterator[Mutant]:
    """Yield every mutant of the conditions of a YAML file."""
    for number, line in enumerate(lines := text.splitlines(keepends=True)):
        if not (found := re.match(r"\s+(when|worst): ", line)):
            continue
        head, rest = line[: found.end()], line[found.end() :]
        pattern = "|".join(map(re.escape, sorted(TOKENS, key=len, reverse=True))) + r"|\b\d[\d.]*"
        for token in re.finditer(pattern, rest):
            old = token[0]
            new = TOKENS.get(old) or (
                f"{int(old) + 1}" if old.isdigit() else f"{float(old) * 1.5:g}"
            )
            changed = f"{head}{rest[: token.start()]}{new}{rest[token.end() :]}"
            content = "".join([*lines[:number], changed, *lines[number + 1 :]])
            after = changed[len(head) :].strip()
            yield name, number + 1, f"{rest.strip()} -> {after}", lambda content=content: content


def killed(mutant: Mutant, project: Path) -> bool:
    """Return whether the tests of a file fail with this mutant of it."""
    name, _, _, content = mutant
    path = project / ANALYSIS / name
    whole = path.read_text()
    for cached in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
        cached.unlink()
    path.write_text(content())
    try:
        return not passed(TESTS[name], project)
    finally:
        path.write_text(whole)


def passed(tests: list[str], project: Path) -> bool:
    """Run tests in a fork; a run that computes too long has not passed."""
    if not (child := os.fork()):
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S))
        os.chdir(project)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        sys.dont_write_bytecode = True
        sys.path[:0] = [str(project)]
        import pytest

        files = [f"tests/report/{name}" for name in tests]
        os._exit(int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *files])))
    return os.waitpid(child, 0)[1] == 0


def copied(folder: Path) -> Path:
    """Copy the tracked files of the project and return the folder."""
    names = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def main(number: int = 100, seed: int = 1) -> int:
    """Print the survivors and the share of killed mutants; return 1 if it is below the bar."""
    found = []
    for name in TESTS:
        text = (ROOT / ANALYSIS / name).read_text()
        found += (in_conditions if name.endswith(".yaml") else in_python)(name, text)
    chosen = random.Random(seed).sample(found, number)
    for library in LIBRARIES:
        importlib.import_module(library)
    with tempfile.TemporaryDirectory() as folder:
        project = copied(Path(folder))
        for tests in dict.fromkeys(map(tuple, TESTS.values())):
            if not passed(list(tests), project):
                print(f"{tests} fail without a mutant")
                return 1
        dead = 0
        for mutant in sorted(chosen, key=lambda mutant: mutant[:3]):
            alive = not killed(mutant, project)
            dead += not alive
            if alive:
                print(f"survived: {mutant[0]}:{mutant[1]}: {mutant[2]}", flush=True)
    print(f"killed {dead} of {number} (from {len(found)} possible)")
    return int(dead < BAR * number)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
