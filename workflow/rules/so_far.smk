# Results so far, drawn between two blocks: nothing is timed meanwhile.
from planning.so_far import SoFar

SO_FAR = SoFar(START, JOBS)
PAGE_SO_FAR = f"{RESULTS}/so_far/{{part}}/report.html"
VERDICT = f"{RESULTS}/so_far/{ROW}/round{{run}}.txt"


rule page_so_far:
    """The report of what is measured so far."""
    input:
        SO_FAR.measured_before(PAGE_SO_FAR),
        environment=ANALYSIS_ENVIRONMENT,
        plan=f"{RESULTS}/plan.json",
    output:
        PAGE_SO_FAR,
    log:
        f"{RESULTS}/logs/so_far/{{part}}.log",
    wildcard_constraints:
        part="first_row|round[0-9]+",
    priority: SO_FAR.priority(PAGE_SO_FAR)
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=100,
    shell:
        analysis("report.draw", "--output-dir $(dirname {output:q})")


rule verdict:
    """The verdict on a row by the rounds that are measured."""
    input:
        SO_FAR.measured_before(VERDICT),
        environment=ANALYSIS_ENVIRONMENT,
        plan=f"{RESULTS}/plan.json",
    output:
        VERDICT,
    log:
        f"{RESULTS}/logs/so_far/{ROW}/round{{run}}.log",
    priority: SO_FAR.priority(VERDICT)
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=100,
    shell:
        analysis(
            "report.verdict",
            "--row {wildcards.model} {wildcards.task} {wildcards.batch} --output {output}",
        )
