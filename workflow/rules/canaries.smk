# Canaries: fixed work before the first round, between rounds and after the last.
#
# Their priorities lie between those of the rounds. As for runs, nothing that a job makes is
# an input, and a canary that fails is a file that says so.

CHECKED_IN = PLAN.environment_of(PLAN.checks.framework)


rule canary:
    """How fast the machine is now: matrix products, a copy in memory, a Python loop."""
    input:
        partial(newer_than_stale, pattern=CANARY),
        program=ancient("workflow/run_canary.py"),
    output:
        CANARY,
    log:
        "results/logs/canaries/{scale}/{k}.log",
    priority: partial(priority_of_file, pattern=CANARY)
    retries: 1
    conda:
        CHECKED_IN.conda
    resources:
        machine_percent=100,
        attempt_no=attempt_no,
        deployment=CHECKED_IN.method(USE_CONDA),
        definition=CHECKED_IN.definition.as_posix(),
        environment=CHECKED_IN.marker,
        memory_limit_mib=PLAN.memory_limit_mib,
    params:
        identity=partial(identity_of_file, pattern=CANARY),
    shell:
        "python3 -s {input.program} --identity {params.identity:q}"
        " --deployment {resources.deployment} --definition {resources.definition}"
        " --environment {resources.environment} --log {log} --output {output}"
        " --memory-limit-mib {resources.memory_limit_mib} --attempt {resources.attempt_no}"
