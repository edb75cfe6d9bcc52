"""Write the tables of ``docs/rows.md``, which say what each row measures, from the models."""

from __future__ import annotations

from planning.config import read_configuration
from planning.frameworks import WORKFLOW
from planning.measures import TITLES, measures
from planning.models import Model, Models

PAGE = WORKFLOW.parent / "docs/rows.md"
BELOW = "<!-- Below: python3 workflow/planning rows -->\n"
SCALES = ("paper", "laptop")  # smoke only exercises the code


def with_tables(text: str) -> str:
    """The page's text with its tables made anew from the models."""
    models = Models([])
    default = read_configuration(str(WORKFLOW.parent / "config/config.yaml"))["models"]
    names = [*default, *(name for name in models.names() if name not in default)]
    sections = (_section(models.load(name)) for name in names)
    return text.partition(BELOW)[0] + BELOW + "".join(sections)


def _section(model: Model) -> str:
    tasks = "".join(_task(model, task) for task in model.tasks)
    return f"\n## {model.title}\n{tasks}"


def _task(model: Model, task: str) -> str:
    """A task's section: a list of what is the same at all scales, and a table of the rest."""
    about = model.tasks[task]
    words = [measures(model, task, scale) for scale in SCALES]
    sizes = [", ".join(f"{size:,}" for size in about[scale]) for scale in SCALES]
    lines = [("Batch size", sizes)]
    lines += [(title, [each.get(name) for each in words]) for name, title in TITLES.items()]
    known = [(title, texts) for title, texts in lines if any(texts)]
    same = [f"- {title}: {texts[0]}\n" for title, texts in known if len(set(texts)) == 1]
    other = [(title, texts) for title, texts in known if len(set(texts)) > 1]
    table = "".join(f"| {title} | {' | '.join(texts)} |\n" for title, texts in other)
    head = f"\n| | {' | '.join(SCALES)} |\n|---|{'---|' * len(SCALES)}\n"
    return f"\n### {model.title} {task}\n\n{''.join(same)}" + (head + table if table else "")


def main() -> int:
    PAGE.write_text(with_tables(PAGE.read_text()))
    return 0
