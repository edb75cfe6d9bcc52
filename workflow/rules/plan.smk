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
        # The order of the keys is nothing; that of models, tasks and columns is the table's.
        config=json.dumps(dict(sorted(PLAN.config.items()))),
        plan=PLAN.sha256,
        elsewhere="--elsewhere" if ELSEWHERE else "",
    shell:
        "python3 -s workflow/write_plan.py --config {params.config:q} {params.elsewhere}"
        " --output {output} 2> >(tee {log} >&2)"
