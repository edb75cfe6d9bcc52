"""Tasks on cells of the compiled column, which `torch.compile` compiles."""

import dataclasses
from collections import defaultdict
from unittest.mock import patch

from column import framework_of, start

from millistep.measure.frameworks.loops import Ticks

__all__ = ["start"]  # besides those below


def generate(cell):
    """Compare tokens of three calls with the eager ones; what the compiled pass was given."""
    names = {"framework": "pytorch-eager", "module": "pytorch_eager", "mode": None}
    eager, framework = framework_of(dataclasses.replace(cell, **names)), framework_of(cell)
    eager.build()
    eager.run(Ticks(1))
    counted, seen, static, same = [], [], [], []
    framework.build()
    before = framework.compilations()
    compile_call = framework.model.get_compiled_call

    def watched(config):
        compiled = compile_call(config)

        def call(**inputs):
            seen.append(list(inputs["input_ids"].shape))
            layers = inputs["past_key_values"].layers
            marks = [getattr(x.keys, "_dynamo_static_input_type", None) for x in layers]
            static.append(None not in marks)
            return compiled(**inputs)

        return call

    framework.model.get_compiled_call = watched
    for _ in range(3):
        framework.run(Ticks(1))
        counted.append(framework.compilations() - before)
        same.append((framework.loop_outputs == eager.loop_outputs).all())
    return {"same": all(same), "shapes": seen, "static": all(static), "counted": counted}


def marks(cell):
    """Events of two predictions, in order: steps marked, compiled modules entered."""
    log, framework = [], framework_of(cell)

    def compile_(module, mode):
        name = type(module).__name__
        module.register_forward_pre_hook(lambda *_: log.append(f"{name} {mode}"))
        return module

    mark = patch("torch.compiler.cudagraph_mark_step_begin", lambda: log.append("mark"))
    with mark, patch("torch.compile", compile_):
        framework.build()
        step, batch = framework._step(), framework._host_batch(cell.batch_size)
        step(batch)
        step(batch)
    return log


def recordings(cell):
    """Compilations counted as CUDA graphs are recorded, in trees that are filled here: the device
    is simulated; trees, nodes and what counts them are the library's.
    """
    from torch._inductor import cudagraph_trees as library

    framework = framework_of(cell)

    def node():
        made = library.CUDAGraphNode.__new__(library.CUDAGraphNode)
        made.children = defaultdict(list)
        return made

    available = patch("torch.cuda.is_available", lambda: True)
    with available, patch("torch.cuda.current_device", lambda: 0):
        counted = [framework.compilations()]
        trees = library.CUDAGraphTreeManager.__new__(library.CUDAGraphTreeManager)
        trees.roots = defaultdict(list)
        library.get_container(0).tree_manager = trees
        counted.append(framework.compilations())
        first, second = library.FunctionID(0), library.FunctionID(1)
        root = node()
        trees.roots[first].append(root)
        counted.append(framework.compilations())
        for _ in range(2):  # the second time the same program: other addresses
            root.add_child(second, node())
            counted.append(framework.compilations())
        library.get_container(0).tree_manager = None
    return [number - counted[0] for number in counted]


def skips(cell):
    """The settings after inductor has logged two reasons to skip CUDA graphs and a hint."""
    from torch._inductor import cudagraph_utils as library

    framework = framework_of(cell)
    framework.watch_log()
    library.log_cudagraph_skip_and_bump_counter(
        "skipping cudagraphs due to skipping cudagraphs due to mutated inputs (2 instances). "
        "Found from : \n File model.py"
    )
    for _ in range(2):
        library.log_cudagraph_skip_and_bump_counter("skipping cudagraphs due to multiple devices")
    library.cudagraphs_log.warning("CUDAGraph supports dynamic shapes by recording a new graph")
    with patch.object(framework, "graphs", lambda: 1):
        observed = framework.execution()
    return [observed["cuda_graphs"], observed["cuda_graphs_skipped"]]


def given_up(cell):
    """The error after more steps than torch.compile compiles, each with another number."""
    framework = framework_of(cell)
    framework.seed()
    torch = framework.torch

    class Counting(torch.nn.Module):
        step = 0

        def forward(self, x):
            self.step += 1
            return x * self.step

    framework.model = Counting()
    framework.step_model = framework.compile(framework.model)
    for _ in range(torch._dynamo.config.recompile_limit + 1):
        framework.step_model(torch.ones(4))
    try:
        return framework.execution()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def left_to_python(cell):
    """Number of graph breaks of a function that torch.compile leaves to Python, within a loop."""
    framework = framework_of(cell)
    framework.seed()
    torch = framework.torch

    def step(x):
        for _ in range(2):
            x = x / max(1, x.abs().max().item())
        return helper(x)

    def helper(x):
        return x * 2

    torch.compile(step)(torch.ones(4))
    return framework.execution()["graph_breaks"]
