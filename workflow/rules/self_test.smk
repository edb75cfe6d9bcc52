# The self-test: how well this very measuring measures, printed beside its results.


rule known_steps:
    """Steps of known duration, and a step of known work with and without the monitor."""
    input:
        partial(newer_than_stale, pattern=KNOWN_STEPS),
    output:
        KNOWN_STEPS,
    log:
        f"{RESULTS}/logs/self_test/{{scale}}/known_steps.log",
    priority: partial(priority_of_file, pattern=KNOWN_STEPS)
    retries: TRIES_AGAIN
    conda:
        PLAN.controls.environment().conda
    resources:
        **timed(PLAN.controls.environment()),
        **time_on_a_node(60),
        instead=in_other_environments,
    params:
        identity=verbatim(PLAN.controls.known_steps.identity),
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
        blocks=[
            block.done
            for block in PLAN.blocks
            if {*PLAN.controls.again} & {*block.runs}
        ],
    output:
        PLAN.self_test,
    log:
        f"{RESULTS}/logs/self_test.log",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        first=" ".join(PLAN.runs[run.position].record for run in PLAN.controls.again),
        second=" ".join(run.record for run in PLAN.controls.again),
    params:
        scale=PLAN.scale,
    shell:
        program(
            "supervise self_test",
            "--known-steps {input.known_steps}"
            " --first {resources.first} --second {resources.second}"
            " --output {output} 2> >(tee {log} >&2)",
        )
