# One zip to be cited: everything that was measured, the results made of it, and the code.

ARCHIVE = f"{RESULTS}/millistep-{PLAN.scale}-{PLAN.accelerator}.zip"


rule archive:
    """The archive; how to cite it is printed on the terminal."""
    input:
        RECORDS,
        # The inputs of rule `all`, without the functions that make lost files again.
        lambda wildcards: [file for file in rules.all.input if not callable(file)],
        SOURCES / "CITATION.cff",
        SOURCES / "LICENSE",
        environment=ANALYSIS_ENVIRONMENT,
        plan=f"{RESULTS}/plan.json",
    output:
        ARCHIVE,
    log:
        f"{RESULTS}/logs/archive.log",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=UNTIMED,
    params:
        analysis=DRAWING.drawn_by(),
        config=WHOLE_CONFIG,
    shell:
        analysis(
            "archive --plan {input.plan} --config {params.config:q} --output {output}"
        )
