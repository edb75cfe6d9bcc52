"""Run in the PyTorch environment: what `torch.compile` makes of a cell of the compiled column.

    python compiled_pytorch.py WORKFLOW CELL generate
    python compiled_pytorch.py WORKFLOW CELL marks
    python compiled_pytorch.py WORKFLOW CELL recordings
    python compiled_pytorch.py WORKFLOW CELL skips
    python compiled_pytorch.py WORKFLOW CELL start

generate: texts of three calls, the eager ones, and what the compiled pass was given.
marks: what two predictions did, in order: steps marked, compiled modules entered.
recordings: compilations as CUDA graphs are recorded, in trees that this program fills.
start: what a prediction found compiled on disk, asked before it and after it.
skips: reasons on the parity card after inductor has logged two skips and a hint.
"""

import dataclasses
import json
from collections import defaultdict

import torch
from program import cell, command

from measure import frameworks
from measure.models.causal_lm.inputs import new_tokens, prompts

framework = frameworks.create(cell)
framework.load()


def generate():
    """The whole loop of the column beside the eager one, both from the same seed."""
    names = {"framework": "pytorch-eager", "module": "pytorch_eager", "mode": None}
    eager = frameworks.create(dataclasses.replace(cell, **names))
    eager.load()
    expected = answers(eager, calls=1)[0]
    counted, seen, static = [], [], []
    framework.build()
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
    texts = answers(framework, calls=3, after=lambda: counted.append(framework.compilations()))
    same = all(text == expected for text in texts)
    print(json.dumps({"same": same, "shapes": seen, "static": all(static), "counted": counted}))


def answers(one, calls, after=lambda: None):
    """Texts of so many `generate()` calls of a framework that is built here if it is not."""
    if not hasattr(one, "model"):
        one.build()
    model, count = one.step_model, new_tokens(cell.architecture)
    inputs = model.tokenizer(prompts(cell.batch_size), return_tensors="pt")
    found = []
    for _ in range(calls):
        ids = model.generate(**inputs, min_new_tokens=count, max_new_tokens=count)
        found.append(model.tokenizer.batch_decode(ids, skip_special_tokens=True))
        after()
    return found


def marks():
    log = []
    torch.compiler.cudagraph_mark_step_begin = lambda: log.append("mark")

    def compile_(module, mode):
        name = type(module).__name__
        module.register_forward_pre_hook(lambda *_: log.append(f"{name} {mode}"))
        return module

    torch.compile = compile_
    framework.build()
    step, batch = framework._step(), framework._host_batch(cell.batch_size)
    step(batch)
    step(batch)
    print(json.dumps(log))


def recordings():
    """The device is made up; trees, nodes and what counts them are the library's."""
    from torch._inductor import cudagraph_trees as library

    torch.cuda.is_available, torch.cuda.current_device = (lambda: True), (lambda: 0)

    def node():
        made = library.CUDAGraphNode.__new__(library.CUDAGraphNode)
        made.children = defaultdict(list)
        return made

    counted = [framework.compilations()]
    trees = library.CUDAGraphTreeManager.__new__(library.CUDAGraphTreeManager)
    trees.roots = defaultdict(list)
    library.get_container(0).tree_manager = trees
    counted.append(framework.compilations())
    first, second = library.FunctionID(0), library.FunctionID(1)
    root = node()
    trees.roots[first].append(root)
    counted.append(framework.compilations())
    root.add_child(second, node())
    counted.append(framework.compilations())
    root.add_child(second, node())  # the same program once more: other addresses
    counted.append(framework.compilations())
    print(json.dumps(counted))


def skips():
    from torch._inductor import cudagraph_utils as library

    framework.skips.listen()
    framework.compilations = framework._graphs = lambda: 1
    library.log_cudagraph_skip_and_bump_counter(
        "skipping cudagraphs due to skipping cudagraphs due to mutated inputs (2 instances). "
        "Found from : \n File model.py"
    )
    for _ in range(2):
        library.log_cudagraph_skip_and_bump_counter("skipping cudagraphs due to multiple devices")
    library.cudagraphs_log.warning("CUDAGraph supports dynamic shapes by recording a new graph")
    card = framework.execution()
    print(json.dumps([card["cuda_graphs"], card["cuda_graphs_skipped"]]))


def start():
    framework.build()
    before = framework.compile_cache()
    framework._step()(framework._host_batch(cell.batch_size))
    print(json.dumps([before, framework.compile_cache()]))


{
    "generate": generate,
    "marks": marks,
    "recordings": recordings,
    "skips": skips,
    "start": start,
}[command]()
