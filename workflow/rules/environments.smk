# One rule per environment: deploy it, and write down what it holds.


for environment in PLAN.environments:

    rule:
        """An environment, deployed: what it is and what it holds."""
        name:
            environment.rule
        output:
            environment.marker,
        log:
            f"results/logs/environments/{environment.name}.log",
        # Before anything is measured, and never beside a measurement.
        priority: 1_000_000
        conda:
            environment.conda
        resources:
            machine_percent=1,
        params:
            name=environment.name,
            definition=environment.definition.as_posix(),
            sha256=environment.definition_sha256,
            method=environment.method(USE_CONDA),
            interpreter=environment.interpreter_option,
        shell:
            "python3 -s workflow/environments.py --name {params.name}"
            " --definition {params.definition} --method {params.method}"
            " {params.interpreter} --marker {output} --log {log}"
