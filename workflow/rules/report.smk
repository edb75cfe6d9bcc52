# The report that people cite, and the landing page of Snakemake's own.


report: f"../../{RESULTS}/caveats.rst"


rule report:
    """One self-contained HTML file, its appendix, and what follows for the terminal."""
    input:
        environment=ANALYSIS_ENVIRONMENT,
        plan=f"{RESULTS}/plan.json",
        blocks=BLOCKS,
        self_test=SELF_TEST,
        newer=STALE_DRAWINGS,
        figures=collect(f"{RESULTS}/figures/{{figure}}.svg", figure=FIGURES),
    output:
        page=in_report(f"{RESULTS}/report.html", "Reports", "everything"),
        appendix=in_report(f"{RESULTS}/appendix.html", "Reports", "every cell"),
        conclusion=f"{RESULTS}/conclusion.json",
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
            "analysis.report",
            "--plan {input.plan}"
            " --figures {resources.results}/figures --output {resources.results}/report.html"
            " 2> >(tee {log} >&2)",
        )
