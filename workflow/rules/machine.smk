# The machine, written down once: what explains its times, and nobody's name.


rule machine_card:
    """What the machine is: processor, caches, memory, clocks, limits, and the GPU that is used."""
    output:
        PLAN.machine_card,
    log:
        f"{RESULTS}/logs/machine.log",
    # First of all, and never beside a measurement.
    priority: 1_500_000
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=1,
        accelerators=" ".join(PLAN.accelerators),
        device=PLAN.config["device"],
    params:
        machine=" ".join(
            [
                PLAN.machine_id,
                *PLAN.accelerators,
                content_digest(SOURCES, "workflow/machine_card"),
            ]
        ),
    shell:
        module(
            "machine_card",
            "--accelerators {resources.accelerators} --device {resources.device}"
            " --output {output} 2> >(tee {log} >&2)",
        )
