"""Operations in Triton without a GPU: the kernels compute the right results in Triton's
interpreter, and compile for a GPU. How fast they are there, nothing here can say.
"""

from importlib.metadata import distribution, version
from importlib.util import find_spec

import pytest

from tests.models.libraries import ROOT, STACK, Task, Tasks, cell, check_losses, check_results

pytestmark = pytest.mark.skipif(
    find_spec("triton") is None, reason="the package index has Triton for Linux alone"
)


RESULTS = {
    "aligner": {},
    "aligner beyond the last token": {"tokens": 37, "frames": 70},  # threads there
    "telu_net": {"hidden": [700]},  # several programs, the last of them in part
    "snake_net": {"hidden": [700]},
}
KERNELS = {
    "aligner": {"mas_kernel"},
    "telu_net": {"telu_kernel", "telu_gradient_kernel"},
    "snake_net": {"snake_kernel", "snake_gradient_kernel"},
}


def ways(does, model, **sizes):
    one = cell(model, "pytorch-eager", "fit", "smoke", batch_size=3, way="triton", **sizes)
    return Task("ways", does, one)


@pytest.fixture(scope="module")
def triton(tmp_path_factory):
    """Environment variables that put the tests' Triton beside the environment for processors, which
    has none.
    """
    folder, ours = tmp_path_factory.mktemp("triton"), distribution("triton")
    for name in {file.parts[0] for file in ours.files if file.parts[0].startswith("triton")}:
        (folder / name).symlink_to(ours.locate_file(name))
    return {"PYTHONPATH": str(folder), "TRITON_CACHE_DIR": str(folder / "cache")}


@pytest.fixture(scope="module")
def results(triton, tmp_path_factory):
    found = {case: ways("agreement", case.split()[0], **sizes) for case, sizes in RESULTS.items()}
    return Tasks(found, tmp_path_factory.mktemp("home"), **triton, TRITON_INTERPRET="1")


@pytest.fixture(scope="module")
def compiled(triton, tmp_path_factory):
    found = {model: ways("kernels", model) for model in KERNELS}
    return Tasks(found, tmp_path_factory.mktemp("home"), **triton)


def test_it_is_the_triton_that_is_measured():
    lock = ROOT / "envs" / STACK / "cuda" / "pytorch.post-deploy.sh"
    assert f"\ntriton=={version('triton')} " in lock.read_text()


@pytest.mark.parametrize("case", RESULTS)
def test_kernels_have_the_results_of_the_reference(case, results):
    found = results[case]
    assert found["build"] is None and found["lines"] > 20
    check_results(case.split()[0], found["agreement"])
    check_losses(found["agreement"])


@pytest.mark.parametrize("model", KERNELS)
def test_kernels_compile_for_an_a100_and_an_h100(model, compiled):
    names = {f"{kernel} {capability}" for kernel in KERNELS[model] for capability in (80, 90)}
    assert {*compiled[model]} == names
    assert min(compiled[model].values()) > 1000
