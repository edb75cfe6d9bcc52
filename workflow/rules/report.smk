# The report that people cite, and what the terminal shows at the end.


rule report:
    """One self-contained HTML file."""
    input:
        plan="results/plan.json",
        records=PLAN.records,
        figures=collect("results/figures/{figure}.svg", figure=FIGURES),
    output:
        "results/report.html",
    params:
        analysis=ANALYSIS,
    log:
        "results/logs/report.log",
    conda:
        "../../envs/analysis.yaml"
    shell:
        "PYTHONPATH=workflow python3 -s -m analysis.report --plan {input.plan}"
        " --figures results/figures --output {output} 2> {log}"


def show_results():
    """Print the table as far as it was made."""
    if os.path.exists("results/report.html"):
        shell("cat results/table.md && echo && echo Report: results/report.html")
