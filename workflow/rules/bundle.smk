# One small zip with which a machine without Snakemake, conda or a network measures this plan.
#
# What comes back is unpacked here, and is only drawn: see `elsewhere` of planning/start.py.

BUNDLE = f"{RESULTS}/millistep-bundle-{PLAN.scale}-{PLAN.accelerator}.zip"


rule bundle:
    """The plan, what measures it, and no framework."""
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
        envs=(SOURCES / "envs").as_posix(),
    params:
        config=WHOLE_CONFIG,
        # The environments' locks are in the identities; the user's models may hold data.
        sources=lambda wildcards: content_digest(SOURCES, "workflow"),
        models=lambda wildcards: content_digest(Path(), *PLAN.config["folders"]),
    shell:
        program(
            "planning bundle",
            "--envs {resources.envs:q} --config {params.config:q} --output {output}"
            " 2> >(tee {log} >&2)",
        )
