# Canaries: fixed work before the first round, between rounds and after the last.
#
# Their priorities lie between those of the rounds. As for runs, nothing that a job makes is
# an input, and a canary that fails is a file that says so.

for accelerator in PLAN.accelerators:

    rule:
        """How fast the machine is now: matrix products, a copy in memory, a Python loop."""
        name:
            f"canary_{accelerator}"
        input:
            partial(newer_than_stale, pattern=CANARY),
        output:
            CANARY.replace("{accelerator}", f"{{accelerator,{accelerator}}}"),
        log:
            f"{RESULTS}/logs/canaries/{{scale}}/{{accelerator}}/{{k}}.log",
        priority: partial(priority_of_file, pattern=CANARY)
        retries: 1
        conda:
            PLAN.controls.environment(accelerator).conda
        resources:
            **timed(PLAN.controls.environment(accelerator)),
            instead=partial(in_other_environments, pattern=CANARY),
        params:
            identity=partial(identity_of_file, pattern=CANARY),
        shell:
            program(
                "supervise canary",
                "--identity {params.identity:q}"
                " --deployment {resources.deployment} --definition {resources.definition:q}"
                " --environment {resources.environment} {resources.overlay} {resources.instead}"
                " --log {log} --output {output}"
                " --memory-gib {resources.memory_gib} --attempt {resources.attempt_no}",
            )
