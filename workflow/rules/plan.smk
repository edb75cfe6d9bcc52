# The plan: the configuration, spelled out as cells and runs.


rule plan:
    """Write every cell and run of the configuration."""
    output:
        f"{RESULTS}/plan.json",
    log:
        f"{RESULTS}/logs/plan.log",
    priority: 2_000_000
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=UNTIMED,
    params:
        config=WHOLE_CONFIG,
        plan=PLAN.sha256,
        elsewhere="" if START.here else "--elsewhere",
    shell:
        program(
            "plan",
            "--config {params.config:q} {params.elsewhere}"
            " --output {output} 2> >(tee {log} >&2)",
        )
