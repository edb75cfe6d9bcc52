"""What of the caller's environment reaches a measured process: a short list, and nothing else."""

import json
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervise import variables
from supervise.monitor import Monitor

LEAKS = {
    "XLA_FLAGS": "--xla_gpu_autotune_level=0",
    "TF_XLA_FLAGS": "--tf_xla_auto_jit=2",
    "NVIDIA_TF32_OVERRIDE": "0",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE": "1",
    "TORCHINDUCTOR_MAX_AUTOTUNE": "1",
    "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True",
    "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
    "CUDA_LAUNCH_BLOCKING": "1",
    "LD_LIBRARY_PATH": "/nowhere",
    "OMP_SCHEDULE": "dynamic",
    "KMP_AFFINITY": "none",
    "MKL_DYNAMIC": "false",
    "JAX_ENABLE_X64": "1",
    "KERAS_BACKEND": "torch",
    "CXX": "false",
}
WANTED = {"accelerator": "cpu", "library": "jax", "threads": 3, "variables": {}}
NAMES = st.sampled_from([*LEAKS, *variables.KEPT, *variables.DOWNLOAD, "LC_ALL"])


@given(
    caller=st.dictionaries(NAMES | st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", min_size=1), st.text()),
    accelerator=st.sampled_from(["cpu", "cuda"]),
    weights=st.sampled_from(["random", "preset"]),
    configured=st.dictionaries(st.sampled_from(sorted(LEAKS)[:3]), st.text()),
)
def test_nothing_outside_the_list_gets_through(caller, accelerator, weights, configured):
    wanted = {**WANTED, "accelerator": accelerator, "weights": weights, "variables": configured}
    given = variables.of_process(wanted, Path("scratch"), "GPU-abc", caller)
    ours = variables.ours(wanted, Path("scratch"), "GPU-abc")
    allowed = variables.KEPT + (variables.DOWNLOAD if weights == "preset" else ())
    for name in given.keys() - ours.keys() - configured.keys():
        assert name in allowed or name.startswith("LC_")
        assert given[name] == caller[name]
    assert ours.items() <= given.items()
    assert configured.items() <= given.items()


def test_what_tensorflow_leaves_behind_ends_with_the_run():
    caller = {"TMPDIR": "/mine"}
    for library, folder in (("tensorflow", "scratch"), ("torch", "/mine")):
        wanted = {**WANTED, "library": library}
        assert variables.of_process(wanted, Path("scratch"), "", caller)["TMPDIR"] == folder


def test_a_real_run_sees_none_of_it_and_what_the_configuration_sets(run, monkeypatch):
    for name, value in LEAKS.items():
        monkeypatch.setenv(name, value)
    record = run(changes={"variables": {"XLA_FLAGS": "--on_purpose"}})
    seen = json.loads(record["parity"]["environ"])
    assert seen["XLA_FLAGS"] == "--on_purpose"
    assert not set(LEAKS) - {"XLA_FLAGS"} & set(seen)
    assert record["environment"]["variables"] == {"XLA_FLAGS": "--on_purpose"}
    assert (seen["CUDA_VISIBLE_DEVICES"], seen["JAX_PLATFORMS"]) == ("", "cpu")


def test_the_monitor_beside_a_run_sees_none_of_it_either(monkeypatch):
    monkeypatch.setenv("LD_LIBRARY_PATH", "/nowhere")
    monkeypatch.setenv("OMP_SCHEDULE", "dynamic")
    with Monitor(sys.executable, [0], None, 0.05, {"KMP_AFFINITY": "none"}) as monitor:
        time.sleep(0.3)
        environ = Path(f"/proc/{monitor.pid}/environ").read_text().split("\0")
    names = {line.partition("=")[0] for line in environ}
    assert "KMP_AFFINITY" in names
    assert not names & {"LD_LIBRARY_PATH", "OMP_SCHEDULE"}


def test_a_gpu_is_one_and_hidden_from_runs_on_the_processors():
    on_gpu = variables.ours({**WANTED, "accelerator": "cuda"}, Path(), "GPU-abc")
    assert on_gpu["CUDA_VISIBLE_DEVICES"] == "GPU-abc"
    assert on_gpu["CUDA_DEVICE_ORDER"] == "PCI_BUS_ID"
    assert not {"JAX_PLATFORMS", "KERAS_TORCH_DEVICE"} & set(on_gpu)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("OMP_NUM_THREADS", "set by Millistep"),
        ("CUDA_VISIBLE_DEVICES", "set by Millistep"),
        ("CUDA_DEVICE_ORDER", "set by Millistep"),
        ("JAX_PLATFORMS", "set by Millistep"),
        ("PYTHONPATH", "set by Millistep"),
        ("KERAS_BACKEND", "set by Millistep"),
        ("HF_TOKEN", "weights: preset"),
        ("MY_API_KEY", "secret"),
    ],
)
def test_what_the_configuration_may_not_set(name, words):
    assert words in variables.refusal(name)


def test_what_matters_and_is_left_out_is_named_and_the_rest_is_not():
    caller = {**LEAKS, "PATH": "/bin", "EDITOR": "vi", "TF_CLI_CONFIG_FILE": "x", "CUDA_HOME": "x"}
    left_out = variables.left_out(caller, {"XLA_FLAGS": "x"})
    assert left_out == sorted(set(LEAKS) - {"XLA_FLAGS"})
    assert variables.refusal("XLA_FLAGS") is None
