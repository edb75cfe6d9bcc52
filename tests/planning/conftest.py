"""What the tests of planning share."""

import os

import pytest

from supervise import device

from ..measure import nvidia_smi


@pytest.fixture
def gpus(tmp_path, monkeypatch):
    """``gpus(models, driver)``: the GPUs of this machine from now on."""

    def installed(*models, **more):
        folder = nvidia_smi.install(tmp_path / "bin", models, **more)
        device.gpus.cache_clear()
        monkeypatch.setenv("PATH", folder, prepend=os.pathsep)
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)

    yield installed
    device.gpus.cache_clear()
