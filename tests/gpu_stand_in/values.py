"""Small integers and booleans of PyTorch are computed for real, though no kernel computes.

Loops of the host end by such values (``generate`` asks if all sequences are finished), and shapes
depend on them. Memory of a simulated device is the host's, so that an operator of the host writes
what the kernel would have written, after the kernel was launched. Only operators that are named
here pass through Python, which costs the host some microseconds each.

Installed into an environment of its own as a module that site starts; standard library alone until
PyTorch is imported. A loss that is read is a number, and the place of the largest number one that
there is (a tokenizer is asked for its word): what memory happens to hold may be neither. JAX is
told that there is a device, whose file it looks for before it looks for the driver.
"""

import importlib.abc
import importlib.machinery
import math
import sys

LARGEST = 4096  # most numbers of a tensor
STARTED_BY_SITE = "import gpu_stand_in_values; gpu_stand_in_values.wait_for_imports()\n"
# Every overload with a CUDA kernel: those that return, write in place or write to ``out``.
OPERATORS = """
    add sub rsub mul remainder floor_divide fmod neg abs minimum maximum clamp clamp_min clamp_max
    eq ne lt le gt ge bitwise_and bitwise_or bitwise_xor bitwise_not logical_and logical_or
    logical_not logical_xor all any max min sum prod cumsum amax amin fill arange cat where
    masked_fill index index_select gather scatter index_put flip sort
    isin_Tensor_Tensor isin_Tensor_Scalar isin_Scalar_Tensor
"""
NAMES = frozenset(OPERATORS.split())
kept = []  # libraries of operators, which must live as long as they are needed


class Finder(importlib.abc.MetaPathFinder):
    """Finds modules as others do, and has some of them changed once they are imported."""

    def find_spec(self, name, path, target=None):
        change = {"torch": install, "jax._src.hardware_utils": show_a_device}.get(name)
        spec = change and importlib.machinery.PathFinder.find_spec(name, path, target)
        if not spec:
            return None
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            change(module)

        spec.loader.exec_module = exec_module
        return spec


def wait_for_imports():
    """Called by site, which may read the same file twice (lib and lib64)."""
    if not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, Finder())


def show_a_device(hardware):
    """Let JAX find a file that is there, in the place of those that a real driver makes."""
    hardware._NVIDIA_GPU_DEVICES = ["/dev/null"]


def install(torch):
    """Put the operators of the host behind those of the device."""
    exact = frozenset((torch.bool, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8))
    library = torch.library.Library("aten", "IMPL")
    kept.append(library)
    for name in torch._C._dispatch_get_all_op_names():
        space, _, operator = name.partition("::")
        base = operator.partition(".")[0]
        known = base.removesuffix("_") in NAMES and not base.startswith("__")
        has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
        if space == "aten" and known and has_kernel(name, "CUDA"):
            library.impl(operator, _computed(torch, name, exact), "CUDA", with_keyset=True)
    # copy_ has one kernel for all devices, which asks CUDA's for its part.
    library.impl("copy_", _computed(torch, "aten::copy_", exact), "CUDA", with_keyset=True)
    library.impl("_local_scalar_dense", _a_number(torch), "CUDA", with_keyset=True)
    for name in ("argmax", "argmin"):
        library.impl(name, _a_place(torch, f"aten::{name}", exact), "CUDA", with_keyset=True)
    # The result's shape depends on the device's numbers: nonzero is never left to a kernel.
    library.impl("nonzero", lambda tensor: tensor.cpu().nonzero().to(tensor.device), "CUDA")


def _computed(torch, name, exact):
    kernel = torch.library.get_kernel(name, "CUDA")
    packet = getattr(torch.ops.aten, name.removeprefix("aten::").partition(".")[0])
    overload = getattr(packet, name.partition(".")[2] or "default")
    takes = [str(argument.type) for argument in overload._schema.arguments]
    tensors = [place for place, kind in enumerate(takes) if kind in ("Tensor", "Optional[Tensor]")]

    def call(keys, *arguments, **named):
        for place in tensors:
            if place < len(arguments) and isinstance(arguments[place], (int, float)):
                arguments = _with_number(torch, arguments, place)
        values = [*arguments, *named.values()]
        if _inexact(torch, values, exact):
            return kernel.call_boxed(keys, *arguments, **named)
        found = kernel.call_boxed(keys, *arguments, **named)
        there = list(_tensors(torch, [*values, found]))
        if there and not _inexact(torch, there, exact) and _small(there):
            return _on_host(torch, overload, arguments, named, found)
        return found

    return call


def _with_number(torch, arguments, place):
    """The arguments with a tensor in the place of a number, of a type that changes no other's."""
    number = arguments[place]
    other = next(each.dtype for each in arguments if isinstance(each, torch.Tensor))
    if isinstance(number, bool):
        other = torch.bool
    elif isinstance(number, int):
        other = torch.int64 if other is torch.bool else other
    elif not (other.is_floating_point or other.is_complex):
        other = torch.get_default_dtype()
    tensor = torch.scalar_tensor(number, dtype=other)
    return (*arguments[:place], tensor, *arguments[place + 1 :])


def _inexact(torch, values, exact):
    return any(tensor.dtype not in exact for tensor in _tensors(torch, values))


def _small(tensors):
    return all(tensor.numel() <= LARGEST for tensor in tensors)


def _tensors(torch, values):
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(torch, value)


def _on_host(torch, overload, arguments, named, found):
    """The operator's result: the device's own tensors, with the host's numbers in them."""

    def here(value):
        if isinstance(value, torch.Tensor):
            return _same_memory(torch, value) if value.is_cuda else value
        if isinstance(value, (list, tuple)):
            return type(value)(map(here, value))
        return torch.device("cpu") if isinstance(value, torch.device) else value

    with torch._C._DisableTorchDispatch():
        numbers = overload(*map(here, arguments), **{k: here(v) for k, v in named.items()})
    pairs = zip(_tensors(torch, [found]), _tensors(torch, [numbers]), strict=True)
    for there, mine in pairs:
        if there.numel() and there.data_ptr() != mine.data_ptr():
            _same_memory(torch, there).copy_(mine)
    return found


def _same_memory(torch, tensor):
    """A tensor of the host over the memory of one of the device."""
    if not tensor.numel():
        return torch.empty(tensor.shape, dtype=tensor.dtype)
    last = sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))
    size = (last + 1) * tensor.element_size()
    storage = torch._C._construct_storage_from_data_pointer(
        tensor.data_ptr(), torch.device("cpu"), size
    )
    whole = torch.empty(0, dtype=tensor.dtype)
    return whole.set_(storage, 0, tensor.shape, tensor.stride())


def _a_number(torch):
    kernel = torch.library.get_kernel("aten::_local_scalar_dense", "CUDA")

    def call(keys, tensor):
        found = kernel.call_boxed(keys, tensor)
        return 0.0 if isinstance(found, float) and not math.isfinite(found) else found

    return call


def _a_place(torch, name, exact):
    """An operator for a place: the first one, of numbers that no kernel computed."""
    computed = _computed(torch, name, exact)

    def call(keys, tensor, *arguments, **named):
        found = computed(keys, tensor, *arguments, **named)
        if tensor.dtype not in exact and _small([found]):
            _same_memory(torch, found).zero_()
        return found

    return call
