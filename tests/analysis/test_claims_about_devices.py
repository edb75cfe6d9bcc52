"""Claims that a net is trained faster on one device than on the other."""

import pytest
from device_projects import NET, ON_CPU, ON_GPU, crossing_at, sized_project
from the_pages_machine import verdicts

from analysis.claims import ClaimResult

SMALL, LARGER = "small_net_faster_on_cpu", "larger_net_three_times_faster_on_gpu"
CIFAR = {"cifar100_dense": 3_623_600}
POST = {ON_CPU: {"cpu": "Intel(R) Core(TM) i7-10875H CPU @ 2.30GHz"}}
POST[ON_GPU] = {**POST[ON_CPU], "accelerator_name": "NVIDIA GeForce RTX 3060 Laptop GPU"}
VERSIONS = {"keras": "3.6.0", "torch": "2.4.1+cu118"}


def on_the_posts_laptop(folder, sizes, times, **more):
    project = sized_project(folder, lambda column, _: times[column], sizes=sizes, **more)
    for column, machine in POST.items():
        project.change(lambda r, m=machine: r["machine"].update(m), column)
    project.change(lambda r: r["environment"]["packages"].update(VERSIONS))
    return project


@pytest.mark.parametrize(
    ("cpu_ms", "gpu_ms", "expected"),
    [
        (6.5, 8.0, ClaimResult.REPRODUCED),
        (8.0, 6.5, ClaimResult.NOT_REPRODUCED),
        (8.0, 8.1, ClaimResult.UNDECIDED),
    ],
)
def test_a_small_net(tmp_path, cpu_ms, gpu_ms, expected):
    project = on_the_posts_laptop(tmp_path, {NET: 266_610}, {ON_CPU: cpu_ms, ON_GPU: gpu_ms})
    found = verdicts(project.load())
    assert found[SMALL].verdict is expected
    assert found[LARGER].verdict is ClaimResult.NOT_TESTED


@pytest.mark.parametrize(
    ("cpu_ms", "expected"),
    [
        (28.0, ClaimResult.REPRODUCED),
        (12.0, ClaimResult.NOT_REPRODUCED),
        (25.5, ClaimResult.UNDECIDED),
    ],
)
def test_a_larger_net_takes_three_times_as_long_or_not(tmp_path, cpu_ms, expected):
    project = on_the_posts_laptop(tmp_path, CIFAR, {ON_CPU: cpu_ms, ON_GPU: 8.5})
    found = verdicts(project.load())[LARGER]
    assert found.verdict is expected
    assert f"takes {cpu_ms / 8.5:.2f}\u00d7" in found.why


def test_another_machine_is_other_conditions(tmp_path):
    project = sized_project(tmp_path, crossing_at(1e6), sizes={NET: 266_610})
    found = verdicts(project.load())[SMALL]
    assert found.verdict is ClaimResult.HOLDS_ELSEWHERE
    assert "the processor is Example CPU, not Intel Core i7-10875H" in found.why
    assert "the GPU is NVIDIA Example, not NVIDIA GeForce RTX 3060" in found.why
    assert "torch 1.2.3 instead of 2.4.1" in found.why


def test_another_net_is_not_comparable(tmp_path):
    sizes = {NET: 2_778}
    project = on_the_posts_laptop(tmp_path, sizes, {ON_CPU: 6.5, ON_GPU: 8.0})
    found = verdicts(project.load())[SMALL]
    assert found.verdict is ClaimResult.NOT_COMPARABLE
    assert "the net has 2,778 parameters instead of 266,610" in found.why


def test_a_single_run_decides_nothing_and_no_gpu_tests_nothing(tmp_path):
    times = {ON_CPU: 6.5, ON_GPU: 8.0}
    project = on_the_posts_laptop(tmp_path, {NET: 266_610}, times, runs=1)
    assert verdicts(project.load())[SMALL].verdict is ClaimResult.UNDECIDED
    project.fail("unsupported", "no GPU", column=ON_GPU)
    found = verdicts(project.load())[SMALL]
    assert found.verdict is ClaimResult.NOT_TESTED and "unsupported" in found.why
