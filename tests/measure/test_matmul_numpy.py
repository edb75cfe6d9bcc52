"""The canary's library where there is no framework."""

import sys

import pytest


@pytest.fixture
def canary(monkeypatch):
    """The canary's program, which puts its own folder first on the path when it is imported."""
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    from measure.controls import canary

    monkeypatch.setattr(canary, "matrix_size", lambda accelerator, threads: 16)
    return canary


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
