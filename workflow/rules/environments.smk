# One rule per environment: deploy it, and write down its packages.
#
# A run deploys its environment if that is missing, so that the first number does not wait for all;
# nothing is timed meanwhile, and it happens before the first run of every column alike. These jobs
# find the environments there, and make those that were lost; rules/blocks.smk says when they have
# to be there before.

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
            conda(environment)
        resources:
            machine_percent=100,
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
                " --planned {params.sha256}"
                " {params.options} --marker {output} --log {log}",
            )


rule environments:
    """All environments, without measuring anything."""
    input:
        [environment.marker for environment in PLAN.environments],
        ANALYSIS_ENVIRONMENT,
