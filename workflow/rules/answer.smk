# The comment on a pull request, which reports the effect of a patch. `millistep answer` adds rounds
# until all is decided or the time is over, and makes the comment again after each look.
ANSWER = (PLAN.config.answer or RegressionCheck()).model_dump()


rule answer:
    """Write the comment on a pull request, and its content as JSON for the calling program."""
    input:
        RECORDS,
        SELF_TEST,
        environment=ANALYSIS_ENVIRONMENT,
        plan=f"{RESULTS}/plan.json",
    output:
        results("answer.md", "answer.json"),
    log:
        f"{RESULTS}/logs/answer.log",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=UNTIMED,
    params:
        analysis=DRAWING.drawn_by(),
        settings=verbatim(json.dumps(ANSWER)),
    shell:
        analysis(
            "comment --plan {input.plan} --settings {params.settings:q}"
            f" --output-dir {RESULTS}",
        )
