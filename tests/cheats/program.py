"""Time a task with known ways to cheat a timer, and with honest optimizations, one after another.

    python program.py '{"cell": {...}}'

Each is a patch of the library below the harness, as an overlay would bring it. Prints a line of
JSON each: the outcome, with the time of a step by the harness.
"""

import contextlib
import functools
import json
import os
import queue
import sys
import threading
import time
from unittest.mock import patch

import torch
import transformers

from millistep.measure import extras, frameworks

extras.CALL_S = 0.1
MODEL = transformers.BertForSequenceClassification
LAYER = transformers.models.bert.modeling_bert.BertLayer
OPTIMIZER = torch.optim.AdamW
FORWARD, LINEAR, STEP = MODEL.forward, torch.nn.functional.linear, OPTIMIZER.step


def measured(cell):
    framework = frameworks.create(cell)
    framework.load()
    framework.build()
    return {"dtype": "float32", **extras.outcome(framework, 5e6)}


def forward(function):
    """Let the model's forward pass be another function; it is given the real one's arguments."""
    return patch.object(MODEL, "forward", function)


def linear(function):
    """Make a program of a function: linear layers call it."""
    return functools.wraps(function)(lambda: patch.object(torch.nn.functional, "linear", function))


def constructor(of, **changed):
    """Let a constructor take these options."""
    real = of.__init__
    return patch.object(of, "__init__", lambda *given, **options: real(*given, **options | changed))


class Later:
    """Logits that are computed when somebody looks at them."""

    def __init__(self, compute):
        self.compute = compute
        self.shape = ()

    def float(self):
        with torch.inference_mode():
            return self.compute().float()


# Cheats


def another_thread():
    """The work is done by a thread that nobody waits for."""
    todo = queue.SimpleQueue()

    def work():
        while task := todo.get():
            task()

    threading.Thread(target=work, daemon=True).start()

    def submit(self, **arguments):
        done, found = threading.Event(), []

        def task():
            with torch.inference_mode():
                found.append(FORWARD(self, **arguments).logits)
            done.set()

        todo.put(task)
        return {"logits": Later(lambda: done.wait() and found[0])}

    return forward(submit)


def lazy_outputs():
    """The work is done when the outputs are used."""
    return forward(lambda self, **given: {"logits": Later(lambda: FORWARD(self, **given).logits)})


def kept_by(key):
    """The outputs of arguments with an equal key are kept."""
    kept = {}

    def cached(self, **arguments):
        name = id(self), key(arguments)
        if name not in kept:
            kept[name] = FORWARD(self, **arguments)
        return kept[name]

    return forward(cached)


def cached_outputs():
    """The outputs of inputs that came before are kept."""
    return kept_by(lambda inputs: b"".join(v.numpy().tobytes() for v in inputs.values()))


def stale_buffer():
    """The outputs are those of the first batch."""
    return kept_by(lambda inputs: None)


def moved_into_warm_up():
    """What the encoder returns is computed in the first steps, and found by the inputs' memory."""
    kept = {}

    def moved(self, **arguments):
        place = id(self), arguments["input_ids"].data_ptr(), int(arguments["input_ids"][0, 0])
        kept.setdefault(place, []).append(None)
        if len(kept[place]) < 3:
            kept[place][-1] = FORWARD(self, **arguments)
        return kept[place][0]

    return forward(moved)


def lower_precision():
    """float32 is requested, and bfloat16 is computed."""
    return torch.autocast("cpu", torch.bfloat16)


@linear
def lower_precision_of_products(x, weight, bias=None):
    product = LINEAR(x.bfloat16(), weight.bfloat16()).float()
    return product if bias is None else product + bias


def skipped_work():
    """The encoder's layer returns what it is given."""
    return patch.object(LAYER, "forward", lambda self, states, *rest, **options: states)


def missing_optimizer_step():
    """The optimizer does nothing."""
    return patch.object(OPTIMIZER, "step", lambda self, closure=None: None)


def every_second_optimizer_step():
    """Every second update is left out."""
    calls = [0]

    def sometimes(self, closure=None):
        calls[0] += 1
        return STEP(self, closure) if calls[0] % 2 else None

    return patch.object(OPTIMIZER, "step", sometimes)


# Honest optimizations


@linear
def fused_bias(x, weight, bias=None):
    flat = x.reshape(-1, x.shape[-1])
    found = flat @ weight.t() if bias is None else torch.addmm(bias, flat, weight.t())
    return found.reshape(*x.shape[:-1], -1)


@linear
def in_two_halves(x, weight, bias=None):
    half = x.shape[-1] // 2
    found = x[..., :half] @ weight[:, :half].t() + x[..., half:] @ weight[:, half:].t()
    return found if bias is None else found + bias


@linear
def larger_in_half_the_calls(x, weight, bias=None):
    """Two batches are one product: here the halves of a batch, joined again."""
    return torch.cat([LINEAR(half, weight, bias) for half in x.chunk(2)])


def attention(kind):
    real = MODEL.__init__

    def changed(self, config, *arguments, **options):
        config._attn_implementation = kind
        real(self, config, *arguments, **options)

    return patch.object(MODEL, "__init__", changed)


def without_the_mask():
    """A mask of ones changes nothing."""
    return forward(lambda self, attention_mask=None, **arguments: FORWARD(self, **arguments))


def constants_kept():
    """The mask, which is the same in each step, is kept."""
    kept = {}

    def cached(self, attention_mask, **arguments):
        mask = kept.setdefault(attention_mask.shape, attention_mask)
        return FORWARD(self, attention_mask=mask, **arguments)

    return forward(cached)


def named(*programs):
    return {program.__name__: program for program in programs}


NONE = {"base": contextlib.nullcontext, "null": contextlib.nullcontext}
CHEATS = {
    "predict": named(
        *(lazy_outputs, cached_outputs, stale_buffer, moved_into_warm_up, lower_precision),
        *(lower_precision_of_products, skipped_work, another_thread),
    ),
    "fit": named(missing_optimizer_step, every_second_optimizer_step, skipped_work),
}
HONEST = {
    "predict": {
        **named(fused_bias, in_two_halves, larger_in_half_the_calls),
        **named(without_the_mask, constants_kept),
        "scaled_dot_product": lambda: attention("sdpa"),
        "attention_in_steps": lambda: attention("eager"),
    },
    "fit": {
        "fused_bias": fused_bias,
        "fused_optimizer": lambda: constructor(OPTIMIZER, fused=True),
        "single_tensor_optimizer": lambda: constructor(OPTIMIZER, foreach=False),
    },
}


def main():
    cell = frameworks.Cell(**json.loads(sys.argv[1])["cell"])
    # On a busy machine, the CPU time of honest programs varies less. They come first, because a
    # cheat may leave work for later.
    with patch.object(time, "perf_counter_ns", time.process_time_ns):
        report(cell, HONEST[cell.task], "honest ")
    report(cell, CHEATS[cell.task])
    os._exit(0)  # work of the cheats may be left


def report(cell, programs, kind=""):
    """Print the outcome of the base, of the base again, and of each program."""
    for name, program in {**NONE, **programs}.items():
        with program():
            print(json.dumps({"name": kind + name, **measured(cell)}), flush=True)


if __name__ == "__main__":
    main()
