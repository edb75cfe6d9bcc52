# One rule per environment: measure one run of one cell of the columns that it serves.
#
# Nothing that another job makes is an input here. Snakemake skips the reasons of a job
# whose ancient inputs are about to be made again, so a changed cell would be overlooked.
# Plan and environments have priorities instead, and a run deploys what it lacks.
# The identity is the only param, and so the only reason to measure again: it is all that defines
# the number. The rest are resources, which Snakemake does not compare: limits, names of folders and
# how an environment came about may change without a run being worth less.

MEASURE = program(
    "supervise cell",
    "--identity {params.identity:q}"
    " --deployment {resources.deployment} --definition {resources.definition:q}"
    " --environment {resources.environment} {resources.overlay}"
    " --record {output.record} --log {log} --plan {resources.plan}"
    " --time-limit-s {resources.time_limit_s}"
    " --memory-gib {resources.memory_gib}"
    " --monitor-interpreter {resources.monitor:q}"
    " --attempt {resources.attempt_no} {resources.folders}",
)

for environment in PLAN.environments:
    record = RECORD.replace("{column}", columns_in(environment))

    rule:
        """The record of one run."""
        name:
            f"measure_{environment.word}"
        input:
            partial(newer_than_stale, pattern=RECORD),
        output:
            record=record,
        log:
            f"{RESULTS}/logs/{RUN}.log",
        priority: partial(priority_of_file, pattern=RECORD)
        retries: 1
        conda:
            environment.conda
        resources:
            **timed_run(environment),
        params:
            identity=partial(identity_of_file, pattern=RECORD),
        shell:
            MEASURE
