"""Figures and tables of the report, for what draws them and for the rules:
report/{figures,tables}.yaml.
"""

from pathlib import Path

WORKFLOW = Path(__file__).resolve().parents[1]
ANALYSIS, REPORT = WORKFLOW / "analysis", WORKFLOW.parent / "report"


def figure_modules() -> dict[str, str]:
    """The module in which each figure is drawn, in the report's order."""
    return _modules("figures.yaml")


def table_modules() -> dict[str, str]:
    """The module in which each table of a topic is made."""
    return _modules("tables.yaml")


def file_of(table: str) -> str:
    """Return the name of a table's file: CSV where its entry names no other format."""
    return table if Path(table).suffix else f"{table}.csv"


def _modules(name: str) -> dict[str, str]:
    """The entries of a file, without those of topics whose folder was taken out."""
    import yaml

    entries = yaml.safe_load((REPORT / name).read_text(encoding="utf-8"))
    return {entry: module for entry, module in entries.items() if is_there(module)}


def is_there(module: str) -> bool:
    """True if the analysis has this module, False if its topic was taken out."""
    return _folder(module).is_dir()


def figures_of(topic: str) -> list[str]:
    """The figures of a topic, in the report's order."""
    return [name for name, module in figure_modules().items() if f".{topic}." in module]


def caption(figure: str) -> str:
    """The text of <figure>.rst: in the folder of its topic, or in report/captions."""
    own = _folder(figure_modules()[figure]) / f"{figure}.rst"
    return (own if own.exists() else REPORT / "captions" / own.name).read_text(encoding="utf-8")


def _folder(module: str) -> Path:
    return ANALYSIS.joinpath(*module.split(".")[:-1])
