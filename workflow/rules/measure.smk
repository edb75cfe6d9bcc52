# One rule per framework: measure one run of one cell in the framework's environment.
#
# Nothing that another job makes is an input here. Snakemake skips the reasons of a job
# whose ancient inputs are about to be made again, so a changed cell would be overlooked.
# Plan and environments have priorities instead, and a run deploys what it lacks.


MEASURE = (
    "python3 -s {input.harness} --identity {params.identity:q}"
    " --deployment {resources.deployment} --definition {resources.definition}"
    " --environment {resources.environment}"
    " --record {output.record} --log {log} --plan results/plan.json"
    " --time-limit-s {resources.time_limit_s}"
    " --memory-limit-mib {resources.memory_limit_mib}"
    " --monitor-interpreter {resources.monitor:q}"
    " --attempt {resources.attempt_no} {resources.folders}"
)
for framework in PLAN.frameworks:
    record = RECORD.replace("{framework}", framework.name)

    rule:
        """The record of one run."""
        name:
            f"measure_{framework.module}"
        input:
            partial(newer_than_stale, pattern=record),
            harness=ancient("workflow/run_cell.py"),
        output:
            record=record,
        log:
            record.replace("records", "logs").replace(".json", ".log"),
        priority: partial(priority_of_file, pattern=record)
        retries: 1
        conda:
            PLAN.environment_of(framework).conda
        resources:
            machine_percent=100,
            attempt_no=attempt_no,
            deployment=PLAN.environment_of(framework).method(USE_CONDA),
            definition=PLAN.environment_of(framework).definition.as_posix(),
            environment=PLAN.environment_of(framework).marker,
            time_limit_s=PLAN.time_limit_s,
            memory_limit_mib=PLAN.memory_limit_mib,
            folders=PLAN.folder_options,
            # This interpreter, which samples the machine from a process of its own.
            monitor=sys.executable,
        params:
            identity=partial(identity_of_file, pattern=record),
        shell:
            MEASURE
