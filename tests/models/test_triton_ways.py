"""Operations in Triton without a GPU: what the kernels compute, by its interpreter, and that they
compile for one. How fast they are there, nothing here can say.
"""

from importlib.metadata import distribution, version
from importlib.util import find_spec

import pytest

from tests.models.libraries import ROOT, STACK, cell, check_losses, check_results, run

pytestmark = pytest.mark.skipif(
    find_spec("triton") is None, reason="the package index has Triton for Linux alone"
)


@pytest.fixture(autouse=True)
def beside(monkeypatch, tmp_path):
    """The tests' Triton beside the environment for processors, which has none."""
    ours = distribution("triton")
    for name in {file.parts[0] for file in ours.files if file.parts[0].startswith("triton")}:
        (tmp_path / name).symlink_to(ours.locate_file(name))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))


def one(model, **sizes):
    return cell(model, "pytorch-eager", "fit", "smoke", batch_size=3, way="triton", **sizes)


def test_it_is_the_triton_that_is_measured():
    lock = ROOT / "envs" / STACK / "cuda" / "pytorch.post-deploy.sh"
    assert f"\ntriton=={version('triton')} " in lock.read_text()


@pytest.mark.parametrize(
    ("model", "sizes"),
    [
        ("aligner", {}),
        ("aligner", {"tokens": 37, "frames": 70}),  # threads beyond the last token
        ("telu_net", {"hidden": [700]}),  # several programs, the last of them in part
        ("snake_net", {"hidden": [700]}),
    ],
)
def test_kernels_have_the_results_of_the_reference(model, sizes, tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    found = run("ways", one(model, **sizes), "agreement", folder=tmp_path)
    assert found["build"] is None and found["lines"] > 20
    check_results(model, found["agreement"])
    check_losses(found["agreement"])


@pytest.mark.parametrize(
    ("model", "kernels"),
    [
        ("aligner", {"mas_kernel"}),
        ("telu_net", {"telu_kernel", "telu_gradient_kernel"}),
        ("snake_net", {"snake_kernel", "snake_gradient_kernel"}),
    ],
)
def test_kernels_compile_for_an_a100_and_an_h100(model, kernels, tmp_path):
    found = run("ways", one(model), "kernels", folder=tmp_path)
    assert {*found} == {f"{kernel} {capability}" for kernel in kernels for capability in (80, 90)}
    assert min(found.values()) > 1000
