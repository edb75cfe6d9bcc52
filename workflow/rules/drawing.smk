# What the rules share that draw: their interpreter, what they are drawn by, their commands.

ANALYSIS_DEFINITION = SOURCES / "envs/analysis.yaml"
ANALYSIS_ENVIRONMENT = f"{RESULTS}/environments/analysis.json"
ANALYSIS_PYTHON = "python3"  # of the rule's conda environment
if not USE_CONDA:
    ANALYSIS_PYTHON = f"{virtual_prefix('analysis', ANALYSIS_DEFINITION)}/bin/python"

# What everything that is drawn is drawn by, besides its own folders of workflow/analysis.
SHARED = ["workflow/contract", "workflow/schemas", "reference"]
SHARED += ["report/figures.yaml", "report/tables.yaml"]
ROOMS = ("formats", "statistics", "results", "data", "comparisons", "writing", "topics")


def drawn_by(*rooms, texts=()):
    """A param: what is drawn is drawn again when its own code, texts or environment change."""
    folders = [f"workflow/analysis/{room}" for room in (*ROOMS, *rooms)]
    # The times of unpacked files say nothing.
    came = sha256(MEASURED_ELSEWHERE.read_bytes()).hexdigest() if ELSEWHERE else ""
    found = content_digest(SOURCES, *SHARED, *folders, *texts)
    return f"{found}-{definition_sha256(ANALYSIS_DEFINITION)}-{came}"


def analysis(name, options):
    """The command of a module of the analysis, for a rule with its python."""
    return (
        f"PYTHONPATH={WORKFLOW} {{resources.python:q}} -s -m analysis.{name}"
        f" --plan {{input.plan}} {options} 2> >(tee {{log}} >&2)"
    )


def lost_environment(wildcards):
    """A virtual environment that is not there any more is made again."""
    if not (USE_CONDA or os.access(ANALYSIS_PYTHON, os.X_OK)):
        if os.path.exists(ANALYSIS_ENVIRONMENT):
            workflow.dag.forcefiles.add(ANALYSIS_ENVIRONMENT)
    return []


def in_report(path, category, label, caption=None):
    """An output that Snakemake's own report shows, with the caption of its name."""
    return report(
        path,
        caption=f"../../report/captions/{caption or Path(path).stem}.rst",
        category=category,
        labels={category.lower().removesuffix("s"): label},
    )


def results(*names):
    return [f"{RESULTS}/{name}" for name in names]


def of_report(kind):
    """Figures or tables of the report, without those of topics that were taken out."""
    listed = read_yaml(SOURCES / f"report/{kind}.yaml")
    return [name for name, module in listed.items() if folder_of(module).is_dir()]


def folder_of(module):
    return SOURCES.joinpath("workflow/analysis", *module.split(".")[:-1])


def caption_of(figure):
    """Beside the figure's code where it is of a topic, else with the other captions."""
    where = read_yaml(SOURCES / "report/figures.yaml")[figure]
    own = folder_of(where) / f"{figure}.rst"
    return (own if own.exists() else SOURCES / "report/captions" / own.name).read_text()
