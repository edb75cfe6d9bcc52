"""The environment variables of a measured process: few of the caller's, the configuration's, ours.

Frameworks read hundreds of them (XLA_FLAGS, NVIDIA_TF32_OVERRIDE, OMP_*, LD_PRELOAD, ...). One that
was set for another purpose must not change a number, which would be printed without saying so.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# Where programs and files are, the user and the language: nothing that a framework acts on.
KEPT = ("PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "LANG", "LANGUAGE")
# What a download needs, with weights: preset: proxies and certificates, tokens, cache folders.
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
DOWNLOAD = (
    *(*_PROXIES, *(name.lower() for name in _PROXIES), "XDG_CACHE_HOME"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
    *("HF_HOME", "HF_HUB_CACHE", "HF_ENDPOINT", "HF_TOKEN", "HF_TOKEN_PATH"),
    *("HUGGING_FACE_HUB_TOKEN", "KAGGLEHUB_CACHE", "KAGGLE_API_TOKEN", "KAGGLE_CONFIG_DIR"),
    *("KAGGLE_KEY", "KAGGLE_USERNAME"),
)
# Every thread pool that a framework may have gets the same number of threads.
THREADS = (
    *("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS"),
    *("VECLIB_MAXIMUM_THREADS", "POLARS_MAX_THREADS", "NUMBA_NUM_THREADS"),
    *("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"),
)
SET_BY_COLUMNS = ("KERAS_BACKEND", "TF_USE_LEGACY_KERAS")  # in a framework's load()
SECRET = re.compile(
    r"(^|_)(KEY|TOKEN|SECRET|CREDENTIALS?|PAT|AUTH)$|(PASSWORD|PASSWD|SECRET|TOKEN)$", re.IGNORECASE
)
# The caller's variables that may change times: a message lists them, as they are not passed on.
_MATTERS = re.compile(
    r"(XLA|TF(?!_CLI|_VAR)|TENSORFLOW|JAX|KERAS|TORCH|TORCHINDUCTOR|PYTORCH|TRITON|CUBLAS|CUDNN|NCCL|"
    r"OMP|GOMP|KMP|MKL|OPENBLAS|MALLOC|LD)_.+|"
    r"CUDA_(LAUNCH_BLOCKING|MODULE_LOADING|DEVICE_MAX_CONNECTIONS|CACHE_\w+|FORCE_\w+)|"
    r"NVIDIA_TF32_OVERRIDE|CC|CXX"
)


def of_process(
    identity: dict[str, Any],
    scratch: Path,
    visible_device: str,
    caller: Mapping[str, str] = os.environ,
) -> dict[str, str]:
    """Return all environment variables that a measured process is given.

    identity: with accelerator, library, threads, the configuration's variables, and any weights.
    visible_device: see :func:`supervise.device.word`.
    """
    return {
        **inherited(caller, identity.get("weights", "random")),
        **identity["variables"],
        **ours(identity, scratch, visible_device),
        # TensorFlow writes a file for each function that it rewrites, dozens in a run, and
        # removes them only at an exit that waits for seconds. Others keep the caller's TMPDIR,
        # next to which Inductor keeps facts about the compiler.
        **({"TMPDIR": str(scratch)} if identity["library"] == "tensorflow" else {}),
    }


def inherited(caller: Mapping[str, str], weights: str = "random") -> dict[str, str]:
    """Return the caller's variables that every process of a measurement gets."""
    names = KEPT + (DOWNLOAD if weights == "preset" else ())
    return {k: v for k, v in caller.items() if k in names or k.startswith("LC_")}


def ours(identity: dict[str, Any], scratch: Path, visible_device: str) -> dict[str, str]:
    """Return the variables that we set, by one policy for all columns."""
    return {
        **dict.fromkeys(THREADS, str(identity["threads"])),
        **_of_device(identity["accelerator"], scratch, visible_device),
        "PYTHONNOUSERSITE": "1",
        "PYTHONHASHSEED": "0",
        # Caches of this run alone; supervise.caches fills those of compilers.
        "KERAS_HOME": str(scratch / "keras"),
        "TORCHINDUCTOR_CACHE_DIR": str(scratch / "inductor"),
        "MILLISTEP_SCRATCH": str(scratch),
        "TRITON_CACHE_DIR": str(scratch / "triton"),
        "HF_HUB_OFFLINE": "0" if identity.get("weights") == "preset" else "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "TF_CPP_MIN_LOG_LEVEL": "1",
    }


def _of_device(accelerator: str, scratch: Path, visible_device: str) -> dict[str, str]:
    """Return variables that show one GPU, or hide all, so that a CUDA environment uses the CPU."""
    if accelerator == "cuda":
        return {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": visible_device}
    return {
        "CUDA_VISIBLE_DEVICES": "",
        "JAX_PLATFORMS": "cpu",
        "KERAS_TORCH_DEVICE": "cpu",
        # JAX keeps all compiled programs. Not on a GPU: the choices of XLA's autotuner there may
        # differ from one process to the next, and belong to the variability.
        "JAX_COMPILATION_CACHE_DIR": str(scratch / "jax"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
        # XLA's caches would make a program's key depend on their folder, which differs in each run.
        "JAX_PERSISTENT_CACHE_ENABLE_XLA_CACHES": "none",
    }


def refusal(name: str) -> str | None:
    """Return the reason why the configuration may not set a variable; None if it may."""
    policies = [ours({"threads": 1, "accelerator": kind}, Path(), "") for kind in ("cpu", "cuda")]
    if name in SET_BY_COLUMNS or name.startswith("PYTHON") or any(name in p for p in policies):
        return "is set by Millistep itself"
    if name in DOWNLOAD:
        return "is taken from your own environment with weights: preset"
    if SECRET.search(name):
        return "looks like a secret, and would be written into every record"
    return None


def left_out(caller: Mapping[str, str], configured: Mapping[str, str]) -> list[str]:
    """Return names of the caller's variables that frameworks read but that are not passed on."""
    given = {*configured, *inherited(caller)}
    return sorted(name for name in caller if name not in given and _MATTERS.fullmatch(name))
