# Blocks that are measured in parallel, on the nodes of a cluster or in slots of one machine: then
# each is one job, which starts Snakemake for the block's records, so that the same rules time them,
# one after the other on one machine.
from planning.block_jobs import BlockJobs

BLOCK = f"{RESULTS}/blocks/{ROW}/round{{run}}.done"
BLOCK_JOBS = BlockJobs(START, JOBS)
# Nodes should not all make the same environments; with conda, Snakemake makes them before all jobs.
DEPLOYED_BEFORE = START.use_conda or START.on_nodes


rule block:
    """Measure the missing runs of a block, between two measurements of the machine's speed."""
    input:
        [of.marker for of in PLAN.environments] if DEPLOYED_BEFORE else [],
        BLOCK_JOBS.stale(BLOCK),
    output:
        BLOCK,
    log:
        f"{RESULTS}/logs/blocks/{ROW}/round{{run}}.log",
    priority: JOBS.priority(BLOCK)
    # If the job was killed as a whole, by a time limit say, the second attempt says so and goes on.
    retries: TRIES_AGAIN
    conda:
        "../../envs/analysis.yaml"
    resources:
        **({"runtime": BLOCK_JOBS.minutes(BLOCK)} if START.on_nodes else {}),
        machine_percent=100 // PLAN.slots,
        attempt_no=lambda wildcards, attempt: attempt,
        command=BLOCK_JOBS.snakemake(BLOCK),
    shell:
        program(
            "supervise block",
            "--block {wildcards.scale}/{wildcards.model}/{wildcards.task}"
            "-b{wildcards.batch}/round{wildcards.run} --done {output}"
            f" --results {RESULTS} --slots {PLAN.slots} {'--on-node' if START.on_nodes else ''}"
            " --attempt {resources.attempt_no} -- {resources.command} 2> >(tee {log} >&2)",
        )
