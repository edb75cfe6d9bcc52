"""Finds the dtype and the precision that matrix products and convolutions compute in.

The dtype is that of the products of a step. The precision of float32 products, and whether small
numbers are flushed to zero, are found by computing, not by reading flags.

A policy, a setting or the dtype of the weights may name another dtype: JAX computes in float32
where a layer requests float64, and autocast in bfloat16 with float32 weights.
"""

import re
import traceback
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from math import prod
from typing import Any, NamedTuple

from millistep.measure.conformance import WrongPrecision
from millistep.measure.frameworks.loops import flat

LEAST = 0.1  # share of the arithmetic; most models have a little in another dtype
WIDEST = "float64"  # libraries may compute in float32 where it is requested
OF_TORCH = re.compile(
    r"(aten|quantized)::.*(mm|mv|dot|convolution|conv\d|linear|rnn|lstm|gru|scaled_dot_product)"
)
PACKED = "quantized::"  # operations whose second factor is an object that holds it
OF_JAX = {"dot_general", "conv_general_dilated"}
OF_TENSORFLOW = re.compile(r"(MatMul|BatchMatMul|Conv|Einsum|XlaDot|CudnnRNN|DepthwiseConv)")


class Product(NamedTuple):
    """A product: its dtype, and the sizes of two factors and of the result."""

    dtype: str
    sizes: tuple[int, ...]
    times: int = 1
    convolution: bool = False

    @property
    def amount(self) -> float:
        """About the multiplications: exactly those of a product of two matrices."""
        return self.times * prod(map(float, self.sizes)) ** 0.5


def dtype(framework: Any, said: str) -> str:
    """Return the dtypes of a framework's products, without those of few products.

    said: the dtype by the model's own declaration. It is returned, and counts as declared, if the
    products cannot be inspected. Raises :class:`measure.conformance.WrongPrecision` if float64 is
    requested and not computed in.
    """
    try:
        with warnings.catch_warnings():
            # A forward pass may be unlike a step: without gradients, for example.
            warnings.simplefilter("ignore")
            products = [*framework.products()]
        framework.convolves = any(product.convolution for product in products)
        found = names(products)
    except Exception:
        traceback.print_exc()
        found = None
    if found is None:
        framework.declared.add("dtype")
        return said
    if said == WIDEST and found != said:
        raise WrongPrecision(f"the layers request {said}, the products of a step are {found}")
    return found


def declared_dtype(model: Any) -> str:
    """Return the dtype that the layers with the parameters compute in, by their own attributes.

    Several types are all named, each with its share of the parameters. The policy of the model
    around them, or of the process, may be another one and computes nothing.
    """
    # Of nested layers the innermost one computes: it has the fewest variables, so it comes last.
    layers = sorted(model._flatten_layers(), key=lambda layer: -len(layer.weights))
    owned = {id(variable): (layer, variable) for layer in layers for variable in layer.weights}
    counted: Counter[str] = Counter()
    for layer, variable in owned.values():
        counted[layer.compute_dtype] += parameters(variable)
    if not counted:
        return str(model.compute_dtype)
    if len(counted) == 1:
        return next(iter(counted))
    share = 100 / counted.total()
    return ", ".join(f"{name} {share * n:.4g} %" for name, n in counted.most_common())


def parameters(variable: Any) -> int:
    return prod(map(int, variable.shape))


def names(products: Iterable[Product]) -> str | None:
    """Return the dtypes of products in alphabetical order; None without any."""
    amounts: dict[str, float] = defaultdict(float)
    for product in products:
        amounts[product.dtype] += product.amount
    least = LEAST * sum(amounts.values())
    return ", ".join(sorted(name for name, amount in amounts.items() if amount >= least)) or None


