# Blocks: all columns of a row in one round, one after the other in the drawn order, on one machine.
#
# Their records are no output, so Snakemake neither deletes nor dates them: a block finds what is
# there as planned and measures the rest, which is found when Snakemake starts (stale.smk).
# Nor is an input what another job makes, so that the first number waits for its own environment
# alone: a run deploys what it lacks. Conda's environments are Snakemake's to make, and nodes should
# not all make the same: those are there before.

DEPLOYED_BEFORE = []
if USE_CONDA or ON_NODES:
    DEPLOYED_BEFORE = [environment.marker for environment in PLAN.environments]


rule block:
    """What of a block is not there yet, between two looks at how fast the machine is."""
    input:
        DEPLOYED_BEFORE,
        partial(newer_than_stale, pattern=BLOCK),
    output:
        BLOCK,
    log:
        f"{RESULTS}/logs/blocks/{BLOCK_NAME}.log",
    priority: partial(priority_of_file, pattern=BLOCK)
    # A job that was killed as a whole, as by a time limit: its second attempt says so and goes on.
    retries: TRIES_AGAIN
    conda:
        "../../envs/analysis.yaml"
    resources:
        **time_on_a_node(minutes_of_block),
        machine_percent=100 // PLAN.slots,
        attempt_no=attempt_no,
        # This interpreter, which samples the machine from a process of its own.
        monitor=sys.executable,
        envs=(SOURCES / "envs").as_posix(),
        planned=planned_of_block,
        measured=columns_to_measure,
        options=" ".join(["--use-conda"] * USE_CONDA + ["--elsewhere"] * ON_NODES),
    shell:
        program(
            "planning block",
            '--config "$MILLISTEP_CONFIG" --envs {resources.envs:q} {resources.options}'
            " --done {output} --planned {resources.planned}"
            " --attempt {resources.attempt_no} --log {log}"
            " --monitor-interpreter {resources.monitor:q}",
        )
