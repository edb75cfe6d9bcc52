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
        PLAN.controls.known_steps.environment.conda
    threads: 0
    resources:
        **COMMANDS.control(PLAN.controls.known_steps),
        **({"runtime": 60} if START.on_nodes else {}),
    params:
        identity=verbatim(PLAN.controls.known_steps.identity),
    shell:
        measured("known-steps", "--output {output} --identity {params.identity:q}")


rule self_test:
    """Put the parts of the self-test into one file."""
    input:
        # On a cluster, the job of a round makes the runs of the cell with two names.
        PLAN.controls.pair_files(START.on_nodes),
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
        pairs=PLAN.controls.pair_options,
    params:
        # The code that puts them together, with what it imports.
        program=content_digest(SOURCES, "workflow/millistep/supervise"),
    shell:
        logged(
            "self-test",
            "--known-steps {input.known_steps} {resources.pairs} --output {output}",
        )
