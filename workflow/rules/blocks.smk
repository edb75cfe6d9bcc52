# Blocks that are measured beside each other, on the nodes of a cluster or in slots of one machine: a
# block is one job then, in which Snakemake is started for its records alone, so that the same rules
# time them, one after the other on one machine.

BLOCK = f"{RESULTS}/blocks/{ROW}/round{{run}}.done"
# What all blocks are told: the plan as it was made here, whatever `auto` is where they are.
PLANNED = f"{RESULTS}/.planned.json"
# Nodes should not all make the same environments; conda's are Snakemake's to make.
DEPLOYED_BEFORE = [environment.marker for environment in PLAN.environments]


OPTIONS = ["--snakefile", str(workflow.main_snakefile), "--configfile", PLANNED]
if USE_CONDA:
    OPTIONS += ["--use-conda"]
    if workflow.deployment_settings.conda_prefix:
        OPTIONS += ["--conda-prefix", str(workflow.deployment_settings.conda_prefix)]


rule block:
    """What of a block is not there yet, between two looks at how fast the machine is."""
    input:
        DEPLOYED_BEFORE if USE_CONDA or ON_NODES else [],
        JOBS.stale_block(BLOCK),
    output:
        BLOCK,
    log:
        f"{RESULTS}/logs/blocks/{ROW}/round{{run}}.log",
    priority: JOBS.priority(BLOCK)
    # A job that was killed as a whole, as by a time limit: its second attempt says so and goes on.
    retries: TRIES_AGAIN
    conda:
        "../../envs/analysis.yaml"
    resources:
        **({"runtime": JOBS.minutes(BLOCK)} if ON_NODES else {}),
        machine_percent=100 // PLAN.slots,
        attempt_no=attempt_no,
        measured=JOBS.columns(BLOCK),
        results=RESULTS,
        slots=PLAN.slots,
        on_node="--on-node" if ON_NODES else "",
        command=JOBS.inner_snakemake(BLOCK, OPTIONS),
    shell:
        program(
            "supervise block",
            "--block {wildcards.scale}/{wildcards.model}/{wildcards.task}"
            "-b{wildcards.batch}/round{wildcards.run} --done {output}"
            " --results {resources.results} --slots {resources.slots} {resources.on_node}"
            " --attempt {resources.attempt_no} -- {resources.command} 2> >(tee {log} >&2)",
        )
