# Everything that is timed: runs, by one rule for each column in its environment; and the reference
# workload before each round, or on a cluster before each workload's part of a round.
#
# The runs of a workload and round are resident together and timed in turns: their jobs occupy no
# core, and each takes its share of machine_percent. Only the holder of the machine's lock computes.
# Jobs start in the order of their priorities. A run installs its environment if it is missing.

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
            # Update: an interrupt does not remove an earlier record.
            update(record),
        log:
            f"{RESULTS}/logs/{logs}/{{column}}/run{{run}}.log",
        wildcard_constraints:
            column=re.escape(column.name),
        priority: JOBS.priority(record)
        # If the supervisor itself was killed, the second attempt records that.
        retries: TRIES_AGAIN
        conda:
            PLAN.environment_of(column).conda
        threads: 0
        resources:
            **COMMANDS.cell(column, JOBS.in_turns(record)),
        params:
            identity=JOBS.identity(record),
        shell:
            measured("cell", "--record {output} --identity {params.identity:q}")


for kind in PLAN.accelerators:

    REFERENCE = f"{RESULTS}/reference/{ROW}/round{{run}}-{kind}.json"

    rule:
        """Measure how fast the machine is, by fixed work."""
        name:
            f"reference_{kind}"
        input:
            JOBS.stale_reference(REFERENCE),
        output:
            REFERENCE,
        log:
            f"{RESULTS}/logs/reference/{ROW}/round{{run}}-{kind}.log",
        priority: JOBS.priority(REFERENCE)
        retries: TRIES_AGAIN
        conda:
            PLAN.controls.references[kind].environment.conda
        threads: 0
        resources:
            **COMMANDS.reference(kind, JOBS.around(REFERENCE)),
        shell:
            measured("reference", "--output {output}")
