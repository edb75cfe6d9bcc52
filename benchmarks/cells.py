"""Cells for the benchmarks, planned from the shipped configuration, each with its interpreter."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def parser(description, scale):
    """Return options that choose cells; ``--inside`` is for the script's own second process."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument("--scale", default=scale)
    for name in ("--models", "--columns", "--tasks"):
        options.add_argument(name, nargs="*")
    options.add_argument(
        "--interpreter",
        type=interpreter,
        action="append",
        default=[],
        metavar="NAME=PATH",
        help="the Python of a framework, where environments cannot be made",
    )
    options.add_argument("--inside", help="used by this script itself")
    return options


def asked(options, inside):
    """Return the options of a benchmark; in its second process, which runs in the environment of a
    cell, print what `inside` returns for what it is given, and end, whatever the framework still
    does.
    """
    found = options.parse_args()
    if found.inside:
        print(f"\n{inside(json.loads(found.inside))}", flush=True)
        os._exit(0)
    return found


def interpreter(text):
    """Return the name and path of an option NAME=PATH."""
    name, _, path = text.partition("=")
    if not (name and path):
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=PATH")
    return name, path


def planned(scale, models=None, columns=None, tasks=None, **changes):
    """Return ``(plan, runs)``: the first run of each wanted cell, by the path of its record."""
    import yaml

    from millistep.planning.plan import Plan

    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    plan = Plan({**config, "scale": scale, "runs": 1, **changes})
    wanted = [
        run
        for run in sorted(plan.runs, key=lambda run: run.record)
        if (not models or run.row.model in models)
        and (not columns or run.column.name in columns)
        and (not tasks or run.row.task in tasks)
    ]
    return plan, wanted


def takers(setting):
    """Return names of the frameworks that take a setting."""
    from millistep.planning.catalog import frameworks

    return [name for name, about in frameworks([]).items() if setting in about.own]


def environment_of(plan, run):
    """Return the marker of a run's environment, which is installed first if it is missing."""

    environment = plan.environment_of(run.column)
    marker = ROOT / "results/environments/benchmark" / f"{environment.name}.json"
    method = environment.wanted(use_conda=False)["method"]
    deploy = [sys.executable, str(ROOT / "workflow"), "deploy", "--method", method]
    deploy += ["--name", environment.name, "--definition", str(environment.definition)]
    if environment.interpreter:
        deploy += ["--interpreter", environment.interpreter]
    subprocess.run([*deploy, "--marker", str(marker)], check=True, cwd=ROOT)
    return json.loads(marker.read_text())


def last_line_inside(plan, run, script):
    """Return the last line that a benchmark prints when it runs itself in a run's environment."""
    python = environment_of(plan, run)["interpreter"]
    command = [python, "-s", script, "--inside", run.identity]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.splitlines()[-1] if done.returncode == 0 else done.stderr[-300:]


def title(run):
    """Return the name of a run, for example ``bert fit b8 keras3-jax``."""
    return f"{run.row.model} {run.row.task} b{run.row.batch_size} {run.column.name}"


def reported_ms(record):
    """Return ms/step over all windows together; None if none was timed."""
    from millistep.supervise.record import step_ms

    return step_ms(record) if (record["timing"] or {}).get("windows") else None


def framework_of(identity):
    """Return the framework of an identity, inside its environment, pinned as a run would be."""
    from millistep.measure import frameworks
    from millistep.supervise.parent import cell
    from millistep.supervise.processors import pinned

    os.sched_setaffinity(0, pinned(identity["threads"]))
    return frameworks.create(frameworks.Cell(**cell(identity)))
