# From records to everything that people read: pure functions, each redrawn in seconds.
#
# Outputs flagged with report() are in the report that `snakemake --report` writes; this is its
# landing page.


report: "../../report/captions/landing.rst"


FIGURES = [*report_contents.figure_modules()]
TABLES_OF_TOPICS = [*map(report_contents.file_of, report_contents.table_modules())]
FIGURE = f"{RESULTS}/figures/{{figure}}"


rule runs:
    """Read and check every record once: all in one file, and a tidy table of the runs."""
    input:
        RECORDS,
        JOBS.all_measured,
        environment=ANALYSIS_ENVIRONMENT,
        plan=f"{RESULTS}/plan.json",
        sessions=SESSIONS,
    output:
        in_report(f"{RESULTS}/runs.csv", "Tables", "every run"),
        f"{RESULTS}/runs.parquet",
        measured=MEASURED,
    log:
        f"{RESULTS}/logs/runs.log",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=UNTIMED,
    params:
        analysis=drawn_by("tables"),
    shell:
        analysis(
            "report.draw",
            f"--only runs --keep {{output.measured}} --output-dir {RESULTS}",
        )


TABLE = results("table.md", "table.tex", "published.md", "published.tex")
TABLE += [
    in_report(f"{RESULTS}/table.csv", "Tables", "ms/step"),
    in_report(
        f"{RESULTS}/published.csv", "Tables", "with the published", "published_table"
    ),
]
EFFECTS = results(*TABLES_OF_TOPICS)
CAVEATS = results("caveats.json", "caveats.md")

# Name of the rule, folders of the analysis whose code it uses, files that it writes.
for name, rooms, files in (
    ("table", ["tables"], TABLE),
    ("effects", ["tables"], EFFECTS),
    ("caveats", ["caveats"], CAVEATS),
    ("claims", ["caveats", "claims"], results("claims.json")),
):

    rule:
        """Draw from the runs: the tables, their caveats, or the verdicts on claims."""
        name:
            name
        input:
            environment=ANALYSIS_ENVIRONMENT,
            plan=f"{RESULTS}/plan.json",
            measured=MEASURED,
            self_test=SELF_TEST if name == "caveats" else [],
        output:
            files,
        log:
            f"{RESULTS}/logs/{name}.log",
        localrule: True
        conda:
            "../../envs/analysis.yaml"
        resources:
            machine_percent=UNTIMED,
            part=name,  # a resource: in the command, `name` would be the last of this loop
        params:
            analysis=drawn_by(*rooms),
        shell:
            drawn("--only {resources.part}")


rule figure:
    """One figure, in three formats."""
    input:
        environment=ANALYSIS_ENVIRONMENT,
        plan=f"{RESULTS}/plan.json",
        measured=MEASURED,
    output:
        report(
            f"{FIGURE}.svg",
            caption="../../report/captions/of_figure.rst",
            category="Figures",
            labels={"figure": "{figure}"},
        ),
        f"{FIGURE}.pdf",
        f"{FIGURE}.png",
    log:
        f"{RESULTS}/logs/figures/{{figure}}.log",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=UNTIMED,
    params:
        analysis=drawn_by("figures"),
        caption=DRAWING.caption,
    shell:
        drawn("--only figures --figure {wildcards.figure}")


rule report:
    """The one self-contained page with tables and figures, and one with details of every cell."""
    input:
        TABLE,
        EFFECTS,
        CAVEATS,
        results("claims.json"),
        collect(f"{FIGURE}.svg", figure=FIGURES),
        SELF_TEST,
        environment=ANALYSIS_ENVIRONMENT,
        plan=f"{RESULTS}/plan.json",
        measured=MEASURED,
    output:
        in_report(f"{RESULTS}/report.html", "Reports", "everything"),
        in_report(f"{RESULTS}/appendix.html", "Reports", "every cell"),
        f"{RESULTS}/conclusion.json",
    log:
        f"{RESULTS}/logs/report.log",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=UNTIMED,
    params:
        analysis=drawn_by(
            *("caveats", "claims", "tables", "figures", "report"),
            texts=["report", "workflow/analysis/topics"],
        ),
    shell:
        drawn("--only report")
