# From records to everything that people read: the report, drawn from whatever records exist, also
# while runs are measured; the comment on a pull request; one zip to be cited.
#
# Outputs flagged with report() are in Snakemake's own report; this is its landing page.


report: "../report/landing.rst"


rule report:
    """Draw the tables, figures and pages."""
    input:
        RECORDS,
        JOBS.references,
        SELF_TEST,
        JOBS.all_measured,
        environment=ANALYSIS_ENVIRONMENT,
        plan=PLAN_FILE,
    output:
        report(f"{RESULTS}/report.html", **in_report("report", "Reports", "everything")),
        report(f"{RESULTS}/table.csv", **in_report("table", "Tables", "ms/step")),
        report(f"{RESULTS}/runs.csv", **in_report("runs", "Tables", "every run")),
        multiext(
            f"{RESULTS}/",
            "runs.parquet",
            "table.md",
            "table.tex",
            "caveats.json",
            "claims.csv",
        ),
    log:
        f"{RESULTS}/logs/report.log",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=UNTIMED,
    params:
        analysis=COMMANDS.drawn_by(),
    shell:
        render(RESULTS)


rule page_so_far:
    """Draw the report after the first workload or a round, while no run is timed."""
    input:
        lambda wildcards: JOBS.so_far.get(wildcards.part, []),
        environment=ANALYSIS_ENVIRONMENT,
        plan=PLAN_FILE,
    output:
        f"{RESULTS}/so_far/{{part}}/report.html",
    log:
        f"{RESULTS}/logs/so_far/{{part}}.log",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=0,
    shell:
        alone(render("$(dirname {output:q})", "--so-far"))


rule answer:
    """Write the comment on a pull request, and its content as JSON, again after each look."""
    input:
        RECORDS,
        SELF_TEST,
        environment=ANALYSIS_ENVIRONMENT,
        plan=PLAN_FILE,
    output:
        multiext(f"{RESULTS}/", "answer.md", "answer.json"),
    log:
        f"{RESULTS}/logs/answer.log",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=UNTIMED,
    params:
        analysis=COMMANDS.drawn_by(),
        settings=verbatim(PLAN.regression_check),
    shell:
        analysis(
            "comment --plan {input.plan} --settings {params.settings:q}"
            f" --output-dir {RESULTS}",
        )


rule archive:
    """Pack everything that was measured, the results and the code; print how to cite it."""
    input:
        RECORDS,
        # The inputs of rule `all`, without the functions that make lost files again.
        lambda wildcards: [file for file in rules.all.input if not callable(file)],
        SOURCES / "CITATION.cff",
        SOURCES / "LICENSE",
        environment=ANALYSIS_ENVIRONMENT,
        plan=PLAN_FILE,
    output:
        f"{RESULTS}/millistep-{PLAN.scale}-{PLAN.accelerator}.zip",
    log:
        f"{RESULTS}/logs/archive.log",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=UNTIMED,
    params:
        analysis=COMMANDS.drawn_by(),
        config=verbatim(PLAN.config_json),
    shell:
        analysis(
            "archive --plan {input.plan} --config {params.config:q} --output {output}"
        )
