# From records to tables, caveats and figures: pure functions, redrawn in seconds.

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
        records=PLAN.records,
        context=CONTEXT,
    output:
        "results/runs.csv",
        "results/break_even.csv",
        collect("results/table.{form}", form=TABLE_FORMS),
        collect("results/published.{form}", form=["md", "csv"]),
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
        records=PLAN.records,
        context=CONTEXT,
    output:
        "results/caveats.json",
        "results/caveats.md",
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
        records=PLAN.records,
        context=CONTEXT,
    output:
        collect("results/figures/{figure}.{form}", figure=FIGURES, form=["svg", "pdf", "png"]),
    log:
        "results/logs/figures.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        analysis=ANALYSIS,
    shell:
        "PYTHONPATH=workflow python3 -s -m analysis.figures --plan {input.plan}"
        " --output-dir results/figures 2> >(tee {log} >&2)"
