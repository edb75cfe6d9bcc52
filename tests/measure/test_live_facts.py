"""Entries of a card that were constants or requests once, over made-up libraries."""

import ctypes
import sys
import threading
import time
from types import SimpleNamespace

import pytest

from measure.frameworks import Cell, keras3_jax
from measure.frameworks.tensorflow import TensorFlowMixin
from measure.frameworks.threads import XLA_POOL, named

CELL = Cell("m", "predict", 4, "f", "f", "cpu", "default", {}, "random", seed=1, threads=5)
PR_SET_NAME = 15


def jax():
    """Keras 3 on a JAX whose products are NumPy's, which keeps denormal numbers."""
    framework = keras3_jax.Framework(CELL)
    device = SimpleNamespace(platform="cpu", device_kind="cpu")
    framework.jax = SimpleNamespace(devices=lambda: [device], jit=lambda function: function)
    return framework


def tensorflow():
    """The same of TensorFlow, asked for 5 threads."""
    framework = TensorFlowMixin()
    framework.cell, framework.declared = CELL, {"attention"}
    threading_ = SimpleNamespace(get_intra_op_parallelism_threads=lambda: 5)
    framework.tf = SimpleNamespace(
        config=SimpleNamespace(list_physical_devices=lambda kind: [], threading=threading_),
        function=lambda function, jit_compile: lambda x: SimpleNamespace(numpy=lambda: function(x)),
        constant=lambda x: x,
    )
    return framework


@pytest.fixture
def pool():
    """Two threads that are called as those of XLA's pool."""
    done, called = threading.Event(), threading.Barrier(3)

    def work():
        ctypes.CDLL(None).prctl(PR_SET_NAME, XLA_POOL.encode())
        called.wait()
        done.wait()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    called.wait()
    yield
    done.set()
    for thread in threads:
        thread.join()
    deadline = time.monotonic() + 10
    while named(XLA_POOL) and time.monotonic() < deadline:  # the system has it a moment longer
        time.sleep(0.001)


@pytest.mark.parametrize("column", [jax, tensorflow])
def test_denormals_that_a_library_keeps_are_not_said_to_be_flushed(column):
    assert column().execution(True)["flush_denormals"] is False


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no names to be read here")
@pytest.mark.parametrize("column", [jax, tensorflow])
def test_threads_are_those_that_there_are_and_a_request_is_only_declared(column, pool):
    framework = column()
    assert framework.execution(True)["threads"] == 2
    assert framework.declared == {"attention"}


@pytest.mark.parametrize(("column", "jit"), [(jax, True), (tensorflow, True), (tensorflow, False)])
def test_a_number_of_threads_that_nothing_shows_is_declared(column, jit):
    framework = column()
    assert framework.execution(jit)["threads"] == 5
    assert framework.declared == {"attention", "threads"}
