"""Versions of CUDA's libraries, read from libraries that this process has loaded for real."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from ..shared import python

CUDART = "int cudaRuntimeGetVersion(int *v) {{ *v = {number}; return {failed}; }}"
CUDNN = "unsigned long cudnnGetVersion(void) {{ return {number}; }}"
# In a process of its own: what is loaded stays loaded.
PROGRAM = """
import ctypes, json, sys
for path in sys.argv[1:]:
    ctypes.CDLL(path)
from millistep.measure.device import versions
print(json.dumps(versions()))
"""

pytestmark = pytest.mark.skipif(
    not shutil.which("cc") or not Path("/proc/self/maps").exists(),
    reason="needs a C compiler and Linux",
)


def built(folder, name, source):
    folder.mkdir(exist_ok=True)
    done = ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(folder / name)]
    subprocess.run(done, input=source, text=True, check=True)
    return folder / name


def versions(*loaded):
    return json.loads(python("-c", PROGRAM, *loaded))


def test_what_is_loaded_says_its_version_and_one_that_fails_does_not(tmp_path):
    def cudart(folder, number, failed=0):
        source = CUDART.format(number=number, failed=failed)
        return built(tmp_path / folder, f"libcudart.so.{number // 1000}", source)

    one, other, broken = cudart("a", 12090), cudart("b", 13000), cudart("c", 11080, failed=35)
    cudnn = built(tmp_path, "libcudnn.so.9", CUDNN.format(number=92800))
    part = built(tmp_path, "libcudnn_ops.so.9", CUDNN.format(number=1))
    assert versions() == {"cuda_version": None, "cudnn_version": None}
    assert versions(one, cudnn, part) == {"cuda_version": "12.9", "cudnn_version": "9.28.0"}
    older = built(tmp_path / "d", "libcudnn.so.8", CUDNN.format(number=8902))
    found = versions(one, other, broken, older)
    assert found == {"cuda_version": "12.9, 13.0", "cudnn_version": "8.9.2"}
