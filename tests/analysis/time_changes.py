"""Changes of the times in the records of a table that no caveat applies to."""

from functools import partial

from quiet_table import TORCH
from record_changes import stretch, takes


def step_ns(r):
    block = r["timing"]["blocks"][0]
    return block["elapsed_ns"] // block["steps"]


def scale(r, factor):
    for block in [*r["timing"]["blocks"], *r["probes"]]:
        block["elapsed_ns"] = int(block["elapsed_ns"] * factor)
    r["timing"]["legacy"]["step_ms"] *= factor


def slow_fixed_probe(project):
    """Twice the batch takes 1.2 times as long: 80 % of the step is fixed."""

    def change(r):
        r["probes"][0]["elapsed_ns"] = r["probes"][0]["steps"] * int(1.2 * step_ns(r))

    project.change(change, column=TORCH)


def scattered(project):
    for factor, every_other in ((1.1, slice(0, None, 2)), (0.9, slice(1, None, 2))):
        project.change(partial(stretch, factor=factor, of=every_other), column=TORCH)


def slower_later(r):
    stretch(r, 1.03, slice(5, None))


def slowed(project):
    """Most runs, but not all: by how much all of them change is not shown."""
    for run in (1, 2):
        project.change(slower_later, column=TORCH, run=run)


def padded(project):
    """A call takes 4 + 0.4 n + 0.004 n L ms for n new tokens at length L: at the row's own 44 and
    50 these are 4 + 17.6 + 8.8 = 30.4 ms, of which the last 8.8 go with the length.
    """
    project.plan["models"]["bert"]["architecture"]["max_length"] = 50

    def change(r):
        generating(r, lambda n, length: 4 + 0.4 * n + 0.004 * n * length)

    project.change(change, column=TORCH)


LENGTHS = ((14, 20), (44, 100), (44, 200))  # new tokens and length of the probes


def generating(r, call_ms):
    """Turn a record into one of a row that generates; ms of a call by new tokens and length."""
    size, own_ms = r["cell"]["batch_size"], call_ms(44, 50)
    r["work"]["tokens_per_step"] = size * 44
    r["timing"]["legacy"]["step_ms"] = own_ms
    r["timing"]["synchronised_ns"] = [round(own_ms * 1e6)] * 10
    takes(r, own_ms)
    r["probes"] = [
        {
            "batch_size": size,
            "max_length": length,
            "new_tokens": size * new_tokens,
            "steps": 2,
            "elapsed_ns": round(2 * call_ms(new_tokens, length) * 1e6),
            "failed": None,
        }
        for new_tokens, length in LENGTHS
    ]
