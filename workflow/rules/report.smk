# From records to everything that people read: pure functions, redrawn in seconds.
#
# One job, because reading all records takes as long as drawing what is made of them, and because
# what is wrong with one of them is then said once.
#
# What is flagged with report() stands in the report that `snakemake --report` writes; this is its
# landing page.


report: f"../../{RESULTS}/caveats.rst"


FIGURES = list(read_yaml(SOURCES / "report/figures.yaml"))


def in_report(path, category, label, caption=None):
    """An output that Snakemake's own report shows, with the caption of its name."""
    return report(
        path,
        caption=f"../../report/captions/{caption or Path(path).stem}.rst",
        category=category,
        labels={category.lower().removesuffix("s"): label},
    )


rule report:
    """Tables, caveats, figures, and the one self-contained page that has them all."""
    input:
        environment=ANALYSIS_ENVIRONMENT,
        plan=f"{RESULTS}/plan.json",
        blocks=BLOCKS,
        self_test=SELF_TEST,
    output:
        in_report(f"{RESULTS}/table.csv", "Tables", "ms/step"),
        in_report(
            f"{RESULTS}/published.csv",
            "Tables",
            "with the published",
            "published_table",
        ),
        in_report(f"{RESULTS}/runs.csv", "Tables", "every run"),
        f"{RESULTS}/runs.parquet",
        f"{RESULTS}/break_even.csv",
        f"{RESULTS}/cross_over.csv",
        f"{RESULTS}/trainings.csv",
        f"{RESULTS}/effects.csv",
        f"{RESULTS}/effects.tex",
        f"{RESULTS}/why.csv",
        f"{RESULTS}/ceilings.csv",
        f"{RESULTS}/native.csv",
        collect(
            f"{RESULTS}/{{table}}.{{form}}",
            table=["table", "published"],
            form=["md", "tex"],
        ),
        f"{RESULTS}/caveats.json",
        f"{RESULTS}/caveats.md",
        f"{RESULTS}/caveats.rst",
        [
            in_report(
                f"{RESULTS}/figures/{figure}.svg", "Figures", figure.replace("_", " ")
            )
            for figure in FIGURES
        ],
        collect(
            f"{RESULTS}/figures/{{figure}}.{{form}}",
            figure=FIGURES,
            form=["pdf", "png"],
        ),
        in_report(f"{RESULTS}/report.html", "Reports", "everything"),
        in_report(f"{RESULTS}/appendix.html", "Reports", "every cell"),
        f"{RESULTS}/conclusion.json",
    log:
        f"{RESULTS}/logs/report.log",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        python=ANALYSIS_PYTHON,
        results=RESULTS,
    params:
        analysis=ANALYSIS,
    shell:
        analysis_module(
            "analysis.report.draw",
            "--plan {input.plan}"
            " --output-dir {resources.results} 2> >(tee {log} >&2)",
        )
