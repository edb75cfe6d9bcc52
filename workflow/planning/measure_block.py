"""Measure a block of the plan: what of it is not there yet, on this machine."""

import argparse
import json
import sys
from pathlib import Path

from deploy.environments import definition_sha256, write_atomically
from planning import blocks
from planning.config import ConfigError
from planning.plan import Plan
from supervise import memory, running
from supervise.block import Job, contents
from supervise.interrupts import end_with_snakemake, exit_status
from supervise.planned import Settings


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", required=True, help="the whole configuration, as JSON")
    parser.add_argument("--envs", type=Path, required=True, help="definitions")
    parser.add_argument("--elsewhere", action="store_true", help="planned on another machine")
    parser.add_argument("--done", type=Path, required=True, help="written when all is there")
    parser.add_argument("--planned", required=True, help="digest of the block's runs")
    parser.add_argument("--use-conda", action="store_true", help="conda deployed the environments")
    parser.add_argument("--attempt", type=int, required=True, help="2 after the job was killed")
    parser.add_argument("--log", type=Path, required=True, help="what the canaries print")
    parser.add_argument("--monitor-interpreter", required=True, help="samples the machine")
    options = parser.parse_args()
    end_with_snakemake()
    try:
        return measure(options)
    except ConfigError as error:
        print(f"millistep: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"millistep: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt as end:
        return exit_status(end)


def measure(options: argparse.Namespace) -> int:
    """Exit status: 0 when the block is there."""
    here = not options.elsewhere
    plan = Plan(json.loads(options.config), definition_sha256, options.envs, here)
    block = plan.by_done.get(options.done.as_posix())
    if block is None or block.identity != options.planned:
        print(
            f"millistep: {options.done}: what it holds was changed since the plan; run snakemake"
            " again",
            file=sys.stderr,
        )
        return 1
    asked = blocks.asked(plan, block, options.use_conda, options.log)
    settings = settings_of(plan, options.monitor_interpreter)
    if not Job(asked, settings, options.attempt).measure():
        return 1
    write_atomically(options.done, contents(asked))
    return 0


def settings_of(plan: Plan, monitor_interpreter: str) -> Settings:
    """What all its blocks share."""
    results = Path(plan.results)
    alone = plan.here and plan.slots == 1  # then its lines need no place
    return Settings(
        results=results,
        plan=results / "plan.json",
        time_limit_s=plan.time_limit_s,
        memory_gib=memory_gib(plan),
        folders=tuple(plan.config["folders"]),
        accelerators=tuple(plan.accelerators),
        device=plan.config["device"],
        monitor_interpreter=monitor_interpreter,
        slots=plan.slots,
        divide=plan.here,
        lines=None if alone else results / running.FOLDER,
    )


def memory_gib(plan: Plan) -> str:
    """Of one run, in the words of the configuration: those at once share what there is."""
    if plan.memory_gib != "auto" or plan.slots == 1 or not plan.here:
        return plan.memory_gib
    return str(memory.limit_mib("auto") / 1024 / plan.slots)
