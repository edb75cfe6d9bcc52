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
    ("claim", "sizes", "cpu_ms", "gpu_ms", "expected", "words"),
    [
        (SMALL, {NET: 266_610}, 6.5, 8.0, ClaimResult.REPRODUCED, "takes 1.23×"),
        (SMALL, {NET: 266_610}, 8.0, 6.5, ClaimResult.NOT_REPRODUCED, ""),
        (SMALL, {NET: 266_610}, 8.0, 8.1, ClaimResult.UNDECIDED, ""),
        (LARGER, {NET: 266_610}, 8.0, 6.5, ClaimResult.NOT_TESTED, ""),
        (LARGER, CIFAR, 28.0, 8.5, ClaimResult.REPRODUCED, "takes 3.29×"),
        (LARGER, CIFAR, 12.0, 8.5, ClaimResult.NOT_REPRODUCED, "takes 1.41×"),
        (LARGER, CIFAR, 25.5, 8.5, ClaimResult.UNDECIDED, "takes 3.00×"),
    ],
)
def test_by_what_a_step_takes(tmp_path, claim, sizes, cpu_ms, gpu_ms, expected, words):
    project = on_the_posts_laptop(tmp_path, sizes, {ON_CPU: cpu_ms, ON_GPU: gpu_ms})
    found = verdicts(project.load())[claim]
    assert found.verdict is expected and words in found.why


def test_another_machine_is_other_conditions(tmp_path):
    project = sized_project(tmp_path, crossing_at(1e6), sizes={NET: 266_610})
    found = verdicts(project.load())[SMALL]
    assert found.verdict is ClaimResult.HOLDS_ELSEWHERE
    assert "the processor is Example CPU, not Intel Core i7-10875H" in found.why
    assert "the GPU is NVIDIA Example, not NVIDIA GeForce RTX 3060" in found.why
    assert " torch 1.2.3 instead of 2.4.1" in found.why


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
