"""The columns: title, family, environment. The order is the table's."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Framework:
    """A column of the table."""

    name: str
    title: str
    family: str  # which builder of a model: keras2, keras3, pytorch
    environment: str

    @property
    def module(self) -> str:
        """File name of its class in ``measure/frameworks``."""
        return self.name.replace("-", "_")


FRAMEWORKS = {
    f.name: f
    for f in (
        Framework("keras2-tensorflow", "Keras 2 (TensorFlow)", "keras2", "keras2-tensorflow"),
        Framework("keras3-tensorflow", "Keras 3 (TensorFlow)", "keras3", "keras3-tensorflow"),
        Framework("keras3-jax", "Keras 3 (JAX)", "keras3", "keras3-jax"),
        Framework("keras3-torch", "Keras 3 (PyTorch)", "keras3", "keras3-torch"),
        Framework("pytorch-eager", "PyTorch (eager)", "pytorch", "pytorch"),
        Framework("pytorch-compiled", "PyTorch (compiled)", "pytorch", "pytorch"),
    )
}
