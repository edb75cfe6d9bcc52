# From records to tables, caveats and figures: pure functions, redrawn in seconds.
#
# What is flagged with report() stands in the report that `snakemake --report` writes. The
# analysis has an environment of its own: Snakemake would import its pandas at every start.

FIGURES = list(read_yaml(SOURCES / "report/figures.yaml"))


rule analysis_environment:
    """What the analysis runs in, deployed."""
    input:
        NEWER if ANALYSIS_ENVIRONMENT in STALE else [],
    output:
        ANALYSIS_ENVIRONMENT,
    log:
        f"{RESULTS}/logs/environments/analysis.log",
    # After the environments that are measured in: as early as it costs no number its time.
    priority: PLAN.order.of_analysis
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=100,
        place=f"{len(PLAN.order.deployments) + 1} of {len(PLAN.order.deployments) + 1}",
    params:
        definition=ANALYSIS_DEFINITION.as_posix(),
        sha256=definition_sha256(ANALYSIS_DEFINITION),
        method="conda" if USE_CONDA else "venv",
    shell:
        program(
            "deploy",
            "--name analysis --definition {params.definition}"
            " --method {params.method} --place {resources.place:q} --marker {output} --log {log}",
        )


# All three read all records; what is wrong with one is said once, by the first.
TABLES_FIRST = f"{RESULTS}/runs.csv"


rule tables:
    """The table, the published numbers with ours, every run, effects and break-even."""
    input:
        environment=ANALYSIS_ENVIRONMENT,
        plan=f"{RESULTS}/plan.json",
        blocks=BLOCKS,
        self_test=SELF_TEST,
        newer=STALE_DRAWINGS,
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
    log:
        f"{RESULTS}/logs/tables.log",
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
            "analysis.tables",
            "--plan {input.plan}"
            " --output-dir {resources.results} 2> >(tee {log} >&2)",
        )


rule caveats:
    """What a reader must know before comparing two numbers, from the records."""
    input:
        environment=ANALYSIS_ENVIRONMENT,
        plan=f"{RESULTS}/plan.json",
        blocks=BLOCKS,
        self_test=SELF_TEST,
        newer=STALE_DRAWINGS,
        tables=TABLES_FIRST,
    output:
        f"{RESULTS}/caveats.json",
        f"{RESULTS}/caveats.md",
        f"{RESULTS}/caveats.rst",
    log:
        f"{RESULTS}/logs/caveats.log",
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
            "analysis.caveats",
            "--plan {input.plan}"
            " --output-dir {resources.results} 2> >(tee {log} >&2)",
        )


rule figures:
    """Speed-ups as on the page, every block of every run, and the methods compared."""
    input:
        environment=ANALYSIS_ENVIRONMENT,
        plan=f"{RESULTS}/plan.json",
        blocks=BLOCKS,
        self_test=SELF_TEST,
        newer=STALE_DRAWINGS,
        tables=TABLES_FIRST,
    output:
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
    log:
        f"{RESULTS}/logs/figures.log",
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
            "analysis.figures",
            "--plan {input.plan}"
            " --output-dir {resources.results}/figures 2> >(tee {log} >&2)",
        )
