# What is timed: a job for each run of a cell, of a rule for each column, in the environment of the
# column; canaries before and after each block, which is all columns of a row in a round.
#
# All take the whole machine, so that nothing is timed beside something else, in the order of their
# priorities. There is no input that another job makes: a run deploys what it lacks, so that the
# first number waits for its own environment alone.
from planning.identity import entries as sources_of_cell
from snakemake.io import IOFile


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
    " --deployment {resources.deployment} --definition {resources.definition:q}"
    " --environment {resources.environment} {resources.overlay}"
    " --memory-gib {resources.memory_gib} --attempt {resources.attempt_no} --log {log}"
    " --monitor-interpreter {resources.monitor:q}"
)
IN_BLOCK_OF = (
    " --results {resources.results} --around {resources.around}"
    " --device {resources.device:q}"
)


@cached
def now():
    """Records that are measured by this start: those that have to be, and what -R asks for."""
    asked, every = {*workflow.dag_settings.forcerun}, workflow.dag_settings.forceall
    return {*TO_MEASURE} | {
        path
        for path, run in PLAN.timed.items()
        if every or asked and {path, run.column.rule} & asked
    }


@cached
def blocks_now():
    """Files of their blocks."""
    return {PLAN.block_of[path].path for path in now()}


@cached
def can_be_timed_here():
    """Or the end with one line; asked where something is to be timed, of thousands of jobs once."""
    or_one_line(this_machine.check_device, PLAN)
    or_one_line(this_machine.check_processors, PLAN)


def make_again(path):
    """Have Snakemake run the job of a file that it would take for up to date."""
    workflow.dag.forcefiles.add(path)


def stale_record(wildcards, pattern):
    """No input; but what Snakemake cannot see of a record, it is told.

    It knows the identity only where it made the record itself, and does not make what is missing
    while all that was made from it is there.
    """
    path = planned_file(wildcards, pattern)
    if path in now():
        can_be_timed_here()
    if path in TO_MEASURE:
        if os.path.lexists(path):
            made_with = workflow.persistence.params(IOFile(path))
            seen = made_with and made_with != [repr(PLAN.timed[path].identity)]
        else:
            seen = not os.path.exists(PLAN.block_of[path].path)
        if not seen:
            make_again(path)
    return []


def around_block(wildcards, pattern):
    return PLAN.block_of[planned_file(wildcards, pattern)].around


def identity_of_run(wildcards, pattern):
    return PLAN.timed[planned_file(wildcards, pattern)].identity


def sources_of_run(wildcards, pattern):
    """Options of its command, which measures nothing where they were changed meanwhile."""
    found = PLAN.timed[planned_file(wildcards, pattern)]
    files = sources_of_cell(PLAN, found.row, found.column)
    return shlex.join(f"--source={file}" for file in files)


RECORD = f"{RESULTS}/records/{ROW}/{{column}}/run{{run}}.json"
AGAIN = f"{RESULTS}/self_test/{ROW}/{{column}}/run{{run}}.json"
TIMED = [(column.rule, column, RECORD, ROW) for column in PLAN.measurable]
TIMED += [
    ("time_again", column, AGAIN, f"self_test/{ROW}")
    for column in {run.column: None for run in PLAN.controls.again}
]

for name, column, record, logs in TIMED:

    rule:
        """A run of a cell: one process, one record."""
        name:
            name
        input:
            partial(stale_record, pattern=record),
        output:
            # What was measured stays where a run could not begin.
            update(record),
        log:
            f"{RESULTS}/logs/{logs}/{{column}}/run{{run}}.log",
        wildcard_constraints:
            column=re.escape(column.name),
        priority: partial(priority_of_file, pattern=record)
        # A supervisor that was killed itself: the second attempt says so.
        retries: TRIES_AGAIN
        conda:
            PLAN.environment_of(column).conda
        resources:
            **timed(PLAN.environment_of(column)),
            around=partial(around_block, pattern=record),
            plan=f"{RESULTS}/plan.json",
            time_limit_s=str(PLAN.time_limit_s),
            folders=PLAN.folder_options,
            sources=partial(sources_of_run, pattern=record),
        params:
            identity=partial(identity_of_run, pattern=record),
        shell:
            program(
                "supervise cell",
                "--record {output} --identity {params.identity:q} --plan {resources.plan}"
                " --time-limit-s {resources.time_limit_s} {resources.folders}"
                " {resources.sources}"
                + IN_ENVIRONMENT
                + IN_BLOCK_OF,
            )


def records_before(wildcards, pattern):
    """The canary after a block follows its runs; of a block that is not measured now it stays."""
    path = planned_file(wildcards, pattern)
    found = PLAN.block_of[path]
    if found.path not in blocks_now():
        return []
    if os.path.exists(path):
        make_again(path)
    after = path in found.canaries(sitting.AFTER)
    return [run.record for run in found.runs] if after else []


for kind, canaries in PLAN.controls.canaries.items():

    CANARY = f"{RESULTS}/blocks/{ROW}/round{{run}}/{{when}}-{kind}.json"

    rule:
        """Fixed work: how fast the machine is, before and after a block."""
        name:
            f"canary_{kind}"
        input:
            partial(records_before, pattern=CANARY),
        output:
            update(CANARY),  # with those of earlier sittings
        log:
            f"{RESULTS}/logs/blocks/{ROW}/round{{run}}/{{when}}-{kind}.log",
        wildcard_constraints:
            when=f"{sitting.BEFORE}|{sitting.AFTER}",
        priority: partial(priority_of_file, pattern=CANARY)
        retries: TRIES_AGAIN
        conda:
            PLAN.controls.environment(kind).conda
        resources:
            **timed(PLAN.controls.environment(kind)),
            around=partial(around_block, pattern=CANARY),
            accelerators=" ".join(PLAN.accelerators),
            identity=canaries[0].identity,
            instead=PLAN.controls.canary_instead(kind, USE_CONDA),
        shell:
            program(
                "supervise canary",
                "--output {output} --identity {resources.identity:q} --when {wildcards.when}"
                " --block {wildcards.scale}/{wildcards.model}/{wildcards.task}"
                "-b{wildcards.batch}/round{wildcards.run}"
                " --accelerators {resources.accelerators} {resources.instead}"
                + IN_ENVIRONMENT
                + IN_BLOCK_OF,
            )
