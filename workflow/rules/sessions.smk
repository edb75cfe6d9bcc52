# In which sessions, where, and how fast the machine was: a file for each block.


def canaries_to_read(wildcards):
    """Those of this start, and of earlier ones as far as they were kept."""
    files = (
        (each, path)
        for each in PLAN.blocks
        for when in (sitting.BEFORE, sitting.AFTER)
        for path in each.canaries(when)
    )
    return [path for each, path in files if each.path in blocks_now() or os.path.exists(path)]


def blocks_to_read(wildcards):
    """The jobs of whole blocks, as far as they have anything to do or did it."""
    return [
        each.done
        for each in PLAN.blocks
        if each.path in blocks_now() or os.path.exists(each.done)
    ]


rule sessions:
    """The sessions of all blocks, from their canaries and records."""
    input:
        RECORDS,
        blocks_to_read if BESIDE else canaries_to_read,
        plan=f"{RESULTS}/plan.json",
    output:
        [update(path) for path in BLOCKS],  # with those of earlier sittings
    log:
        f"{RESULTS}/logs/sessions.log",
    localrule: True
    resources:
        machine_percent=1,
    shell:
        program("supervise sessions", "--plan {input.plan} 2> >(tee {log} >&2)")
