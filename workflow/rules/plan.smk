# The configuration, spelled out as cells and runs.


rule plan:
    """Every cell and run that the configuration asks for."""
    output:
        "results/plan.json",
    log:
        "results/logs/plan.log",
    priority: 2_000_000
    conda:
        "../../envs/analysis.yaml"
    params:
        config=json.dumps(PLAN.config, sort_keys=True),
        plan=PLAN.sha256,
    shell:
        "python3 -s workflow/write_plan.py --config {params.config:q} --output {output} 2> >(tee {log} >&2)"
