"""Write the tables of the documents that follow from declarations: of settings and of workloads.

PYTHONPATH=workflow .venv-test/bin/python docs/tables.py
"""

from __future__ import annotations

import re

from millistep.contracts.base import schema
from millistep.contracts.settings import DEFAULTS, SETTINGS, Setting, Settings, spelled
from millistep.planning.catalog import Model, Models, frameworks, measures
from millistep.planning.config import read_configuration
from millistep.planning.identity import ENVS

README = ENVS.parent / "config/README.md"
HEAD = "| setting | meaning | allowed | default | frameworks |\n|---|---|---|---|---|\n"
PAGE = ENVS.parent / "docs/workloads.md"
BELOW = "<!-- Below: python3 docs/tables.py -->\n"
SCALES = ("paper", "laptop")  # smoke only exercises the code
# By keys of `measures`, in the order of the list. `short` has none: it is below a row's name.
TITLES = {
    "step": "One step",
    "network": "Network",
    "inputs": "Inputs",
    "trained": "Trained",
    "optimizer": "Optimizer",
    "loss": "Loss",
    "precision": "Precision",
    "parameters": "Parameters",
    "memory": "Memory at least",
}


def with_settings(text: str) -> str:
    """Return the README's text with the table of the declaration."""
    table = HEAD + "".join(_line(name, about) for name, about in SETTINGS.items())
    return re.sub(re.escape(HEAD) + r"(\|.*\n)*", lambda _: table, text)


def _line(name: str, about: Setting) -> str:
    declared, default = schema(Settings)["properties"][name], DEFAULTS[name]
    allowed = declared["description"] if "description" in declared else _quoted(declared["enum"])
    default = _quoted([default] if default not in (None, []) else [])
    takers = [key for key, of in frameworks([]).items() if name in of.own]
    return f"| `{name}` | {about.title} | {allowed} | {default} | {_quoted(takers) or 'all'} |\n"


def _quoted(names) -> str:
    return ", ".join(f"`{spelled(name)}`" for name in names)


def with_rows(text: str) -> str:
    """Return the page's text with the tables of the models."""
    models = Models([])
    default = read_configuration(str(ENVS.parent / "config/config.yaml"))["models"]
    names = [*default, *(name for name in models.names() if name not in default)]
    sections = (_section(models.load(name)) for name in names)
    return text.partition(BELOW)[0] + BELOW + "".join(sections)


def _section(model: Model) -> str:
    tasks = "".join(_task(model, task) for task in model.tasks)
    return f"\n## {model.title}\n{tasks}"


def _task(model: Model, task: str) -> str:
    """Return a task's section: a list of what is the same at all scales, and a table of the
    rest.
    """
    about = model.tasks[task]
    words = [measures(model, task, scale) for scale in SCALES]
    sizes = [", ".join(f"{size:,}" for size in about.batch_sizes(scale)) for scale in SCALES]
    lines = [("Batch size", sizes)]
    lines += [(title, [each.get(name) for each in words]) for name, title in TITLES.items()]
    known = [(title, texts) for title, texts in lines if any(texts)]
    same = [f"- {title}: {texts[0]}\n" for title, texts in known if len(set(texts)) == 1]
    other = [(title, texts) for title, texts in known if len(set(texts)) > 1]
    table = "".join(f"| {title} | {' | '.join(texts)} |\n" for title, texts in other)
    head = f"\n| | {' | '.join(SCALES)} |\n|---|{'---|' * len(SCALES)}\n"
    return f"\n### {model.title} {task}\n\n{''.join(same)}" + (head + table if table else "")


if __name__ == "__main__":
    README.write_text(with_settings(README.read_text()))
    PAGE.write_text(with_rows(PAGE.read_text()))
