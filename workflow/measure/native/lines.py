"""Counts lines of code, without blank ones and comments: what a way costs to write and to read."""

import ast
import inspect
import re
import textwrap
from typing import Any

C_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
# A function at the left margin, as operations.h has them.
C_FUNCTION = re.compile(
    r"^static inline [^{(]*\b(\w+)\([^{]*\{(?:[^\n]*\}$|.*?^\})", re.DOTALL | re.MULTILINE
)


def of_c(text: str) -> int:
    """Lines of a source in C or C++."""
    return sum(1 for line in C_COMMENT.sub("", text).splitlines() if line.strip())


def of_cython(text: str) -> int:
    """Lines of a source in Cython, in which texts in triple quotes are docstrings."""
    code = re.sub(r'""".*?"""|#[^\n]*', "", text, flags=re.DOTALL)
    return sum(1 for line in code.splitlines() if line.strip())


def of_operation(header: str, operation: str) -> int:
    """Lines of a header's functions that are named as an operation, or that and more."""
    return sum(
        of_c(found[0])
        for found in C_FUNCTION.finditer(header)
        if re.fullmatch(rf"{operation}(_\w+)?", found[1])
    )


def of_python(*written: Any) -> int:
    """Lines of functions or classes, without their docstrings."""
    return sum(_of_python(textwrap.dedent(inspect.getsource(each))) for each in written)


def _of_python(source: str) -> int:
    # Parsed and unparsed, it has no comments, and a statement is one line, however long.
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return sum(1 for line in ast.unparse(tree).splitlines() if line.strip())
