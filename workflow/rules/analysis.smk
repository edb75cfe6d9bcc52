# What the analysis runs in: an environment of its own, since Snakemake would import its pandas at
# every start.

ANALYSIS_DEFINITION = SOURCES / "envs/analysis.yaml"
ANALYSIS_ENVIRONMENT = f"{RESULTS}/environments/analysis.json"
ANALYSIS_PYTHON = "python3"  # of the rule's conda environment
if not USE_CONDA:
    ANALYSIS_PYTHON = f"{virtual_prefix('analysis', ANALYSIS_DEFINITION)}/bin/python"

# The analysis is redone when its own code, texts or environment change.
ANALYSIS = "-".join(
    [
        content_digest(
            SOURCES,
            "workflow/analysis",
            "workflow/contract",
            "workflow/schemas",
            "reference",
            "report",
        ),
        definition_sha256(ANALYSIS_DEFINITION),
        # The times of unpacked files say nothing.
        *([sha256(MEASURED_ELSEWHERE.read_bytes()).hexdigest()] if ELSEWHERE else []),
    ]
)


def analysis_module(name, options):
    """The command of a module of the analysis."""
    return f"PYTHONPATH={WORKFLOW} {{resources.python:q}} -s -m {name} {options}"


def lost_environment(wildcards):
    """A virtual environment that is not there any more is made again."""
    if not (USE_CONDA or os.access(ANALYSIS_PYTHON, os.X_OK)):
        if os.path.exists(ANALYSIS_ENVIRONMENT):
            workflow.dag.forcefiles.add(ANALYSIS_ENVIRONMENT)
    return []


rule analysis_environment:
    """What the analysis runs in, deployed."""
    input:
        lost_environment,
    output:
        ANALYSIS_ENVIRONMENT,
    log:
        f"{RESULTS}/logs/environments/analysis.log",
    # After the environments that are measured in: as early as it costs no number its time.
    priority: PLAN.order.of_analysis
    localrule: True
    conda:
        "../../envs/analysis.yaml"
    resources:
        machine_percent=100,
        place=f"{len(PLAN.order.deployments) + 1} of {len(PLAN.order.deployments) + 1}",
    params:
        definition=ANALYSIS_DEFINITION.as_posix(),
        sha256=definition_sha256(ANALYSIS_DEFINITION),
        method="conda" if USE_CONDA else "venv",
    shell:
        program(
            "deploy",
            "--name analysis --definition {params.definition}"
            " --method {params.method} --place {resources.place:q} --marker {output} --log {log}",
        )
