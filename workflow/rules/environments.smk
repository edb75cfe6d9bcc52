# One rule per environment: install it, and write down its packages.
#
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
            f"{RESULTS}/logs/environments/{environment.stack}/{environment.accelerator}/"
            f"{environment.name}.log",
        localrule: True
        conda:
            environment.conda
        resources:
            machine_percent=100,
            start=COMMANDS.start_id,
        params:
            name=environment.name,
            definition=verbatim(environment.definition.as_posix()),
            sha256=environment.sha256,
            method=environment.method(START.use_conda),
            options=verbatim(environment.options),
        shell:
            program(
                "deploy",
                "--name {params.name}"
                " --definition {params.definition:q} --method {params.method}"
                " --planned {params.sha256} --start {resources.start}"
                " {params.options} --marker {output} --log {log}",
            )


rule environments:
    """All environments, without measuring anything."""
    input:
        [environment.marker for environment in PLAN.environments],
        ANALYSIS_ENVIRONMENT,
