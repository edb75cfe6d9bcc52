"""The blocks and runs of a bundle that are measured here, in the planned order."""

import fnmatch
from collections.abc import Sequence
from pathlib import Path

from bundle import Problem
from bundle.columns import Column
from bundle.steps import Block, File, Timed

NAME_PARTS = 4  # parts of a run's name: model, task and batch, column, number


def selected(
    bundle: dict, columns: dict[str, Column], patterns: Sequence[str]
) -> list[Block | File]:
    """Blocks with the runs that have an interpreter and match a pattern, and the known steps."""
    first: list[Block | File] = []
    later: list[Block | File] = []
    for block in bundle["blocks"]:
        runs = [
            run
            for run in block["runs"]
            if run["column"] in columns and _matches(run["record"], patterns)
        ]
        if runs:
            (first if block["round"] == 1 else later).append(_block(bundle, block, runs, columns))
    if not first + later:
        if not patterns:
            raise Problem(f"--interpreter: this bundle has no run of {', '.join(columns)}")
        records = [run["record"] for block in bundle["blocks"] for run in block["runs"]]
        raise Problem(
            f"--only: no run with an interpreter is {' or '.join(patterns)}; "
            f"a run is written like {min(map(_name, records))}"
        )
    return [*first, *_known_steps(bundle, columns), *later]


def _block(bundle: dict, block: dict, runs: list[dict], columns: dict[str, Column]) -> Block:
    """A block with the runs that are measured here, and canaries by the first library here."""
    kinds = {bundle["columns"][run["column"]]["accelerator"] for run in runs}
    return Block(
        path=Path(block["path"]),
        row=block["row"],
        scale=bundle["scale"],
        round=block["round"],
        runs=tuple(File(run["identity"], columns[run["column"]], run["record"]) for run in runs),
        canaries={
            kind: Timed(canary["identity"], columns[canary["column"]])
            for kind in bundle["accelerators"]
            if kind in kinds
            for canary in [_first(bundle["canaries"][kind], columns)]
            if canary
        },
    )


def _first(canaries: list[dict], columns: dict[str, Column]) -> dict | None:
    """The first canary, in the order of preference, whose column has an interpreter."""
    return next((canary for canary in canaries if canary["column"] in columns), None)


def _known_steps(bundle: dict, columns: dict[str, Column]) -> list[File]:
    """The known steps as they were measured, else in the first environment that is here; empty if
    their accelerator has no environment here.
    """
    about = bundle["known_steps"]
    found = [
        File(possible["identity"], columns[possible["column"]], about["path"])
        for possible in about["possible"]
        if possible["column"] in columns
    ]
    return [*(steps for steps in found if steps.is_done()), *found][:1]


def _name(record: str) -> str:
    """The name of a run by its record: ``bert/fit-b8/keras3-jax/run1``, in either folder."""
    return "/".join(record.removesuffix(".json").split("/")[-NAME_PARTS:])


def _matches(record: str, patterns: Sequence[str]) -> bool:
    name = _name(record)
    return not patterns or any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
