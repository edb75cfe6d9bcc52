# The environment of the analysis: one of its own, since Snakemake would import its pandas at every
# start.


rule analysis_environment:
    """Deploy the environment that the analysis runs in."""
    input:
        DRAWING.lost_environment,
    output:
        ANALYSIS_ENVIRONMENT,
    log:
        f"{RESULTS}/logs/environments/analysis.log",
    # As early as the first numbers need not wait for it.
    priority: PLAN.order.of_analysis
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=100,
    params:
        definition=verbatim(DRAWING.definition.as_posix()),
        sha256=DRAWING.definition_sha256,
        method="conda" if START.use_conda else "venv",
    shell:
        program(
            "deploy",
            "--name analysis --definition {params.definition:q}"
            " --method {params.method} --marker {output} --log {log}",
        )
