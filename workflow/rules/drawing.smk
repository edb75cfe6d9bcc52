# The parts that all drawing rules share: interpreter, digest of their code, commands.
from millistep.planning.commands import Drawing

DRAWING = Drawing(START)
ANALYSIS_ENVIRONMENT = DRAWING.environment
analysis, render = DRAWING.analysis, DRAWING.render


def in_report(path, category, label, caption=None):
    """Mark an output for Snakemake's own report, with the caption of the same name."""
    return report(
        path,
        caption=f"../report/{caption or Path(path).stem}.rst",
        category=category,
        labels={category.lower().removesuffix("s"): label},
    )


def results(*names):
    return [f"{RESULTS}/{name}" for name in names]
