# SLURM: a submission per workload and round. Its job starts Snakemake on its node for the group's
# records, so the same rules measure them there.

DONE = f"{RESULTS}/reference/{ROW}/round{{run}}.done"


rule submission:
    """Measure the missing runs of a workload and round on one node."""
    input:
        # Nodes should not all install the same environments. A node that has its own writes the
        # marker again, which changes no run.
        ancient([environment.marker for environment in PLAN.environments]),
        JOBS.stale_group(DONE),
    output:
        touch(DONE),
    log:
        f"{RESULTS}/logs/cluster/{ROW}/round{{run}}.log",
    priority: JOBS.priority(DONE)
    # If the job was killed as a whole, for example by a time limit, the second one goes on.
    retries: TRIES_AGAIN
    conda:
        "../../envs/analysis.yaml"
    resources:
        runtime=JOBS.minutes(DONE),
        machine_percent=100,
        command=JOBS.command(DONE),
    shell:
        "{resources.command} 2> >(tee {log} >&2)"
