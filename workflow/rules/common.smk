# What all rules share: the configuration, the plan, where things are, and how programs are called.
import gc
import json
import os
import re
import shutil
import signal
from hashlib import sha256

from deploy import bare, failures, uv
from deploy.environments import cache, definition_sha256, virtual_prefix
from planning import changes, executor, trainings
from planning.bundle import check_portable
from planning.config import (
    Problem,
    lay_over,
    on_the_command_line,
    read_configuration,
    read_yaml,
    results_folder,
)
from planning.jobs import Jobs
from planning.plan import Plan
from planning.resolve import put_first_on_path
from supervise import block, sitting
from supervise.interrupts import end_by_interrupt
from supervise.sources import content_digest

# What is imported and planned stays until Snakemake ends: looking for garbage among it took a tenth
# of a start with nothing to do.
gc.freeze()
gc.set_threshold(50_000)

# What cannot be deployed is tried once by all that this start runs.
STARTED_NS = failures.begin()
# Rules without an environment of their own run on the interpreter that runs Snakemake; the
# analysis has one.
put_first_on_path(Path(sys.executable).parent)


def or_one_line(function, *arguments):
    """What the function returns, or the end with the one line that the user needs."""
    try:
        return function(*arguments)
    except Problem as problem:
        sys.exit(f"millistep: {problem}")


def tell(line):
    print(f"millistep: {line}", file=sys.stderr)


# Snakemake was started by the job of a block, for its records, and says nothing else.
IN_BLOCK = workflow.is_main_process and sitting.SHARE in os.environ
if workflow.is_main_process:
    # A second one would end Snakemake with a traceback.
    end_by_interrupt([signal.SIGINT])
    sitting.begin()
    if any(Path(".snakemake/locks").glob("*.lock")) and not IN_BLOCK:
        tell(
            "another snakemake is at work in this folder. If none is, it was killed: remove its lock"
            " with snakemake --unlock (make ARGS=--unlock)"
        )
if set("{}") & set(os.getcwd()):
    sys.exit(
        f"millistep: {os.getcwd()}: Snakemake cannot work in a folder with a brace in its path"
    )

# A configuration is complete in itself, whether --configfile names it or a workflow of which this
# one is a module. Snakemake would merge it into the default one, mapping by mapping, and add the
# models of one to those of the other.
CONFIG = "config/config.yaml"
if not workflow.modifier.skip_configfile:
    if not workflow.configfiles:
        or_one_line(read_configuration, CONFIG)

        configfile: CONFIG

    lay_over(config, on_the_command_line(workflow.config_settings.config_args))


RESULTS = results_folder(config)
# Written by a bundle: what is in results was measured on another machine, and is completed
# there. Here it is drawn as far as it goes.
MEASURED_ELSEWHERE = Path(RESULTS, "elsewhere.json")
ELSEWHERE = MEASURED_ELSEWHERE.is_file()
# Jobs are sent to the nodes of a cluster. Without a number of jobs at once there is no other
# executor; with one there may be none.
ON_NODES = workflow.remote_exec or (
    workflow.resource_settings.nodes is not None and executor.asked() != "local"
)
# Of this machine nothing is asked unless it measures what was planned here.
HERE = not (ELSEWHERE or ON_NODES or block.ON_NODE in os.environ)
PLAN = or_one_line(Plan, config, definition_sha256, SOURCES / "envs", HERE)
# Blocks that are measured beside each other are a job each: see rules/blocks.smk.
BESIDE = not ELSEWHERE and (ON_NODES or PLAN.slots > 1)
USE_CONDA = "conda" in {str(m) for m in workflow.deployment_settings.deployment_method}
if USE_CONDA and shutil.which("uv"):
    # Snakemake itself runs the post-deploy scripts, and they find uv.
    os.environ.update(uv.variables(Path(sys.executable), cache().with_name("uv")))

TO_MEASURE = {}
if workflow.is_main_process:  # a job on a node was told
    TO_MEASURE = changes.reasons(PLAN)
