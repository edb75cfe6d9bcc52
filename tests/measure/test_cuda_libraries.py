"""Versions of CUDA's libraries, read from libraries that this process has loaded for real."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

WORKFLOW = Path(__file__).parents[2] / "workflow"
CUDART = "int cudaRuntimeGetVersion(int *v) {{ *v = {number}; return {failed}; }}"
CUDNN = "unsigned long cudnnGetVersion(void) {{ return {number}; }}"
# In a process of its own: what is loaded stays loaded.
PROGRAM = """
import ctypes, json, sys
sys.path.insert(0, sys.argv[1])
for path in sys.argv[2:]:
    ctypes.CDLL(path)
from measure.cuda_libraries import versions
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
    command = [sys.executable, "-c", PROGRAM, str(WORKFLOW), *map(str, loaded)]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def test_nothing_loaded_is_nothing_told():
    assert versions() == {"cuda_version": None, "cudnn_version": None}


@pytest.mark.parametrize(
    ("cuda", "cudnn", "expected"),
    [(12090, 92800, ("12.9", "9.28.0")), (13000, 8902, ("13.0", "8.9.2"))],
)
def test_what_is_loaded_says_its_version(tmp_path, cuda, cudnn, expected):
    found = versions(
        built(tmp_path, "libcudart.so.12", CUDART.format(number=cuda, failed=0)),
        built(tmp_path, "libcudnn.so.9", CUDNN.format(number=cudnn)),
        built(tmp_path, "libcudnn_ops.so.9", CUDNN.format(number=1)),
    )
    assert (found["cuda_version"], found["cudnn_version"]) == expected


def test_two_of_them_are_both_told_and_one_that_fails_is_not(tmp_path):
    one = built(tmp_path / "a", "libcudart.so.12", CUDART.format(number=12090, failed=0))
    other = built(tmp_path / "b", "libcudart.so.13", CUDART.format(number=13000, failed=0))
    broken = built(tmp_path / "c", "libcudart.so.11", CUDART.format(number=11080, failed=35))
    other_kind = built(tmp_path, "libcudnn.so.9", "int nothing_of_that_name;")
    found = versions(one, other, broken, other_kind)
    assert found == {"cuda_version": "12.9, 13.0", "cudnn_version": None}
