"""The canary's library where there is no framework."""

import sys

import pytest

from measure.conformance import check_device
from measure.controls.matmul.numpy import Library


@pytest.fixture
def canary(monkeypatch):
    """The program, which puts its own folder first where it is started."""
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    from measure.controls import canary

    monkeypatch.setattr(canary, "matrix_size", lambda accelerator, threads: 16)
    return canary


def test_numpy_has_products_of_what_a_canary_asks_of_it_and_no_others(canary):
    library = Library("cpu", 1, 1)
    check_device("cpu", library.live_accelerator)
    assert [dtype for dtype in canary.DTYPES["cpu"] if dtype not in library.lacks] == ["float32"]
    result = library.product("float32", 16)()
    assert (result.shape, str(result.dtype)) == ((16, 16), "float32")
    library.copy(1)()
    library.fence()


def test_a_canary_is_what_the_library_can(canary):
    sent = []

    class Events:
        def send(self, kind, **fields):
            sent.append((kind, fields))

    request = {"accelerator": "cpu", "part_s": 0.001, "library": "numpy", "threads": 1, "seed": 1}
    canary.measure(request, Events())
    assert [kind for kind, _ in sent] == ["python_loop", "memory_copy", "matmul", "foreign"]
    (product,) = sent[2][1]["products"]
    assert product["dtype"] == "float32" and product["flops_per_s"] > 0
