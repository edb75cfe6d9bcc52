# Blocks that are measured beside each other, on the nodes of a cluster or in slots of one machine: a
# block is one job then, in which Snakemake is started for its records alone, so that the same rules
# time them, one after the other on one machine.
from planning.block_jobs import BlockJobs

BLOCK = f"{RESULTS}/blocks/{ROW}/round{{run}}.done"
BLOCK_JOBS = BlockJobs(START, JOBS)
# Nodes should not all make the same environments; conda's are Snakemake's to make.
DEPLOYED_BEFORE = START.use_conda or START.on_nodes


rule block:
    """What of a block is not there yet, between two looks at how fast the machine is."""
    input:
        [of.marker for of in PLAN.environments] if DEPLOYED_BEFORE else [],
        BLOCK_JOBS.stale(BLOCK),
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
        **({"runtime": BLOCK_JOBS.minutes(BLOCK)} if START.on_nodes else {}),
        machine_percent=100 // PLAN.slots,
        attempt_no=attempt_no,
        measured=BLOCK_JOBS.columns(BLOCK),
        results=RESULTS,
        slots=PLAN.slots,
        on_node="--on-node" if START.on_nodes else "",
        command=BLOCK_JOBS.snakemake(BLOCK),
    shell:
        program(
            "supervise block",
            "--block {wildcards.scale}/{wildcards.model}/{wildcards.task}"
            "-b{wildcards.batch}/round{wildcards.run} --done {output}"
            " --results {resources.results} --slots {resources.slots} {resources.on_node}"
            " --attempt {resources.attempt_no} -- {resources.command} 2> >(tee {log} >&2)",
        )
