"""A profile of a step tells what the device did: names, counts and times of its kernels."""

import fnmatch

import pytest

from . import harness
from .harness import kernels
from .log import step_of
from .machine import Machine

KERNEL_US = 1000
SLOWER = {"cublasSgemm*": 3000, "*vectorized_layer_norm_kernel*": 5000}  # us, by names
EXACT = 0.005  # of a time: profiler and device compare their clocks twice a profile


@pytest.fixture(scope="module")
def measured(pytorch, tmp_path_factory):
    machine = Machine(tmp_path_factory.mktemp("profile"), pytorch)
    machine.set(kernel_us=KERNEL_US, kernel_us_of=SLOWER)
    record = harness.one(machine, "pytorch-eager", "bert", "fit", extras=["profile"])
    assert record["status"] == "ok" and record["host_overhead"], record["withheld"]
    step = step_of(machine.processes(), record["timing"]["windows"])
    assert not record["host_overhead"]["rest_ms"]
    return record, step


def test_every_launch_of_a_step_is_in_it_and_takes_what_is_set_for_its_name(measured):
    record, step = measured
    counts = [kernel["count"] for kernel in kernels(record)]
    assert sum(counts) == step.launches and all(count == int(count) for count in counts)
    assert [kernel["launched"] for kernel in kernels(record)] == counts
    found = {kernel["name"]: 1e3 * kernel["ms"] / kernel["count"] for kernel in kernels(record)}
    expected = dict.fromkeys(found, KERNEL_US)
    for pattern, us in SLOWER.items():
        expected |= {name: us for name in found if fnmatch.fnmatch(name, pattern)}
    assert found == pytest.approx(expected, rel=EXACT)
    assert set(expected.values()) == {KERNEL_US, *SLOWER.values()}
    every_ms = sum(each["ms"] for each in record["host_overhead"]["operations"])
    assert every_ms == pytest.approx(step.busy_ms, rel=EXACT)


def test_operations_of_an_optimizer_are_told_apart(measured):
    record, _ = measured
    names = {each["name"] for each in record["host_overhead"]["operations"]}
    assert any(name.endswith(" in Optimizer.step") for name in names)
    assert "Memcpy HtoD (Pinned -> Device)" in names
