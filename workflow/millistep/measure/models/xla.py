"""Which Keras columns are compiled just in time: one rule for the builders of all models.

``jit_compile: published``, the value of a column that names none, is what the published benchmark
passes (haifeng-jin/keras-benchmarks, ``use_jit`` in ``benchmark/utils.py``): ``jit_compile=True``
with Keras 2 and with Keras 3, except on torch, in fit and in predict of every model. In two scripts
that does not reach the model whose steps are timed (docs/fairness.md). Here it does.

Its ``generate`` passes nothing, and all three ran with XLA on its GPU: KerasNLP turns it on under
Keras 2, Keras 3 by itself. Here they get the same option as the other tasks, so that they run in
one mode on the CPU, too, where Keras 3 would leave XLA off on TensorFlow.
``jit_compile: auto`` passes nothing in any task; KerasCV's pipeline then turns XLA on in Stable
Diffusion's predict.
"""

from typing import Any

from millistep.measure.frameworks import Cell


def options(cell: Cell, keras: Any) -> dict[str, str | bool]:
    """Return options of a Keras model's ``compile()`` about ``jit_compile``."""
    if isinstance(cell.jit_compile, bool):
        return {"jit_compile": cell.jit_compile}
    if cell.jit_compile == "auto":
        return {}
    return {"jit_compile": keras.backend.backend() != "torch"}
