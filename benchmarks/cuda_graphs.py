"""CUDA graphs of every compiled cell: how many were recorded and when, what was skipped and why.

Each cell runs a few steps eagerly and then compiled, in one process, from the same weights and
inputs and without dropout, and the outputs of each step are compared: a graph that overwrites what
is still to be read would show. Without a GPU there are no graphs, but outputs to compare.
"""

import dataclasses
import gc

from cells import asked, framework_of, last_line_inside, parser, planned, takers, title

STEPS = 6  # a program is compiled in the first, recorded in the second, replayed from the third
HEADER = f"{'programs':>8}{'recorded':>9}{'last in':>8}{'largest difference':>20}  skipped"


def main():
    options = asked(parser(__doc__, "smoke"), inside)
    wanted = (options.models, takers("mode"), options.tasks)
    plan, runs = planned(options.scale, *wanted, interpreters=dict(options.interpreter))
    if plan.accelerator != "cuda":
        print("no GPU here, so no CUDA graphs: the outputs of compiled and eager steps alone")
    print(f"{'':36}{HEADER}", flush=True)
    for run in runs:
        print(f"{title(run):36}{last_line_inside(plan, run, __file__)}", flush=True)


def inside(identity):
    """Compare outputs in this process, which runs in the framework's environment."""
    from millistep.measure import frameworks

    cell = framework_of(identity).cell
    if "dropout" in cell.architecture:  # both would drop other numbers
        cell = dataclasses.replace(cell, architecture={**cell.architecture, "dropout": 0.0})
    eager = frameworks.create(
        dataclasses.replace(cell, framework="pytorch-eager", module="pytorch_eager", mode=None)
    )
    expected, _ = outputs(eager)
    release(eager)
    compiled = frameworks.create(cell)
    found, recorded = outputs(compiled)
    card = compiled.execution()
    worst = max(difference(a, b) for a, b in zip(expected, found, strict=True))
    last = 1 + recorded.index(recorded[-1]) if recorded[-1] else "-"
    numbers = f"{card['graphs']:8}{recorded[-1]:9}{last:>8}{worst:20.2g}"
    return f"{numbers}  {card['cuda_graphs_skipped'] or '-'}"


def outputs(framework):
    """Return tensors that the steps returned, on the host, in order; and CUDA graphs after each
    step.
    """
    framework.load()
    framework.build()
    seen, steps = [], Steps(framework)
    model = framework.step_model
    if framework.cell.task == "generate":
        call = model.generate
        model.generate = lambda **inputs: remember(seen, call(**inputs))
    else:
        model.register_forward_hook(lambda module, inputs, output: remember(seen, output))
    framework.run(steps)
    return seen, steps.recorded


class Steps:
    """Takes the place of the timer: so many steps."""

    def __init__(self, framework):
        self._framework = framework
        self.recorded = []

    def start(self):
        self._issued = 0

    def tick(self):
        from millistep.measure.frameworks import pytorch_compiled

        if self._issued:
            self._framework.fence()
            self.recorded.append(pytorch_compiled.recorded_graphs(self._framework.torch))
        self._issued += 1
        return self._issued > STEPS


def remember(seen, output):
    """Copy the loss of an output that has one, else all tensors in it."""
    from torch.utils import _pytree

    loss = getattr(output, "loss", None)
    leaves = _pytree.tree_leaves(output if loss is None else loss)
    seen += [leaf.detach().double().cpu() for leaf in leaves if hasattr(leaf, "detach")]
    return output


def difference(expected, found):
    """Return the largest difference, relative to the largest expected value."""
    return float((expected - found).abs().max() / expected.abs().max())


def release(framework):
    """Give the device's memory back before the same model is built once more."""
    torch = framework.torch
    del framework.model, framework.step_model, framework.optimizer
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
