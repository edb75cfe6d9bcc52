# The comment on a pull request, which says what a patch changes: made again and again by `planning
# answer`, which adds rounds until all is decided or the time is over.
ANSWER = {"threshold": 0.02, "looks": 1, "left_out": [], "report": ""} | PLAN.config[
    "answer"
]


rule answer:
    """The comment on a pull request, and its content as JSON for the program that asks."""
    input:
        environment=ANALYSIS_ENVIRONMENT,
        plan=f"{RESULTS}/plan.json",
        measured=MEASURED,
        self_test=SELF_TEST,
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
        analysis=drawn_by(
            *("caveats", "claims", "report", "answer"),
            texts=["report/answer.md.j2"],
        ),
        settings=verbatim(json.dumps(ANSWER)),
    shell:
        analysis(
            "answer",
            "--measured {input.measured} --settings {params.settings:q}"
            f" --output-dir {RESULTS}",
        )
