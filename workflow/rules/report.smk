# From records to everything that people read: one command draws it from whatever records exist.
#
# Outputs flagged with report() are in the report that `snakemake --report` writes; this is its
# landing page.


report: "../report/landing.rst"


REPORT = [
    in_report(f"{RESULTS}/report.html", "Reports", "everything"),
    in_report(f"{RESULTS}/table.csv", "Tables", "ms/step"),
    in_report(f"{RESULTS}/runs.csv", "Tables", "every run"),
    *results("runs.parquet", "table.md", "table.tex", "caveats.json", "claims.csv"),
]


rule report:
    """Draw the tables, figures and pages."""
    input:
        RECORDS,
        SUBMISSIONS.all if START.on_nodes else JOBS.references,
        SELF_TEST,
        JOBS.all_measured,
        environment=ANALYSIS_ENVIRONMENT,
        plan=f"{RESULTS}/plan.json",
    output:
        REPORT,
    log:
        f"{RESULTS}/logs/report.log",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=UNTIMED,
    params:
        analysis=DRAWING.drawn_by(),
    shell:
        render(RESULTS)
