"""Count lines of code per implementation: ``python3 studies/native_code/lines.py``.

Blank lines, comments and docstrings are left out. What the implementations of several operations
share (``models/native``) and the models around them are not counted.
"""

import re
from pathlib import Path

MODELS = Path(__file__).parent / "models"
# Files of each implementation, by model and framework.
IMPLEMENTATIONS = {
    ("aligner", "pytorch-eager"): ["search_torch.py"],
    ("aligner", "pytorch-compiled"): ["search_torch.py"],
    ("aligner", "pytorch-cpp"): ["search_torch_cpp.py", "mas_torch.cpp", "mas.h"],
    ("aligner", "pytorch-triton"): ["search_torch_triton.py"],
    ("aligner", "keras3-jax"): ["search_jax.py"],
    ("aligner", "keras3-jax-cpp"): ["search_jax_cpp.py", "mas_jax.cpp", "mas.h"],
    ("snake_net", "pytorch-eager"): ["snake_torch.py"],
    ("snake_net", "pytorch-compiled"): ["snake_torch.py"],
    ("snake_net", "pytorch-cpp"): ["snake_torch_cpp.py", "snake_torch.cpp", "snake.h"],
    ("snake_net", "keras3-jax"): ["snake_jax.py"],
    ("snake_net", "keras3-jax-cpp"): ["snake_jax_cpp.py", "snake_jax.cpp", "snake.h"],
    ("csv_parse", "host-python"): ["host_python.py"],
    ("csv_parse", "host-numpy"): ["host_numpy.py"],
    ("csv_parse", "host-cython"): ["host_cython.py", "parse.pyx"],
    ("csv_parse", "host-pyarrow"): ["host_pyarrow.py"],
}
C_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
PYTHON_COMMENT = re.compile(r'^\s*""".*?"""|#[^\n]*', re.DOTALL | re.MULTILINE)


def lines(model: str, framework: str) -> int:
    """Return the lines of code of one implementation."""
    return sum(count(MODELS / model / name) for name in IMPLEMENTATIONS[model, framework])


def count(file: Path) -> int:
    """Return the lines of code in a Python, Cython, C or C++ file."""
    comments = PYTHON_COMMENT if file.suffix in (".py", ".pyx") else C_COMMENT
    return sum(bool(line.strip()) for line in comments.sub("", file.read_text()).splitlines())


if __name__ == "__main__":
    for model, framework in IMPLEMENTATIONS:
        print(f"{lines(model, framework):4} {model:10} {framework}")
