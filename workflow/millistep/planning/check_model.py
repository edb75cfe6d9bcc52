"""Check a model folder: build it on each framework, make two steps of each task, list all problems.

python3 workflow check-model my-models/models/mlp
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import Any

from millistep.deploy.environments import Wanted, deployed
from millistep.deploy.virtual_environments import EnvironmentProblem
from millistep.measure.process import leave
from millistep.planning.catalog import OWN, Models, frameworks
from millistep.planning.columns import Column
from millistep.planning.config import Problem, or_one_line
from millistep.planning.plan import Plan
from millistep.planning.runs import Run
from millistep.supervise import ending, jobs, parent, processors
from millistep.supervise.machine import memory_limit_mib
from millistep.supervise.output import tail
from millistep.supervise.watch import Job

PROGRAM = "millistep.measure.check"
TIME_LIMIT_S = 600
OF_TASK = ("parameters", "trains", "scale")  # facts of a task, in addition to its cell
SLOW = ("pytorch-compiled",)  # compiling takes longer than all others together
# What a reader compares between frameworks, with its title.
COMPARED = {"parameters": "parameters", "dtype": "dtype of the products", "execution": "execution"}
Found = dict[str, Any]  # of one task on one framework, see measure.check


def planned(folder: Path, names: list[str], scale: str) -> Plan:
    """Return the plan of a model's tasks on these frameworks; on all with a builder without any."""
    place = Path(os.path.abspath(folder))  # a model's folder may be a link
    if place.parent.name != "models" or not (place / "model.yaml").is_file():
        raise Problem(f"{folder}: not a model's folder; needed is FOLDER/models/NAME/model.yaml")
    home = place.parent.parent
    folders = [] if home.resolve() == OWN.resolve() else [os.path.relpath(home)]
    model = Models(folders).load(place.name)
    for suffix in model.variants:
        model.variant(suffix)  # refuses sizes that the model has not
    found = [
        name
        for name, about in frameworks(folders).items()
        if (model.folder / f"{about.family}.py").is_file() and name not in SLOW
    ]
    if not (names or found):
        raise Problem(f"{model.folder}: no builder, such as keras3.py or pytorch.py")
    tasks = {place.name: {task: about.batch_sizes(scale)[0] for task, about in model.tasks.items()}}
    config = {"scale": scale, "runs": 1, "folders": folders, "models": tasks}
    return Plan(config | {"columns": names or found})


def tried(plan: Plan, column: Column, scratch: Path) -> list[Found]:
    """Try the tasks of one framework in one process; a result for each."""
    runs = [run for run in plan.runs if run.column == column]
    environment = plan.environment_of(column)
    try:
        wanted = Wanted.of(environment.wanted(use_conda=False))
        marker = deployed(replace(wanted, marker=scratch / "environment.json"))
    except (EnvironmentProblem, OSError) as problem:
        return [_failed(run, {"type": "NoEnvironment", "message": str(problem)}) for run in runs]
    identities = [json.loads(run.identity) for run in runs]
    request = {
        "folders": [os.path.abspath(folder) for folder in plan.config.folders],
        "tasks": [
            {"cell": parent.cell(facts), **{name: facts[name] for name in OF_TASK}}
            for facts in identities
        ],
    }
    log = scratch / "log.txt"
    job = Job(runs[0].identity, marker, log, TIME_LIMIT_S, memory_limit_mib("auto"))
    with parent.supervised(PROGRAM, request, job) as child:
        child.until("done")
    found: list[Found] = child.reported("checked", "results") or []
    for run in runs[len(found) :]:
        status, reason = ending.of_process(child.ending())
        words = {"type": status, "message": reason or "the process ended"}
        found.append(_failed(run, {**words, "log": "\n".join(tail(log)[-5:])}))
    return found


def _failed(run: Run, problem: dict[str, str]) -> Found:
    return {"task": run.row.task, "problems": [problem]}


