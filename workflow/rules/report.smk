# The report that people cite, and the landing page of Snakemake's own.


report: f"../../{RESULTS}/caveats.rst"


rule report:
    """One self-contained HTML file."""
    input:
        plan=f"{RESULTS}/plan.json",
        records=RECORDS,
        context=CONTEXT,
        figures=collect(RESULTS + "/figures/{figure}.svg", figure=FIGURES),
    output:
        in_report(f"{RESULTS}/report.html", "Reports", "everything"),
    log:
        f"{RESULTS}/logs/report.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        analysis=ANALYSIS,
        results=RESULTS,
    shell:
        "PYTHONPATH=workflow python3 -s -m analysis.report --plan {input.plan}"
        " --figures {params.results}/figures --output {output} 2> >(tee {log} >&2)"
