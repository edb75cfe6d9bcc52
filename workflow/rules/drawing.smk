# What the rules share that draw: their interpreter, what they are drawn by, their commands.
from planning.drawing import Drawing

# What everything that is drawn is drawn by, besides its own folders of workflow/analysis.
SHARED = ["workflow/contract", "workflow/schemas", "reference"]
SHARED += [
    "report/figures.yaml",
    "report/tables.yaml",
    "workflow/analysis/report/draw.py",
]
ROOMS = ("formats", "statistics", "results", "data", "comparisons", "writing")

DRAWING = Drawing(START, [*SHARED, *(f"workflow/analysis/{room}" for room in ROOMS)])
ANALYSIS_ENVIRONMENT, ANALYSIS_PYTHON = DRAWING.environment, DRAWING.python
drawn_by, analysis = DRAWING.drawn_by, DRAWING.analysis
MEASURED = f"{RESULTS}/measured.parquet"


def drawn(options):
    """The command that draws a part from what rule `runs` has read and checked."""
    return analysis(
        "report.draw",
        f"--measured {{input.measured}} --output-dir {{resources.results}} {options}",
    )


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
