# The self-test: how well this very measuring measures, printed beside its results.

for run in PLAN.controls.again[:1]:
    environment = PLAN.environment_of(run.column)

    rule same_cell_again:
        """A run of one cell under a second name, next to the run under its first."""
        input:
            partial(newer_than_stale, pattern=AGAIN),
        output:
            record=AGAIN,
        log:
            f"{RESULTS}/logs/self_test/{RUN}.log",
        priority: partial(priority_of_file, pattern=AGAIN)
        retries: 1
        conda:
            environment.conda
        resources:
            **timed_run(environment),
        params:
            identity=partial(identity_of_file, pattern=AGAIN),
        shell:
            MEASURE


rule known_steps:
    """Steps of known duration, and a step of known work with and without the monitor."""
    input:
        partial(newer_than_stale, pattern=KNOWN_STEPS),
    output:
        KNOWN_STEPS,
    log:
        f"{RESULTS}/logs/self_test/{{scale}}/known_steps.log",
    priority: partial(priority_of_file, pattern=KNOWN_STEPS)
    retries: 1
    conda:
        PLAN.controls.environment().conda
    resources:
        **timed(PLAN.controls.environment()),
        instead=partial(in_other_environments, pattern=KNOWN_STEPS),
    params:
        identity=partial(identity_of_file, pattern=KNOWN_STEPS),
    shell:
        program(
            "supervise known_steps",
            "--identity {params.identity:q}"
            " --deployment {resources.deployment} --definition {resources.definition:q}"
            " --environment {resources.environment} {resources.overlay} {resources.instead}"
            " --log {log} --output {output}"
            " --monitor-interpreter {resources.monitor:q}"
            " --memory-gib {resources.memory_gib} --attempt {resources.attempt_no}",
        )


rule self_test:
    """The parts of the self-test in one file."""
    input:
        program=SOURCES / "workflow/supervise/self_test.py",
        known_steps=PLAN.controls.known_steps.path,
        first=[PLAN.runs[run.position].record for run in PLAN.controls.again],
        second=[run.record for run in PLAN.controls.again],
    output:
        PLAN.self_test,
    log:
        f"{RESULTS}/logs/self_test.log",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    params:
        scale=PLAN.scale,
    shell:
        program(
            "supervise self_test",
            "--known-steps {input.known_steps}"
            " --first {input.first} --second {input.second} --output {output} 2> >(tee {log} >&2)",
        )
