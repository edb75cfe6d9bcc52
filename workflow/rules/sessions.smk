# In which sessions, where, and how fast the machine was: a file for each block.


rule sessions:
    """The sessions of all blocks, from their canaries and records."""
    input:
        RECORDS,
        BLOCK_JOBS.all if START.beside else JOBS.canaries,
        plan=f"{RESULTS}/plan.json",
    output:
        [update(path) for path in BLOCKS],  # with those of earlier sittings
    log:
        f"{RESULTS}/logs/sessions.log",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=1,
    shell:
        program("supervise sessions", "--plan {input.plan} 2> >(tee {log} >&2)")
