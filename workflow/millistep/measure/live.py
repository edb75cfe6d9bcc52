"""Reads from a library where it computes now, instead of trusting the requested device.

Each function returns ``(cpu, cuda or the library's name of another device, the library in words)``.
JAX without its plugin and TensorFlow without one library of CUDA continue on the host without a
message.
"""

from typing import Any


def of_jax(jax: Any) -> tuple[str, str]:
    """Return the device that JAX takes by itself."""
    platform = jax.devices()[0].platform
    return {"gpu": "cuda"}.get(platform, platform), f"jax {jax.__version__}"


def of_tensorflow(tf: Any) -> tuple[str, str]:
    """Return the device of an operation that TensorFlow places by itself."""
    kind = tf.DeviceSpec.from_string((tf.ones((2, 2)) + 1.0).device).device_type
    built_for = tf.sysconfig.get_build_info().get("cuda_version")
    build = f"built for CUDA {built_for}" if built_for else "built without CUDA"
    return {"GPU": "cuda", "CPU": "cpu"}.get(kind, kind), f"tensorflow {tf.__version__} ({build})"


def of_torch(torch: Any, tensor: Any) -> tuple[str, str]:
    """Return the device of a tensor that was put where the model goes."""
    return tensor.device.type, f"torch {torch.__version__}"
