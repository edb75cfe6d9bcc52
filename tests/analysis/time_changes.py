"""Changes of the times in the records of a table that no caveat applies to."""

from functools import partial

from quiet_table import JAX, TORCH, quiet_project
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
    probed(project, 1.2)


def slow_larger_probe(project):
    """Twice the batch takes 3.2 times as long: 1.6 times per sample."""
    probed(project, 3.2)


def probed(project, ratio):
    """A step at twice the batch takes so many times as long."""

    def change(r):
        r["probes"][0]["elapsed_ns"] = r["probes"][0]["steps"] * int(ratio * step_ns(r))

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


def slowed_once(project):
    project.change(slower_later, column=TORCH, run=2)


def warmed_up(project):
    project.change(lambda r: stretch(r, 1.04, slice(2)), column=TORCH)


def in_two_modes(project):
    """Six rounds of three columns, in one of which every other process takes 3 % longer."""
    other = quiet_project(project.folder, runs=6, columns=(JAX, TORCH, "keras3-tensorflow"))
    project.plan, project.records, project.canaries = other.plan, other.records, other.canaries
    for run in (2, 4, 6):
        project.change(lambda r: scale(r, 1.03), column=TORCH, run=run)


def few_blocks(project):
    def change(r):
        r["timing"].update(blocks=[{"steps": 100, "elapsed_ns": 100 * step_ns(r)}])

    project.change(change, column=TORCH, run=2)


def spread_runs(project):
    for run, factor in ((1, 1.0), (2, 1.15), (3, 0.9)):
        project.change(lambda r, f=factor: scale(r, f), column=TORCH, run=run)


def short(project):
    def change(r):
        block = {"steps": 2, "elapsed_ns": 2 * step_ns(r)}
        r["timing"].update(blocks=[block] * 8)

    project.change(change, column=TORCH)


def nearly_as_fast(project):
    def change(r):
        scale(r, 8.1 / 30)
        r["timing"]["synchronised_ns"] = [step_ns(r)]

    project.change(change, TORCH)


def legacy(project):
    project.change(lambda r: r["timing"]["legacy"].update(step_ms=1.0), column=TORCH)


def padded(project):
    """A call takes 4 + 0.4 n + 0.004 n L ms for n new tokens at length L: at the row's own 44 and
    50 these are 4 + 17.6 + 8.8 = 30.4 ms, of which the last 8.8 go with the length.
    """
    project.plan["models"]["bert"]["architecture"]["max_length"] = 50

    def change(r):
        generating(r, lambda n, length: 4 + 0.4 * n + 0.004 * n * length)

    project.change(change, column=TORCH)


LENGTHS = ((14, 20), (44, 100), (44, 200))  # new tokens and length of the probes


def generating(r, call_ms, kinds=LENGTHS, own=(44, 50)):
    """Turn a record into one of a row that generates; ms of a call by new tokens and length."""
    size, own_ms = r["cell"]["batch_size"], call_ms(*own)
    r["work"]["tokens_per_step"] = size * own[0]
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
        for new_tokens, length in kinds
    ]
