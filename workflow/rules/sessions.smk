# The sessions of each block, in a file of its own: when, where, and how fast the machine was.
#
# The only output has the digests of these files. As outputs, they would be thousands in a large
# plan with thousands of inputs each: Snakemake looks for each in all, and keeps all inputs of each.


rule sessions:
    """The sessions of all blocks, from their canaries and records."""
    input:
        RECORDS,
        JOBS.lost_blocks(SESSIONS[0]),
        BLOCK_JOBS.all if START.beside else JOBS.canaries,
        plan=f"{RESULTS}/plan.json",
    output:
        SESSIONS,
    log:
        f"{RESULTS}/logs/sessions.log",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=UNTIMED,
    params:
        # The code that puts them together.
        program=content_digest(SOURCES, "workflow/supervise/sessions.py"),
    shell:
        program(
            "supervise sessions",
            "--plan {input.plan} --output {output} 2> >(tee {log} >&2)",
        )
