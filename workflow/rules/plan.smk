# The plan: the configuration, spelled out as cells and runs; and the bundle, with which a machine
# without Snakemake, conda or a network measures it. The results that come back are only shown here.


rule plan:
    """Write every cell and run of the configuration."""
    output:
        PLAN_FILE,
    log:
        f"{RESULTS}/logs/plan.log",
    priority: 2_000_000
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=UNTIMED,
    params:
        config=verbatim(PLAN.config_json),
        plan=PLAN.sha256,
        elsewhere="" if PLAN.here else "--elsewhere",
    shell:
        logged(
            "plan", "--config {params.config:q} {params.elsewhere} --output {output}"
        )


rule bundle:
    """The bundle: the plan and the code that measures it, without any framework."""
    input:
        JOBS.for_any_machine,
    output:
        f"{RESULTS}/millistep-bundle-{PLAN.scale}-{PLAN.accelerator}.zip",
    log:
        f"{RESULTS}/logs/bundle.log",
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=UNTIMED,
    params:
        config=verbatim(PLAN.config_json),
        content=JOBS.content_of_bundle,
    shell:
        logged("bundle", "--elsewhere --config {params.config:q} --output {output}")
