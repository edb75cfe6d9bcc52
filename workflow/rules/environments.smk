# One rule per environment: deploy it, and write down what it holds.


for environment in PLAN.environments:

    rule:
        """An environment, deployed: what it is and what it holds."""
        name:
            f"environment_{environment.word}"
        output:
            environment.marker,
        log:
            f"{RESULTS}/logs/environments/{environment.name}.log",
        # Before anything is measured, and never beside a measurement.
        priority: 1_000_000
        conda:
            environment.conda
        resources:
            machine_percent=1,
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
                " {params.options} --marker {output} --log {log}",
            )