def printed(found: list[tuple[str, Found]]) -> str:
    """Return what was found as text: by task and framework, then differences, then problems.

    found: frameworks, each with what a task does on it.
    """
    lines: list[str] = []
    for task in dict.fromkeys(one["task"] for _, one in found):
        of_task = {name: one for name, one in found if one["task"] == task}
        lines.append(task)
        for name, one in of_task.items():
            lines += [f"  {name}", *(f"    {line}" for line in _words(one))]
        lines += [f"  differs: {line}" for line in _differences(of_task)]
    problems = [
        f"  {name} {one['task']}: {_problem(problem)}"
        for name, one in found
        for problem in one["problems"]
    ]
    return "\n".join([*lines, *(["problems", *problems] if problems else ["no problem"])])


def _words(one: Found) -> list[str]:
    if "parameters" not in one:
        return ["not built"]
    sizes = one["parameters"]
    counts = [f"{sizes['parameters']:,} parameters, {sizes['trainable_parameters']:,} trained"]
    for name, title in (("moving_averages", "moving averages"), ("second_biases", "second biases")):
        counts += [f"{sizes[name]:,} {title} counted separately"] if sizes.get(name) else []
    shapes = [f"{name[:-1]} {_shape(one[name])}" for name in ("inputs", "outputs") if one.get(name)]
    execution = []
    if "execution" in one:
        said = " (of its layers)" if "dtype" in (one["declared"] or "") else ""
        compiler = "" if one["compiler"] in ("none", None) else f" by {one['compiler']}"
        execution = [f"computes in {one['dtype']}{said}", f"{one['execution']}{compiler}"]
        batches = one["batches_per_call"]
        execution += [f"{batches} batches per call"] if batches > 1 else []
        changed = one["global_switches"]
        execution += [f"global switches: {changed}"] if changed != "none" else []
    return [", ".join(part) for part in (counts, shapes, execution) if part]


def _shape(structure: Any) -> str:
    return json.dumps(structure, ensure_ascii=False).replace('"', "")


def _differences(of_task: dict[str, Found]) -> list[str]:
    lines = []
    for name, title in COMPARED.items():
        values: dict[str, list[str]] = {}
        for framework, one in of_task.items():
            value = one.get(name)
            value = value["parameters"] if isinstance(value, dict) else value
            if value is not None:
                values.setdefault(str(value), []).append(framework)
        if len(values) > 1:
            told = (f"{value} ({', '.join(names)})" for value, names in values.items())
            lines.append(f"{title}: {'; '.join(told)}")
    return lines


def _problem(problem: dict[str, str]) -> str:
    failure = {name: words for name, words in problem.items() if name != "log"}
    _, reason = ending.of_process(ending.Ending(done=False, exit_code=1, failure=failure))
    return reason + (f"\n{problem['log']}" if problem.get("log") else "")


def main() -> int:
    """Print what a model does on each framework; 1 if there is a problem."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="such as my-models/models/mlp")
    parser.add_argument(
        "--framework", action="append", default=[], help="all with a builder but pytorch-compiled"
    )
    parser.add_argument("--scale", default="smoke", choices=("smoke", "laptop", "paper"))
    options = parser.parse_args()
    plan = or_one_line(planned, options.folder, options.framework, options.scale)
    # JAX and TensorFlow take most of a GPU's memory each.
    at_once = 1 if plan.accelerator == "cuda" else max(1, len(processors.available()) // 2)
    with (
        tempfile.TemporaryDirectory(prefix="millistep-") as scratch,
        jobs.nothing_timed(),
        ThreadPoolExecutor(at_once) as pool,
    ):
        try:
            folders = [Path(scratch, column.name) for column in plan.measurable]
            results = pool.map(tried, repeat(plan), plan.measurable, folders)
            of_columns = zip(plan.measurable, results, strict=True)
            found = [(column.name, one) for column, of in of_columns for one in of]
        except KeyboardInterrupt:
            shutil.rmtree(scratch, ignore_errors=True)
            leave(130)  # the processes end with this one
    for (row, column), reason in plan.unsupported.items():
        print(f"{column.name} {row.task}: not tried: {reason}", file=sys.stderr)
    print(ending.printable(printed(found)))
    return any(one["problems"] for _, one in found)
