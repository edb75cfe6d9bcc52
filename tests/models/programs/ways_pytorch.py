"""Tasks on a model around an operation in PyTorch, in the cell's way."""

from unittest.mock import patch

import torch
from column import framework_of

from measure.native import torch_ways
from measure.operation import Operation
from measure.protocol import PROTOCOLS


def name_of(cell):
    """The operation that the cell's model is built around."""
    return cell.architecture.get("activation", "mas")


def agreement(cell):
    """The record's operation, timed by itself."""
    operation = Operation(framework_of(cell).models, cell, name_of(cell))
    return operation.checked() | operation.timed(PROTOCOLS["smoke"])


def operator(cell):
    """The operation's record, with what PyTorch's own tests of an operator find."""
    name = name_of(cell)
    found, function = agreement(cell), torch_ways.operation(name, cell.way)
    operand = torch.randn(2, 7, 5, requires_grad=name != "mas")
    constants = (1.5,) if name == "snake" else ()
    return {**found, "opcheck": torch.library.opcheck(function, (operand, *constants))}


def profile(cell):
    """Names of the operations that compute in a step."""
    framework = framework_of(cell)
    framework.build()
    framework.begin_profile()
    ticks = iter([False, False, True])
    framework._loop(cell.batch_size)(lambda: next(ticks))
    return sorted({span.name for span in framework.end_profile()})


def initial(cell):
    """The weights that the model begins with, as the sum of squares of each."""
    model = framework_of(cell).models.build(cell)
    return [float(parameter.square().sum()) for parameter in model.parameters()]


def kernels(cell):
    """Bytes of the operation's kernels in Triton, compiled for an A100 and an H100."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    from measure.native import triton_ways

    numbers = {"n": "i32", "frames": "i32", "tokens": "i32", "a": "fp32", "path": "*i32"}
    constants = {"WIDTH": 256, "BLOCK": triton_ways.BLOCK}
    found = {}
    for kernel in triton_ways.WRITTEN[name_of(cell)]:
        if not isinstance(kernel, triton.JITFunction):
            continue
        own = {each: constants[each] for each in kernel.arg_names if each in constants}
        types = {each: numbers.get(each, "*fp32") for each in kernel.arg_names}
        source = ASTSource(kernel, types | dict.fromkeys(own, "constexpr"), own)
        for capability in (80, 90):
            compiled = triton.compile(source, target=GPUTarget("cuda", capability, 32))
            found[f"{kernel.__name__} {capability}"] = len(compiled.asm["cubin"])
    return found


def inference(cell):
    """True if the operation by itself is called in inference mode."""
    modes = []

    def seen(value):
        modes.append(torch.is_inference_mode_enabled())
        return value

    with patch.object(torch_ways, "operation", lambda name, way: seen):
        framework_of(cell).models.alone(cell)[0]()
    return modes
