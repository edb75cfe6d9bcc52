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
        plan=f"{RESULTS}/plan.json",
        records=RECORDS,
        context=CONTEXT,
    output:
        in_report(f"{RESULTS}/table.csv", "Tables", "ms/step"),
        in_report(f"{RESULTS}/published.csv", "Tables", "beside published", "beside"),
        in_report(f"{RESULTS}/runs.csv", "Tables", "every run"),
        f"{RESULTS}/runs.parquet",
        f"{RESULTS}/break_even.csv",
        collect(
            RESULTS + "/{table}.{form}",
            table=["table", "published"],
            form=["md", "tex"],
        ),
    log:
        f"{RESULTS}/logs/tables.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        analysis=ANALYSIS,
        results=RESULTS,
    shell:
        "PYTHONPATH=workflow python3 -s -m analysis.tables --plan {input.plan}"
        " --output-dir {params.results} 2> >(tee {log} >&2)"


rule caveats:
    """What a reader must know before comparing two numbers, from the records."""
    input:
        plan=f"{RESULTS}/plan.json",
        records=RECORDS,
        context=CONTEXT,
    output:
        f"{RESULTS}/caveats.json",
        f"{RESULTS}/caveats.md",
        f"{RESULTS}/caveats.rst",
    log:
        f"{RESULTS}/logs/caveats.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        analysis=ANALYSIS,
        results=RESULTS,
    shell:
        "PYTHONPATH=workflow python3 -s -m analysis.caveats --plan {input.plan}"
        " --output-dir {params.results} 2> >(tee {log} >&2)"


rule figures:
    """Speed-ups as on the page, every block of every run, and the methods compared."""
    input:
        plan=f"{RESULTS}/plan.json",
        records=RECORDS,
        context=CONTEXT,
    output:
        [
            in_report(
                f"{RESULTS}/figures/{figure}.svg", "Figures", figure.replace("_", " ")
            )
            for figure in FIGURES
        ],
        collect(
            RESULTS + "/figures/{figure}.{form}", figure=FIGURES, form=["pdf", "png"]
        ),
    log:
        f"{RESULTS}/logs/figures.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        analysis=ANALYSIS,
        results=RESULTS,
    shell:
        "PYTHONPATH=workflow python3 -s -m analysis.figures --plan {input.plan}"
        " --output-dir {params.results}/figures 2> >(tee {log} >&2)"
