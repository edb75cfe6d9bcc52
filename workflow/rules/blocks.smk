# Blocks that are measured beside each other, on the nodes of a cluster or in slots of one machine: a
# block is one job then, in which Snakemake is started for its records alone, so that the same rules
# time them, one after the other on one machine.

BLOCK = f"{RESULTS}/blocks/{ROW}/round{{run}}.done"
# What all blocks are told: the plan as it was made here, whatever `auto` is where they are.
PLANNED = f"{RESULTS}/.planned.json"
# Nodes should not all make the same environments; conda's are Snakemake's to make.
DEPLOYED_BEFORE = [environment.marker for environment in PLAN.environments]


def stale_block(wildcards):
    path = planned_file(wildcards, BLOCK)
    if PLAN.block_of[path].path in blocks_now():
        can_be_timed_here()
        if os.path.exists(path):
            make_again(path)
    return []


def minutes_of_block(wildcards):
    """At most, with what starts and deploys: each run has its limit and is started."""
    runs = [run for run in PLAN.block_of[planned_file(wildcards, BLOCK)].runs if run.record in now()]
    return 10 + round(len(runs) * (PLAN.time_limit_s + 60) / 60)


def columns_to_measure(wildcards):
    """The runs of a block that are not there as planned, for who reads a dry run."""
    words = [
        run.column.name if run.record in PLAN.by_record else f"{run.column.name}:again"
        for run in PLAN.block_of[planned_file(wildcards, BLOCK)].runs
        if run.record in now()
    ]
    return " ".join(words) or "nothing"


def inner_snakemake(wildcards):
    """The command, for the block's records and the canaries around them."""
    found = PLAN.block_of[planned_file(wildcards, BLOCK)]
    command = [sys.executable, "-m", "snakemake", "--nolock", "--cores", "1", "--quiet", "all"]
    command += ["--snakefile", str(workflow.main_snakefile), "--configfile", PLANNED]
    # As in profiles/default; that of the caller may send jobs to nodes.
    command += ["--profile", "none", "--workflow-profile", "none", "--scheduler", "greedy"]
    command += ["--rerun-triggers", "mtime", "params", "--rerun-incomplete", "--keep-going"]
    command += ["--show-failed-logs", "--resources", "machine_percent=100"]
    if USE_CONDA:
        prefix = workflow.deployment_settings.conda_prefix
        command += ["--use-conda", *(["--conda-prefix", str(prefix)] if prefix else [])]
    return shlex.join([*command, "--", *found.files])


rule block:
    """What of a block is not there yet, between two looks at how fast the machine is."""
    input:
        DEPLOYED_BEFORE if USE_CONDA or ON_NODES else [],
        stale_block,
    output:
        BLOCK,
    log:
        f"{RESULTS}/logs/blocks/{ROW}/round{{run}}.log",
    priority: partial(priority_of_file, pattern=BLOCK)
    # A job that was killed as a whole, as by a time limit: its second attempt says so and goes on.
    retries: TRIES_AGAIN
    resources:
        machine_percent=100 // PLAN.slots,
        attempt_no=attempt_no,
        measured=columns_to_measure,
        results=RESULTS,
        slots=PLAN.slots,
        on_node="--on-node" if ON_NODES else "",
        command=inner_snakemake,
        **({"runtime": minutes_of_block} if ON_NODES else {}),
    shell:
        program(
            "supervise block",
            "--block {wildcards.scale}/{wildcards.model}/{wildcards.task}"
            "-b{wildcards.batch}/round{wildcards.run} --done {output}"
            " --results {resources.results} --slots {resources.slots} {resources.on_node}"
            " --attempt {resources.attempt_no} -- {resources.command} 2> >(tee {log} >&2)",
        )
