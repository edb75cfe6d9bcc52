# One zip to be cited: everything that was measured, what was made of it, and what made it.

ARCHIVE = f"{RESULTS}/millistep-{PLAN.scale}-{PLAN.accelerator}.zip"


rule archive:
    """The zip, and how to cite it on the terminal."""
    input:
        RECORDS,
        # No list of its own; what makes lost files again is a function, and no file.
        lambda wildcards: [file for file in rules.all.input if not callable(file)],
        SOURCES / "CITATION.cff",
        SOURCES / "LICENSE",
        environment=ANALYSIS_ENVIRONMENT,
        plan=f"{RESULTS}/plan.json",
        sessions=SESSIONS,
    output:
        ARCHIVE,
    log:
        f"{RESULTS}/logs/archive.log",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        python=ANALYSIS_PYTHON,
    params:
        analysis=drawn_by(texts=["workflow/analysis", "report"]),
        config=WHOLE_CONFIG,
    shell:
        analysis("archive", "--config {params.config:q} --output {output}")
