# One rule per environment: deploy it, and write down what it holds.
#
# A run deploys what it lacks, so that the first number does not wait for all of them, and nothing is
# timed meanwhile: in the first round that is so before every column's first run alike. These jobs
# find them there, and make those that were lost; see rules/blocks.smk for where they have to be
# there before.

for environment in PLAN.order.deployments:

    rule:
        """An environment, deployed: what it is and what it holds."""
        name:
            f"environment_{environment.word}"
        input:
            JOBS.for_this_machine,
        output:
            environment.marker,
        log:
            f"{RESULTS}/logs/environments/{environment.name}.log",
        priority: PLAN.order.of_deployment(environment)
        localrule: True
        conda:
            conda(environment)
        resources:
            machine_percent=100,
            place=PLAN.order.place(environment),
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
                " {params.options} --place {resources.place:q} --marker {output} --log {log}",
            )


rule environments:
    """All of them, and nothing measured."""
    input:
        [environment.marker for environment in PLAN.environments],
        ANALYSIS_ENVIRONMENT,
