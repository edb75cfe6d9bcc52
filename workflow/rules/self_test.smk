# The self-test: how well this very measuring measures, printed beside its results.


rule known_steps:
    """Steps of known duration, and a step of known work with and without the monitor."""
    input:
        JOBS.stale_known_steps,
    output:
        KNOWN_STEPS,
    log:
        f"{RESULTS}/logs/self_test/{{scale}}/known_steps.log",
    priority: JOBS.priority(KNOWN_STEPS)
    retries: TRIES_AGAIN
    conda:
        conda(PLAN.controls.environment())
    resources:
        **timed(PLAN.controls.environment()),
        **({"runtime": 60} if ON_NODES else {}),
        instead=PLAN.controls.known_steps_instead(USE_CONDA),
    params:
        identity=verbatim(PLAN.controls.known_steps.identity),
    shell:
        program(
            "supervise known_steps",
            "--output {output} --identity {params.identity:q} {resources.instead}",
            IN_ENVIRONMENT,
        )


rule self_test:
    """The parts of the self-test in one file."""
    input:
        known_steps=PLAN.controls.known_steps.path,
        first=(
            [PLAN.runs[run.position].record for run in PLAN.controls.again]
            if not BESIDE
            else []
        ),
        second=[run.record for run in PLAN.controls.again] if not BESIDE else [],
        blocks=(
            sorted({PLAN.block_of[run.record].path for run in PLAN.controls.again})
            if BESIDE
            else []
        ),
    output:
        PLAN.self_test,
    log:
        f"{RESULTS}/logs/self_test.log",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=1,
        first=" ".join(PLAN.runs[run.position].record for run in PLAN.controls.again),
        second=" ".join(run.record for run in PLAN.controls.again),
    params:
        # What puts them together.
        program=content_digest(SOURCES, "workflow/supervise/self_test.py"),
    shell:
        program(
            "supervise self_test",
            "--known-steps {input.known_steps}"
            " --first {resources.first} --second {resources.second}"
            " --output {output} 2> >(tee {log} >&2)",
        )
