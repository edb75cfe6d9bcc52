# The report that people cite.


rule report:
    """One self-contained HTML file."""
    input:
        plan="results/plan.json",
        records=PLAN.records,
        context=CONTEXT,
        figures=collect("results/figures/{figure}.svg", figure=FIGURES),
    output:
        "results/report.html",
    log:
        "results/logs/report.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        analysis=ANALYSIS,
    shell:
        "PYTHONPATH=workflow python3 -s -m analysis.report --plan {input.plan}"
        " --figures results/figures --output {output} 2> >(tee {log} >&2)"
