# The report that people cite, and the landing page of Snakemake's own.


report: "../../results/caveats.rst"


rule report:
    """One self-contained HTML file."""
    input:
        plan="results/plan.json",
        records=RECORDS,
        context=CONTEXT,
        figures=collect("results/figures/{figure}.svg", figure=FIGURES),
    output:
        in_report("results/report.html", "Reports", "everything"),
    log:
        "results/logs/report.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        analysis=ANALYSIS,
    shell:
        "PYTHONPATH=workflow python3 -s -m analysis.report --plan {input.plan}"
        " --figures results/figures --output {output} 2> >(tee {log} >&2)"
