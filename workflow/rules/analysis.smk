# What the analysis runs in: an environment of its own, since Snakemake would import its pandas at
# every start.


rule analysis_environment:
    """What the analysis runs in, deployed."""
    input:
        lost_environment,
    output:
        ANALYSIS_ENVIRONMENT,
    log:
        f"{RESULTS}/logs/environments/analysis.log",
    # After the environments that are measured in: as early as it costs no number its time.
    priority: PLAN.order.of_analysis
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=100,
        place=f"{len(PLAN.order.deployments) + 1} of {len(PLAN.order.deployments) + 1}",
    params:
        definition=ANALYSIS_DEFINITION.as_posix(),
        sha256=definition_sha256(ANALYSIS_DEFINITION),
        method="conda" if USE_CONDA else "venv",
    shell:
        program(
            "deploy",
            "--name analysis --definition {params.definition}"
            " --method {params.method} --place {resources.place:q} --marker {output} --log {log}",
        )
