"""Time a task with known ways to cheat a timer, and with honest optimizations, one after another.

    python program.py '{"cell": {...}}'

Each is a patch of the library below the harness, as an overlay would bring it. Prints a line of
JSON each: the outcome, with the time of a step by the harness.
"""

import contextlib
import json
import os
import queue
import sys
import threading
import time

import torch
import transformers

from millistep.measure import frameworks, outcome

outcome.CALL_S = 0.1
MODEL = transformers.BertForSequenceClassification
FORWARD, LINEAR = MODEL.forward, torch.nn.functional.linear
LAYER = transformers.models.bert.modeling_bert.BertLayer


def measured(cell):
    framework = frameworks.create(cell)
    framework.load()
    framework.build()
    return {"dtype": "float32", **outcome.outcome(framework, 5e6)}


@contextlib.contextmanager
def forward(function):
    """Let the model's forward pass be another function; it is given the real one's arguments."""
    MODEL.forward = function
    try:
        yield
    finally:
        MODEL.forward = FORWARD


class Later:
    """Logits that are computed when somebody looks at them."""

    def __init__(self, compute):
        self.compute = compute
        self.shape = ()

    def float(self):
        with torch.inference_mode():
            return self.compute().float()


def key(arguments):
    return b"".join(v.numpy().tobytes() for v in arguments.values())


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
    return forward(
        lambda self, **arguments: {"logits": Later(lambda: FORWARD(self, **arguments).logits)}
    )


def cached_outputs():
    """The outputs of inputs that came before are kept."""
    kept = {}

    def cached(self, **arguments):
        name = id(self), key(arguments)
        if name not in kept:
            kept[name] = FORWARD(self, **arguments)
        return kept[name]

    return forward(cached)


def stale_buffer():
    """The outputs are those of the first batch."""
    kept = {}

    def stale(self, **arguments):
        if id(self) not in kept:
            kept[id(self)] = FORWARD(self, **arguments)
        return kept[id(self)]

    return forward(stale)


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


@contextlib.contextmanager
def lower_precision_of_products():
    """Only the products are computed in bfloat16."""

    def half(x, weight, bias=None):
        product = LINEAR(x.bfloat16(), weight.bfloat16()).float()
        return product if bias is None else product + bias

    torch.nn.functional.linear = half
    try:
        yield
    finally:
        torch.nn.functional.linear = LINEAR


@contextlib.contextmanager
def skipped_work():
    """The encoder's layer returns what it is given."""
    real = LAYER.forward
    LAYER.forward = lambda self, hidden_states, *rest, **options: hidden_states
    try:
        yield
    finally:
        LAYER.forward = real


@contextlib.contextmanager
def missing_optimizer_step():
    """The optimizer does nothing."""
    real = torch.optim.AdamW.step
    torch.optim.AdamW.step = lambda self, closure=None: None
    try:
        yield
    finally:
        torch.optim.AdamW.step = real


@contextlib.contextmanager
def every_second_optimizer_step():
    """Every second update is left out."""
    real, calls = torch.optim.AdamW.step, [0]

    def sometimes(self, closure=None):
        calls[0] += 1
        return real(self, closure) if calls[0] % 2 else None

    torch.optim.AdamW.step = sometimes
    try:
        yield
    finally:
        torch.optim.AdamW.step = real


# Honest optimizations


def with_linear(function):
    @contextlib.contextmanager
    def patched():
        torch.nn.functional.linear = function
        try:
            yield
        finally:
            torch.nn.functional.linear = LINEAR

    return patched


def fused_bias(x, weight, bias=None):
    flat = x.reshape(-1, x.shape[-1])
    found = flat @ weight.t() if bias is None else torch.addmm(bias, flat, weight.t())
    return found.reshape(*x.shape[:-1], -1)


def in_two_halves(x, weight, bias=None):
    half = x.shape[-1] // 2
    found = x[..., :half] @ weight[:, :half].t() + x[..., half:] @ weight[:, half:].t()
    return found if bias is None else found + bias


def in_another_order(x, weight, bias=None):
    found = x.flip(-1) @ weight.flip(-1).t()
    return found if bias is None else found + bias


@contextlib.contextmanager
def option_of_optimizer(**options):
    real = torch.optim.AdamW.__init__

    def changed(self, *arguments, **others):
        real(self, *arguments, **{**others, **options})

    torch.optim.AdamW.__init__ = changed
    try:
        yield
    finally:
        torch.optim.AdamW.__init__ = real


@contextlib.contextmanager
def attention(kind):
    real = MODEL.__init__

    def changed(self, config, *arguments, **options):
        config._attn_implementation = kind
        real(self, config, *arguments, **options)

    MODEL.__init__ = changed
    try:
        yield
    finally:
        MODEL.__init__ = real


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


@contextlib.contextmanager
def larger_in_half_the_calls():
    """Two batches are one product: here the halves of a batch, joined again."""

    def joined(x, weight, bias=None):
        return torch.cat([LINEAR(half, weight, bias) for half in x.chunk(2)])

    with with_linear(joined)():
        yield


CHEATS = {
    "predict": [
        lazy_outputs,
        cached_outputs,
        stale_buffer,
        moved_into_warm_up,
        lower_precision,
        lower_precision_of_products,
        skipped_work,
        another_thread,
    ],
    "fit": [missing_optimizer_step, every_second_optimizer_step, skipped_work],
}
HONEST = {
    "predict": {
        "fused_bias": with_linear(fused_bias),
        "in_two_halves": with_linear(in_two_halves),
        "in_another_order": with_linear(in_another_order),
        "scaled_dot_product": lambda: attention("sdpa"),
        "attention_in_steps": lambda: attention("eager"),
        "without_the_mask": without_the_mask,
        "constants_kept": constants_kept,
        "larger_in_half_the_calls": larger_in_half_the_calls,
    },
    "fit": {
        "fused_bias": with_linear(fused_bias),
        "fused_optimizer": lambda: option_of_optimizer(fused=True),
        "single_tensor_optimizer": lambda: option_of_optimizer(foreach=False),
    },
}


def main():
    asked = json.loads(sys.argv[1])
    cell = frameworks.Cell(**asked["cell"])
    task = cell.task
    patches = {
        "base": contextlib.nullcontext,
        "null": contextlib.nullcontext,
        **{patch.__name__: patch for patch in CHEATS[task]},
    }
    # On a busy machine, the CPU time of honest programs varies less. They come first, because a
    # cheat may leave work for later.
    honest = {"base": contextlib.nullcontext, "null": contextlib.nullcontext, **HONEST[task]}
    wall, time.perf_counter_ns = time.perf_counter_ns, time.process_time_ns
    for name, patch in honest.items():
        with patch():
            print(json.dumps({"name": f"honest {name}", **measured(cell)}), flush=True)
    time.perf_counter_ns = wall
    for name, patch in patches.items():
        with patch():
            print(json.dumps({"name": name, **measured(cell)}), flush=True)
    os._exit(0)  # work of the cheats may be left


if __name__ == "__main__":
    main()
