# Archives of many machines, days and library versions side by side: nothing is measured for it.
from planning.atlas import Archives

ATLAS = f"{RESULTS}/atlas"
ARCHIVES = Archives(PLAN.config["atlas"])


rule atlas_archive:
    """Verify and read one archive, or say what is wrong with it."""
    input:
        ARCHIVES.file,
        environment=ANALYSIS_ENVIRONMENT,
    output:
        f"{ATLAS}/read/{{archive}}.json",
    log:
        f"{RESULTS}/logs/atlas/{{archive}}.log",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=UNTIMED,
    params:
        analysis=drawn_by(texts=["workflow/analysis", "report"]),
        place=ARCHIVES.place,
        digest=ARCHIVES.digest,
    shell:
        DRAWING.module(
            "atlas.read", "{params.place:q} {params.digest} --output {output}"
        )


rule atlas:
    """The page of all archives, and every cell as one tidy table."""
    input:
        environment=ANALYSIS_ENVIRONMENT,
        read=lambda wildcards: collect(
            rules.atlas_archive.output, archive=ARCHIVES.found
        ),
    output:
        in_report(f"{ATLAS}/atlas.html", "Reports", "archives side by side"),
        f"{ATLAS}/cells.parquet",
        [f"{ATLAS}/{name}.csv" for name in ("cells", "pairs", "claims", "trends")],
    log:
        f"{RESULTS}/logs/atlas.log",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=UNTIMED,
    params:
        analysis=drawn_by("claims", "report", "compare", "atlas", texts=["report"]),
    shell:
        DRAWING.module("atlas", f"{{input.read}} --output-dir {ATLAS}")
