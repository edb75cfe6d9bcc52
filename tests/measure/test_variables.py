"""Variables of the caller's environment that reach a measured process: a short list, no others."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from millistep.supervise import variables

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


def test_a_real_run_sees_none_of_it_and_what_the_configuration_sets(run, monkeypatch):
    for name, value in LEAKS.items():
        monkeypatch.setenv(name, value)
    record = run(changes={"variables": {"XLA_FLAGS": "--on_purpose"}})
    seen = json.loads(record["parity"]["environ"])
    assert seen["XLA_FLAGS"] == "--on_purpose"
    assert not set(LEAKS) - {"XLA_FLAGS"} & set(seen)
    assert record["environment"]["variables"] == {"XLA_FLAGS": "--on_purpose"}
    assert (seen["CUDA_VISIBLE_DEVICES"], seen["JAX_PLATFORMS"]) == ("", "cpu")


def test_what_matters_and_is_left_out_is_named_and_the_rest_is_not():
    caller = {**LEAKS, "PATH": "/bin", "EDITOR": "vi", "TF_CLI_CONFIG_FILE": "x", "CUDA_HOME": "x"}
    left_out = variables.left_out(caller, {"XLA_FLAGS": "x"})
    assert left_out == sorted(set(LEAKS) - {"XLA_FLAGS"})
    assert variables.refusal("XLA_FLAGS") is None
