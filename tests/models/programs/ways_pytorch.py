"""Run in the PyTorch environment: a model around an operation, in the cell's way.

    python ways_pytorch.py WORKFLOW CELL agreement
    python ways_pytorch.py WORKFLOW CELL operator
    python ways_pytorch.py WORKFLOW CELL profile
    python ways_pytorch.py WORKFLOW CELL initial
    python ways_pytorch.py WORKFLOW CELL kernels
    python ways_pytorch.py WORKFLOW CELL inference

agreement: the record's operation, timed by itself.
operator: the same, and what PyTorch's own tests of an operator find.
profile: names of what computes in a step.
initial: the weights that the model begins with, as the sum of squares of each.
kernels: bytes of the operation's kernels in Triton, compiled for an A100 and an H100.
inference: whether the operation by itself is called in inference mode.
"""

import json

import torch
from program import cell, command

from measure import frameworks
from measure.native import torch_ways
from measure.operation import Operation
from measure.protocol import PROTOCOLS

NAMES = {"aligner": "mas", "telu_net": "telu", "snake_net": "snake"}
framework = frameworks.create(cell)
framework.load()
name = NAMES[cell.model]


def agreement():
    operation = Operation(framework.models, cell, name)
    return operation.checked() | operation.timed(PROTOCOLS["smoke"])


def operator():
    found, function = agreement(), torch_ways.operation(name, cell.way)
    operand = torch.randn(2, 7, 5, requires_grad=name != "mas")
    constants = (1.5,) if name == "snake" else ()
    return {**found, "opcheck": torch.library.opcheck(function, (operand, *constants))}


def profile():
    framework.build()
    framework.begin_profile()
    ticks = iter([False, False, True])
    framework._loop(cell.batch_size)(lambda: next(ticks))
    return sorted({span.name for span in framework.end_profile()})


def initial():
    model = framework.models.build(cell)
    return [float(parameter.square().sum()) for parameter in model.parameters()]


def kernels():
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    from measure.native import triton_ways

    numbers = {"n": "i32", "frames": "i32", "tokens": "i32", "a": "fp32", "path": "*i32"}
    constants = {"WIDTH": 256, "BLOCK": triton_ways.BLOCK}
    found = {}
    for kernel in triton_ways.WRITTEN[name]:
        if not isinstance(kernel, triton.JITFunction):
            continue
        own = {each: constants[each] for each in kernel.arg_names if each in constants}
        types = {each: numbers.get(each, "*fp32") for each in kernel.arg_names}
        source = ASTSource(kernel, types | dict.fromkeys(own, "constexpr"), own)
        for capability in (80, 90):
            compiled = triton.compile(source, target=GPUTarget("cuda", capability, 32))
            found[f"{kernel.__name__} {capability}"] = len(compiled.asm["cubin"])
    return found


def inference():
    modes = []

    def seen(value):
        modes.append(torch.is_inference_mode_enabled())
        return value

    torch_ways.operation = lambda name, way: seen
    framework.models.alone(cell)[0]()
    return modes


COMMANDS = {
    "agreement": agreement,
    "operator": operator,
    "profile": profile,
    "initial": initial,
    "kernels": kernels,
    "inference": inference,
}
print(json.dumps(COMMANDS[command]()))
