# The self-test: how well this very measuring measures, printed beside its results.

for framework in PLAN.checks.same_cell_frameworks:
    environment = PLAN.environment_of(framework)

    rule same_cell_again:
        """A run of one cell under a second name, next to the run under its first."""
        input:
            partial(newer_than_stale, pattern=AGAIN),
            harness=ancient("workflow/run_cell.py"),
        output:
            record=AGAIN,
        log:
            AGAIN.replace("results", "results/logs").replace(".json", ".log"),
        priority: partial(priority_of_file, pattern=AGAIN)
        retries: 1
        conda:
            environment.conda
        resources:
            machine_percent=100,
            attempt_no=attempt_no,
            deployment=environment.method(USE_CONDA),
            definition=environment.definition.as_posix(),
            environment=environment.marker,
            time_limit_s=PLAN.time_limit_s,
            memory_limit_mib=PLAN.memory_limit_mib,
            folders=PLAN.folder_options,
            monitor=sys.executable,
        params:
            identity=partial(identity_of_file, pattern=AGAIN),
        shell:
            MEASURE


rule known_steps:
    """Steps of known duration, and a step of known work with and without the monitor."""
    input:
        partial(newer_than_stale, pattern=KNOWN_STEPS),
        program=ancient("workflow/run_known_steps.py"),
    output:
        KNOWN_STEPS,
    log:
        "results/logs/self_test/{scale}/known_steps.log",
    priority: partial(priority_of_file, pattern=KNOWN_STEPS)
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
        monitor=sys.executable,
    params:
        identity=partial(identity_of_file, pattern=KNOWN_STEPS),
    shell:
        "python3 -s {input.program} --identity {params.identity:q}"
        " --deployment {resources.deployment} --definition {resources.definition}"
        " --environment {resources.environment} --log {log} --output {output}"
        " --monitor-interpreter {resources.monitor:q}"
        " --memory-limit-mib {resources.memory_limit_mib} --attempt {resources.attempt_no}"


rule self_test:
    """The parts of the self-test in one file."""
    input:
        program="workflow/write_self_test.py",
        known_steps=PLAN.checks.known_steps.path,
        first=[PLAN.runs[run.position].record for run in PLAN.checks.again],
        second=[run.record for run in PLAN.checks.again],
    output:
        PLAN.self_test,
    log:
        "results/logs/self_test.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        scale=PLAN.scale,
    shell:
        "python3 -s {input.program} --known-steps {input.known_steps} --first {input.first}"
        " --second {input.second} --output {output} 2> >(tee {log} >&2)"
