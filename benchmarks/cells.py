"""Cells for the benchmarks: planned from the shipped configuration, each with its interpreter."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "workflow"))


def parser(description, scale):
    """Options that choose cells; ``--inside`` is for the script's own second process."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument("--scale", default=scale)
    for name in ("--models", "--columns", "--tasks"):
        options.add_argument(name, nargs="*")
    options.add_argument("--inside", help="used by this script itself")
    return options


def planned(scale, models=None, columns=None, tasks=None, **changes):
    """``(plan, runs)``: the first run of each wanted cell, by the path of its record."""
    import yaml

    from deploy.environments import definition_sha256
    from planning.plan import Plan

    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    plan = Plan({**config, "scale": scale, "runs": 1, **changes}, definition_sha256, ROOT / "envs")
    wanted = [
        run
        for run in sorted(plan.runs, key=lambda run: run.record)
        if (not models or run.row.model in models)
        and (not columns or run.column.name in columns)
        and (not tasks or run.row.task in tasks)
    ]
    return plan, wanted


def takers(setting):
    """Names of the frameworks that take a setting."""
    from planning.frameworks import frameworks

    return [name for name, about in frameworks([]).items() if setting in dict(about.settings)]


def environment_of(plan, run):
    """The marker of a run's environment, which is deployed now where it is not yet."""

    environment = plan.environment_of(run.column)
    marker = ROOT / "results/environments/benchmark" / f"{environment.name}.json"
    deploy = [sys.executable, str(ROOT / "workflow/deploy"), "--method", "venv"]
    deploy += ["--name", environment.name, "--definition", str(environment.definition)]
    subprocess.run([*deploy, "--marker", str(marker)], check=True, cwd=ROOT)
    return json.loads(marker.read_text())


def interpreter(plan, run):
    """The Python of a run's environment."""
    return environment_of(plan, run)["interpreter"]


def last_line_inside(plan, run, script):
    """What a benchmark prints last when it runs itself in the environment of a run."""
    command = [interpreter(plan, run), "-s", script, "--inside", run.identity]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.splitlines()[-1] if done.returncode == 0 else done.stderr[-300:]


def title(run):
    """For example ``bert fit b8 keras3-jax``."""
    return f"{run.row.model} {run.row.task} b{run.row.batch_size} {run.column.name}"


def ms_per_step(run, record):
    """Of a run that is ok; another one ends the benchmark with its reason."""
    if record["status"] != "ok":
        sys.exit(f"{title(run)}: {record['status']}: {record['reason']}")
    return reported_ms(record)


def reported_ms(record):
    """Of a step, by all blocks together, None where none was timed."""
    blocks = (record["timing"] or {}).get("blocks")
    if not blocks:
        return None
    return sum(b["elapsed_ns"] for b in blocks) / sum(b["steps"] for b in blocks) / 1e6


def framework_of(identity):
    """Inside an environment: the framework of an identity, pinned as a run would be."""
    import os

    from measure import frameworks
    from supervise.parent import CELL_FIELDS
    from supervise.processors import pinned

    os.sched_setaffinity(0, pinned(identity["threads"]))
    facts = {name: identity[name] for name in CELL_FIELDS if name in identity}
    return frameworks.create(frameworks.Cell(**facts))
