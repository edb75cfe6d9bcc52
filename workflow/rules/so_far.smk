# The report of what is measured so far, after the first workload and after each round.
import functools

from millistep.planning.jobs import so_far

SO_FAR = functools.cache(lambda: so_far(START))  # once Snakemake has all options


rule page_so_far:
    """Draw the report while no run is timed."""
    input:
        lambda wildcards: SO_FAR().get(wildcards.part, []),
        environment=ANALYSIS_ENVIRONMENT,
        plan=f"{RESULTS}/plan.json",
    output:
        f"{RESULTS}/so_far/{{part}}/report.html",
    log:
        f"{RESULTS}/logs/so_far/{{part}}.log",
    wildcard_constraints:
        part="first_workload|round[0-9]+",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=0,
    shell:
        program("alone", "--", render("$(dirname {output:q})", "--so-far"))
