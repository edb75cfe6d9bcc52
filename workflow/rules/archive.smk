# One zip to be cited: everything that was measured, what was made of it, and what made it.

ARCHIVE = f"{RESULTS}/millistep-{PLAN.scale}-{PLAN.accelerator}.zip"


def all_results(wildcards):
    """All that the default target asks for; the archive has no list of its own."""
    return rules.all.input


rule archive:
    """The zip, and how to cite it on the terminal."""
    input:
        all_results,
        SOURCES / "CITATION.cff",
        SOURCES / "LICENSE",
        environment=ANALYSIS_ENVIRONMENT,
        plan=f"{RESULTS}/plan.json",
        blocks=BLOCKS,
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
        analysis=ANALYSIS,
        config=verbatim(json.dumps(dict(sorted(PLAN.config.items())))),
    shell:
        analysis_module(
            "analysis.archive",
            "--plan {input.plan}"
            " --config {params.config:q} --output {output} 2> >(tee {log} >&2)",
        )
