# From records to tables, caveats and figures: pure functions, redrawn in seconds.
#
# What is flagged with report() stands in the report that `snakemake --report` writes.

FIGURES = [
    "speedup_over_keras2",
    "speedup_over_pytorch",
    "step_times",
    "break_even",
    "blocks",
    "memory",
    "padding",
    "batch",
    "published",
    "methods",
]


rule tables:
    """The table, the published numbers beside ours, every run, and who overtakes whom."""
    input:
        plan="results/plan.json",
        records=RECORDS,
        context=CONTEXT,
    output:
        in_report("results/table.csv", "Tables", "ms/step"),
        in_report("results/published.csv", "Tables", "beside published", "beside"),
        in_report("results/runs.csv", "Tables", "every run"),
        "results/runs.parquet",
        "results/break_even.csv",
        collect(
            "results/{table}.{form}", table=["table", "published"], form=["md", "tex"]
        ),
    log:
        "results/logs/tables.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        analysis=ANALYSIS,
    shell:
        "PYTHONPATH=workflow python3 -s -m analysis.tables --plan {input.plan}"
        " --output-dir results 2> >(tee {log} >&2)"


rule caveats:
    """What a reader must know before comparing two numbers, from the records."""
    input:
        plan="results/plan.json",
        records=RECORDS,
        context=CONTEXT,
    output:
        "results/caveats.json",
        "results/caveats.md",
        "results/caveats.rst",
    log:
        "results/logs/caveats.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        analysis=ANALYSIS,
    shell:
        "PYTHONPATH=workflow python3 -s -m analysis.caveats --plan {input.plan}"
        " --output-dir results 2> >(tee {log} >&2)"


rule figures:
    """Speed-ups as on the page, every block of every run, and the methods compared."""
    input:
        plan="results/plan.json",
        records=RECORDS,
        context=CONTEXT,
    output:
        [
            in_report(
                f"results/figures/{figure}.svg", "Figures", figure.replace("_", " ")
            )
            for figure in FIGURES
        ],
        collect("results/figures/{figure}.{form}", figure=FIGURES, form=["pdf", "png"]),
    log:
        "results/logs/figures.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        analysis=ANALYSIS,
    shell:
        "PYTHONPATH=workflow python3 -s -m analysis.figures --plan {input.plan}"
        " --output-dir results/figures 2> >(tee {log} >&2)"
