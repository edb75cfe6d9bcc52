# What all rules share: the configuration, the plan, and where things are.
import json
import shutil
import signal
from hashlib import sha256

from deploy import failures, uv
from deploy.environments import cache, definition_sha256, virtual_prefix
from planning import changes, this_machine, trainings
from planning.bundle import check_portable
from planning.config import (
    Problem,
    lay_over,
    on_the_command_line,
    read_configuration,
    read_yaml,
    results_folder,
)
from planning.plan import Plan
from planning.resolve import put_first_on_path
from planning.sources import content_digest
from supervise.interrupts import end_by_interrupt

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


if workflow.is_main_process:
    # A second one would end Snakemake with a traceback.
    end_by_interrupt([signal.SIGINT])
    if any(Path(".snakemake/locks").glob("*.lock")):
        print(
            "millistep: another snakemake is at work in this folder. If none is, it was killed:"
            " remove its lock with snakemake --unlock (make ARGS=--unlock)",
            file=sys.stderr,
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


# Written by a bundle: what is in results was measured on another machine, and is completed
# there. Here it is drawn as far as it goes.
RESULTS = results_folder(config)
MEASURED_ELSEWHERE = Path(RESULTS, "elsewhere.json")
ELSEWHERE = MEASURED_ELSEWHERE.is_file()
# Of this machine nothing is asked unless it measures: where jobs are sent to nodes, it may lack all.
HERE = not ELSEWHERE and not ON_NODES
PLAN = or_one_line(Plan, config, definition_sha256, SOURCES / "envs", HERE)
TO_MEASURE = {}
if workflow.is_main_process:  # a job on a node was told
    TO_MEASURE = or_one_line(changes.reasons, PLAN, Path())
    for notice in PLAN.notices:
        print(f"millistep: {notice}", file=sys.stderr)
if PLAN.slots > 1 and HERE and workflow.is_main_process:
    # Without a number, as in a dry run, there are as many as wanted.
    if (workflow.resource_settings.cores or PLAN.slots) < PLAN.slots:
        sys.exit(
            f"millistep: slots: {PLAN.slots} blocks at once need --cores {PLAN.slots} or more"
        )
# For the jobs that plan again what they measure: too much for a rule's own lines, and of no
# interest there.
os.environ.update(MILLISTEP_CONFIG=json.dumps(PLAN.config))
if TO_MEASURE:
    print(changes.summary(PLAN, TO_MEASURE, ELSEWHERE), file=sys.stderr)
    # A workflow that uses this one as a module has a profile of its own, or none.
    if "machine_percent" not in workflow.global_resources:
        sys.exit(
            "millistep: without the settings of profiles/default two runs could be timed side by"
            f" side: copy {SOURCES / 'profiles/default'} to profiles/default"
        )

USE_CONDA = "conda" in {str(m) for m in workflow.deployment_settings.deployment_method}
if USE_CONDA and shutil.which("uv"):
    # Snakemake itself runs the post-deploy scripts, and they find uv.
    os.environ.update(uv.variables(Path(sys.executable), cache().with_name("uv")))

# What the analysis runs on, and the marker of its deployment.
ANALYSIS_DEFINITION = SOURCES / "envs/analysis.yaml"
ANALYSIS_ENVIRONMENT = f"{RESULTS}/environments/analysis.json"
ANALYSIS_PYTHON = "python3"  # of the rule's conda environment
if not USE_CONDA:
    ANALYSIS_PYTHON = f"{virtual_prefix('analysis', ANALYSIS_DEFINITION)}/bin/python"

# The analysis is redone when its own code, texts or environment change.
ANALYSIS = "-".join(
    [
        content_digest(
            SOURCES,
            "workflow/analysis",
            "workflow/contract",
            "workflow/schemas",
            "reference",
            "report",
        ),
        definition_sha256(ANALYSIS_DEFINITION),
        # The times of unpacked files say nothing.
        *([sha256(MEASURED_ELSEWHERE.read_bytes()).hexdigest()] if ELSEWHERE else []),
    ]
)

BLOCK_NAME = "{scale}/{model}/{task}-b{batch}/round{run}"
BLOCK = f"{RESULTS}/blocks/{BLOCK_NAME}.done"
KNOWN_STEPS = f"{RESULTS}/self_test/{{scale}}/known_steps.json"


def to_draw(paths):
    """Of these files, those that there will be: all, or what came from elsewhere."""
    return [path for path in paths if not ELSEWHERE or os.path.exists(path)]


# With them come their records; what the report says of the measuring is beside them.
BLOCKS = to_draw(PLAN.by_done)
SELF_TEST = to_draw([PLAN.self_test])


def for_this_machine(wildcards):
    """No input, but the one line for a plan that cannot be measured here: nothing is installed."""
    or_one_line(this_machine.check_device, PLAN)
    return []


def for_any_machine(wildcards):
    """No input, but the one line for a plan that takes something from this machine."""
    or_one_line(check_portable, PLAN)
    return []


def in_other_environments(wildcards):
    """Options of the known steps for the environments that they could be measured in, as JSON.

    None with conda: a rule has the one environment that Snakemake made for it.
    """
    if USE_CONDA:
        return ""
    options = (
        {
            "identity": control.identity,
            "deployment": environment.method(USE_CONDA),
            "definition": environment.definition.as_posix(),
            "environment": environment.marker,
            "overlay": [overlay.source for overlay in environment.overlay],
        }
        for control, environment in PLAN.controls.instead
    )
    return shlex.join(f"--instead={json.dumps(option)}" for option in options)


def priority_of_file(wildcards, pattern):
    """What is timed is timed in the plan's randomised order."""
    return PLAN.order.priorities[planned_file(wildcards, pattern)]


def planned_file(wildcards, pattern):
    path = pattern.format(**wildcards)
    if path not in PLAN.order.priorities:
        raise WorkflowError(f"{path} is not in the plan of this configuration")
    return path


def all_results(wildcards):
    """All that the default target asks for; the archive has no list of its own."""
    return rules.all.input