if workflow.is_main_process and not IN_BLOCK:
    for notice in PLAN.notices:
        tell(notice)
    for path, reason in changes.unreadable(TO_MEASURE):
        tell(f"{path} {reason}; it is set aside, and measured again")
    if summary := changes.summary(PLAN, TO_MEASURE, ELSEWHERE):
        print(summary, file=sys.stderr)
    # Without a number, as in a dry run, there are as many as wanted.
    if HERE and (workflow.resource_settings.cores or PLAN.slots) < PLAN.slots:
        sys.exit(
            f"millistep: slots: {PLAN.slots} blocks at once need --cores {PLAN.slots} or more"
        )
    # A workflow that uses this one as a module has a profile of its own, or none.
    if TO_MEASURE and "machine_percent" not in workflow.global_resources:
        sys.exit(
            "millistep: without the settings of profiles/default two runs could be timed side by"
            f" side: copy {SOURCES / 'profiles/default'} to profiles/default"
        )

JOBS = Jobs(PLAN, TO_MEASURE, workflow)
ROW = "{scale}/{model}/{task}-b{batch}"
KNOWN_STEPS = f"{RESULTS}/self_test/{{scale}}/known_steps.json"


def to_draw(paths):
    """Of these files, those that there will be: all, or what came from elsewhere."""
    return [path for path in paths if not ELSEWHERE or os.path.exists(path)]


# What the tables are made of. Where a block is one job, its records are that job's affair.
RECORDS = [] if BESIDE else to_draw(PLAN.records)
BLOCKS = to_draw(each.path for each in PLAN.blocks)
SELF_TEST = to_draw([PLAN.self_test])
TRIES_AGAIN = (
    1 if workflow.is_main_process else 0
)  # a job on a node starts Snakemake once more


def verbatim(text):
    """A param as it is: in a plain text Snakemake would take {this} for a wildcard."""

    def as_it_is(wildcards):
        return text

    return as_it_is


def program(name, *options):
    """The command of a folder of the sources that is a program, or of a part of it.

    Without a shell between Snakemake and what ends with it.
    """
    folder, *part = name.split()
    return " ".join(["exec python3 -s", f"{WORKFLOW}/{folder}", *part, *options])


def conda(environment):
    """What conda makes for a rule; see :mod:`deploy.bare`. Nothing where an interpreter is given."""
    if environment.conda is None or not USE_CONDA:
        return environment.conda
    return bare.definition(
        environment.definition, Path(".snakemake/millistep")
    ).as_posix()


def attempt_no(wildcards, attempt):
    """A supervisor that was killed itself: its second attempt says so and goes on."""
    return attempt


def all_results(wildcards):
    """All that the default target asks for; the archive has no list of its own."""
    return rules.all.input


def for_any_machine(wildcards):
    """No input, but the one line for a plan that takes something from this machine."""
    or_one_line(check_portable, PLAN)
    return []


def timed(environment):
    """Resources of every job that times something in an environment.

    They are no reason to measure again: the identity, a rule's only param, holds all that is.
    """
    return {
        "machine_percent": 100,
        "attempt_no": attempt_no,
        "deployment": environment.method(USE_CONDA),
        "definition": environment.definition.as_posix(),
        "environment": environment.marker,
        "overlay": environment.overlay_options,
        "memory_gib": PLAN.memory_gib,
        "results": RESULTS,
        "device": str(PLAN.config["device"]),
        # This interpreter, which samples the machine from a process of its own.
        "monitor": sys.executable,
    }


IN_ENVIRONMENT = (
    "--deployment {resources.deployment} --definition {resources.definition:q}"
    " --environment {resources.environment} {resources.overlay}"
    " --memory-gib {resources.memory_gib} --attempt {resources.attempt_no} --log {log}"
    " --monitor-interpreter {resources.monitor:q}"
)
IN_BLOCK_OF = (
    "--results {resources.results} --around {resources.around}"
    " --device {resources.device:q}"
)
