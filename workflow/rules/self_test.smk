# The self-test: the accuracy of the measurements, printed next to the results.

KNOWN_STEPS = f"{RESULTS}/self_test/{{scale}}/known_steps.json"


rule known_steps:
    """Time steps of known duration."""
    input:
        JOBS.stale_known_steps,
    output:
        KNOWN_STEPS,
    log:
        f"{RESULTS}/logs/self_test/{{scale}}/known_steps.log",
    priority: JOBS.priority(KNOWN_STEPS)
    retries: TRIES_AGAIN
    conda:
        PLAN.controls.environment().conda
    threads: 0
    resources:
        **timed(PLAN.controls.environment()),
        **({"runtime": 60} if START.on_nodes else {}),
        instead=PLAN.controls.known_steps_instead(START.use_conda),
    params:
        identity=verbatim(PLAN.controls.known_steps.identity),
    shell:
        program(
            "known-steps",
            "--output {output} --identity {params.identity:q} {resources.instead}",
            IN_ENVIRONMENT,
        )


# The runs of one cell under both of its names; on a cluster, the job of a round makes them.
FIRST = [PLAN.runs[run.position].record for run in PLAN.controls.again]
SECOND = [run.record for run in PLAN.controls.again]
PAIRS = [*FIRST, *SECOND]
if START.on_nodes:
    PAIRS = sorted({PLAN.group_of[path].done for path in SECOND})


rule self_test:
    """Put the parts of the self-test into one file."""
    input:
        PAIRS,
        known_steps=PLAN.controls.known_steps.path,
    output:
        PLAN.self_test,
    log:
        f"{RESULTS}/logs/self_test.log",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=UNTIMED,
        first=" ".join(FIRST),
        second=" ".join(SECOND),
    params:
        # The code that puts them together, with what it imports.
        program=content_digest(SOURCES, "workflow/millistep/supervise"),
    shell:
        program(
            "self-test",
            "--known-steps {input.known_steps}"
            " --first {resources.first} --second {resources.second}"
            " --output {output} 2> >(tee {log} >&2)",
        )