@contextmanager
def dispatched(torch: Any, look: Callable[[Any, Any, Any], object]) -> Iterator[None]:
    """Call ``look(operation, arguments, result)`` after each operation while this is open."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Looking(TorchDispatchMode):  # type: ignore[misc]  # the base is of any type
        def __torch_dispatch__(
            self, operation: Any, types: Any, arguments: Any = (), options: Any = None
        ) -> Any:
            result = operation(*arguments, **(options or {}))
            look(operation, arguments, result)
            return result

    with Looking():
        yield


def of_torch(torch: Any, forward: Any) -> list[Product]:
    """Return the products of a forward pass, which is run once, operation by operation."""
    found: list[Product] = []

    def look(operation: Any, arguments: Any, result: Any) -> None:
        if not OF_TORCH.match(operation.name()):
            return
        if packed := operation.name().startswith(PACKED):
            arguments = [
                each.unpack()[0] if hasattr(each, "unpack") else each for each in arguments
            ]
        factors = [each for each in flat(arguments) if isinstance(each, torch.Tensor)]
        # The bias of addmm comes first, and has fewer axes than the factors.
        most = max((each.ndim for each in factors), default=0)
        factors = [each for each in factors if each.ndim == most][-2:]
        outputs = [each for each in flat(result) if isinstance(each, torch.Tensor)]
        if factors and outputs:
            sizes = tuple(each.numel() for each in [*factors, outputs[0]])
            # The weights are quantized; the other factor may be so inside the operation alone.
            dtype = str(factors[-1 if packed else 0].dtype).removeprefix("torch.")
            found.append(Product(dtype, sizes, convolution="conv" in operation.name()))

    with torch.no_grad(), dispatched(torch, look):
        forward()
    return found


def of_jax(jaxpr: Any, times: int = 1) -> Iterator[Product]:
    """Yield the products of a traced function, those of the functions in it included."""
    for equation in jaxpr.eqns:
        name = equation.primitive.name
        if name in OF_JAX:
            shapes = [*equation.invars[:2], equation.outvars[0]]
            sizes = tuple(prod(each.aval.shape) for each in shapes)
            convolution = name.startswith("conv")
            yield Product(str(equation.invars[0].aval.dtype), sizes, times, convolution)
        inner = times * equation.params.get("length", 1) if name == "scan" else times
        for value in flat(tuple(equation.params.values())):
            value = getattr(value, "jaxpr", value)
            if hasattr(value, "eqns"):
                yield from of_jax(value, inner)


def of_tensorflow(graph: Any) -> Iterator[Product]:
    """Yield the products of a traced function, those of the functions in it included."""
    for operation in graph.get_operations():
        if OF_TENSORFLOW.match(operation.type) and operation.inputs:
            shapes = [tensor.shape for tensor in [*operation.inputs, *operation.outputs]]
            sizes = sorted((shape.num_elements() or 1 for shape in shapes), reverse=True)
            dtypes = [each.dtype.name for each in operation.inputs]
            floating = [name for name in dtypes if "float" in name]
            convolution = operation.type.startswith(("Conv", "DepthwiseConv"))
            # Sizes and axes are integers, too.
            yield Product((floating or dtypes)[0], tuple(sizes[:3]), convolution=convolution)
    for function in getattr(graph, "_functions", {}).values():
        if inner := getattr(function, "graph", None):
            yield from of_tensorflow(inner)


Multiply = Callable[[Any, Any], Any]  # of two float32 NumPy arrays, by the library's own function
# TF32 keeps 10 bits of each factor and bfloat16 7, so a factor that needs more comes back rounded.
# Sums of it are exact in float32, except those of a convolution by Winograd's algorithm.
SIZE = 512  # of square matrices; large enough for the libraries' fast paths
CHANNELS, KERNEL = 64, 3  # of a convolution
FINE = 1 + 2**-12  # kept by float32 alone
COARSE = 1 + 2**-9  # kept by TF32 too, not by bfloat16
NEAR = 2**-14  # a quarter of the least rounding loss, and more than Winograd's algorithm loses


def used(matmul: Multiply, convolution: Multiply, channels_first: bool = False) -> dict[str, str]:
    """Precision of matrix products and of convolutions: ``float32``, ``tf32`` or ``bfloat16``.

    channels_first: order of the axes of images and filters, here and in the result.
    """
    square = (SIZE, SIZE)
    images, filters = (1, 32, 32, CHANNELS), (KERNEL, KERNEL, CHANNELS, CHANNELS)
    if channels_first:
        images, filters = (1, CHANNELS, 32, 32), (CHANNELS, CHANNELS, KERNEL, KERNEL)
    return {
        "matmul_precision": _kept(matmul, square, square, SIZE),
        "convolution_precision": _kept(convolution, images, filters, CHANNELS * KERNEL * KERNEL),
    }


def _kept(product: Multiply, left: tuple[int, ...], right: tuple[int, ...], terms: int) -> str:
    import numpy as np

    def near(x: float) -> bool:
        result = product(np.full(left, x, np.float32), np.ones(right, np.float32))
        return abs(float(result[(0,) * len(left)]) / terms - x) < NEAR

    return "float32" if near(FINE) else "tf32" if near(COARSE) else "bfloat16"


COUNT = 2**18  # elements: enough work for all threads of a pool to take part
TINY = 0x000AE398  # the bits of 1e-39 in float32, whose smallest normal number is 1.2e-38


def flushed(halve: Callable[[Any], Any]) -> bool:
    """Return True if the halves of denormal numbers all come back as zeros.

    halve: takes a float32 NumPy array, returns one with the halves, computed as a step is.
    Bits are written and looked at, since converting or comparing numbers may flush as well.
    """
    import numpy as np

    tiny = np.full(COUNT, TINY, np.uint32).view(np.float32)
    return not np.asarray(halve(tiny)).view(np.uint32).any()
