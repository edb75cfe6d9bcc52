# One rule per environment: install it, and write down its packages.
# conda's environments are there before the first job. Runs create missing virtual environments
# themselves, so the first number waits for its own environment alone. These rules restore lost ones.

for environment in PLAN.environments:

    rule:
        """Deploy an environment, and write down what it holds."""
        name:
            f"environment_{environment.word}"
        input:
            JOBS.for_this_machine,
        output:
            environment.marker,
        log:
            f"{RESULTS}/logs/environments/{environment.place}.log",
        localrule: True
        conda:
            environment.conda
        resources:
            machine_percent=100,
            start=COMMANDS.start_id,
        params:
            options=verbatim(environment.deployment(START.use_conda)),
        shell:
            program("deploy", "{params.options} --start {resources.start} --log {log}")


rule environments:
    """All environments, without measuring anything."""
    input:
        [environment.marker for environment in PLAN.environments],
        ANALYSIS_ENVIRONMENT,
