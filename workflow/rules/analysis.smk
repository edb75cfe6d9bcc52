# The environment of the analysis: one of its own, since Snakemake would import its pandas at every
# start.


rule analysis_environment:
    """Install the environment that the analysis runs in, while no run is timed."""
    input:
        DRAWING.lost_environment,
    output:
        ANALYSIS_ENVIRONMENT,
    log:
        f"{RESULTS}/logs/environments/analysis.log",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=0,
    params:
        definition=verbatim(DRAWING.definition.as_posix()),
        sha256=DRAWING.definition_sha256,
        method="conda" if START.use_conda else "venv",
    shell:
        program(
            "alone --",
            program(
                "deploy",
                "--name analysis --definition {params.definition:q}"
                " --method {params.method} --marker {output} --log {log}",
            ).removeprefix("exec "),
        )
