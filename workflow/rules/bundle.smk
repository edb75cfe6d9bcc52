# One small zip with which a machine without Snakemake, conda or a network measures this plan.
#
# The results that come back are only unpacked and shown here: see `elsewhere` in planning/start.py.

BUNDLE = f"{RESULTS}/millistep-bundle-{PLAN.scale}-{PLAN.accelerator}.zip"


rule bundle:
    """The bundle: the plan and the code that measures it, without any framework."""
    input:
        JOBS.for_any_machine,
    output:
        BUNDLE,
    log:
        f"{RESULTS}/logs/bundle.log",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=UNTIMED,
    params:
        config=WHOLE_CONFIG,
        sources=lambda wildcards: content_digest(SOURCES, "workflow"),
        # The identities in it cover the environments' locks.
        plan=lambda wildcards: PLAN.sha256,
        # Files that no model reads are packed, too.
        models=lambda wildcards: content_digest(Path(), *PLAN.config.folders),
    shell:
        program(
            "bundle",
            "--elsewhere --config {params.config:q} --output {output}"
            " 2> >(tee {log} >&2)",
        )
