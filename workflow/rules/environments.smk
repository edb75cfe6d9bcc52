# One rule per environment: deploy it, and write down what it holds.
#
# Each is deployed just before the first run that needs it, so that the first number does not wait
# for all of them: the order of the runs stays as it was drawn, and nothing is timed meanwhile. In the
# first block that is so before every column's first run alike.

for place, environment in enumerate(PLAN.deployments, start=1):

    rule:
        """An environment, deployed: what it is and what it holds."""
        name:
            f"environment_{environment.word}"
        input:
            for_this_machine,
        output:
            environment.marker,
        log:
            f"{RESULTS}/logs/environments/{environment.name}.log",
        localrule: True
        priority: PLAN.priority_of_deployment(environment)
        conda:
            environment.conda
        resources:
            machine_percent=100,
            place=f"{place} of {len(PLAN.deployments) + 1}",
        params:
            name=environment.name,
            definition=verbatim(environment.definition.as_posix()),
            sha256=environment.sha256,
            method=environment.method(USE_CONDA),
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
