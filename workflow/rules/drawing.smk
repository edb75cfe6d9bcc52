# The parts that all drawing rules share: interpreter, digests of their code, commands.
from planning.drawing import Drawing

# The code and texts that all drawings depend on, besides their own folders of workflow/analysis.
SHARED = ["workflow/contract", "workflow/schemas", "reference"]
SHARED += [
    "report/figures.yaml",
    "report/tables.yaml",
    "workflow/analysis/report/draw.py",
]
ROOMS = ("formats", "statistics", "results", "data", "comparisons", "writing")

DRAWING = Drawing(START, [*SHARED, *(f"workflow/analysis/{room}" for room in ROOMS)])
ANALYSIS_ENVIRONMENT = DRAWING.environment
drawn_by, analysis = DRAWING.drawn_by, DRAWING.analysis
MEASURED = f"{RESULTS}/measured.parquet"


def drawn(options):
    """Return the command that draws a part from the records that rule `runs` has checked."""
    return analysis(
        "report.draw",
        f"--measured {{input.measured}} --output-dir {RESULTS} {options}",
    )


def in_report(path, category, label, caption=None):
    """Mark an output for Snakemake's own report, with the caption of the same name."""
    return report(
        path,
        caption=f"../../report/captions/{caption or Path(path).stem}.rst",
        category=category,
        labels={category.lower().removesuffix("s"): label},
    )


def results(*names):
    return [f"{RESULTS}/{name}" for name in names]
