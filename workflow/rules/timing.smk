# Everything that is timed: runs, each a job, by one rule for each column, in its environment; and
# canaries before and after each block, which is all columns of a row in a round.
#
# All jobs take the whole machine, in the order of their priorities, so that nothing is timed beside
# something else. No input is made by another job: a run deploys its environment if that is missing,
# so that the first number waits for its own environment alone.


RECORD = f"{RESULTS}/records/{ROW}/{{column}}/run{{run}}.json"
AGAIN = f"{RESULTS}/self_test/{ROW}/{{column}}/run{{run}}.json"
TIMED = [(column.rule, column, RECORD, ROW) for column in PLAN.measurable]
TIMED += [
    (PLAN.controls.AGAIN_RULE, column, AGAIN, f"self_test/{ROW}")
    for column in {run.column: None for run in PLAN.controls.again}
]

for name, column, record, logs in TIMED:

    rule:
        """Measure one run of a cell: one process, one record."""
        name:
            name
        input:
            JOBS.stale_record(record),
        output:
            # Update: an earlier record stays if the run could not begin.
            update(record),
        log:
            f"{RESULTS}/logs/{logs}/{{column}}/run{{run}}.log",
        wildcard_constraints:
            column=re.escape(column.name),
        priority: JOBS.priority(record)
        # If the supervisor itself was killed, the second attempt says so.
        retries: TRIES_AGAIN
        conda:
            PLAN.environment_of(column).conda
        resources:
            **timed(
                PLAN.environment_of(column),
                PLAN.options_of_cells,
                of_job=JOBS.measured_by(record),
            ),
        params:
            identity=JOBS.identity(record),
        shell:
            program(
                "supervise cell",
                "--record {output} --identity {params.identity:q}",
                IN_ENVIRONMENT,
            )


for kind in PLAN.accelerators:

    CANARY = f"{RESULTS}/blocks/{ROW}/round{{run}}/{{when}}-{kind}.json"

    rule:
        """Measure how fast the machine is, by fixed work, before or after a block."""
        name:
            f"canary_{kind}"
        input:
            JOBS.stale_canary(CANARY),
        output:
            update(CANARY),  # it also holds the canaries of earlier sittings
        log:
            f"{RESULTS}/logs/blocks/{ROW}/round{{run}}/{{when}}-{kind}.log",
        wildcard_constraints:
            when="before|after",
        priority: JOBS.priority(CANARY)
        retries: TRIES_AGAIN
        conda:
            PLAN.controls.environment(kind).conda
        resources:
            **timed(
                PLAN.controls.environment(kind),
                PLAN.controls.options_of_canary(kind, START.use_conda),
                of_job=JOBS.in_block(CANARY),
            ),
        shell:
            program(
                "supervise canary",
                "--output {output} --when {wildcards.when}"
                " --block {wildcards.scale}/{wildcards.model}/{wildcards.task}"
                "-b{wildcards.batch}/round{wildcards.run}",
                IN_ENVIRONMENT,
            )
