"""Tables as LaTeX: no live commands, nothing beyond the page."""

import re
import shutil
import subprocess

import pytest
from results_factory import FRAMEWORKS, Project, hostile_project, make_plan
from whole_table import whole_table

from analysis.results.reference import load_reference
from analysis.tables.latex import to_latex
from analysis.tables.model import main_table
from analysis.tables.published import published_table
from analysis.topics.effects.latex import effects

SETTINGS = ("", "+tf32", "+float32")
MANY = tuple(name + settings for name in FRAMEWORKS for settings in SETTINGS)
DOCUMENT = r"""\documentclass{article}\usepackage{booktabs,graphicx,longtable}
\begin{document}
%s\end{document}
"""
needs_pdflatex = pytest.mark.skipif(
    shutil.which("pdflatex") is None, reason="there is no pdflatex to compile with"
)


def compiled(folder, text):
    """What pdflatex prints about a document of this text."""
    (folder / "paper.tex").write_text(DOCUMENT % text)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout


def test_latex_escapes(tmp_path):
    text = to_latex(main_table(hostile_project(tmp_path).load()))
    assert "\\input{x}" not in text and "<" not in text and "\x1b" not in text
    assert "50 \\% of \\textbackslash{}input\\{x\\} \\$a\\$ \\_b\\_ \\&" in text
    rows = [line for line in text.splitlines() if line.endswith("\\\\")]
    assert {len(re.findall(r"(?<!\\)&", line)) for line in rows} == {7}
    commands = set(re.findall(r"\\([a-z]+)(?=[{\s\\])", text))
    assert {"toprule", "midrule", "bottomrule"} < commands
    assert text.count("\\begin{") == text.count("\\end{")


def letters(folder):
    plan = make_plan(runs=1)
    for row in plan["rows"]:
        row["title"] = "José Łukasz: 1 ± 2 × µ – ‘a’ “b” … ≥ 字"
    return to_latex(main_table(Project(folder, plan).load()))


TABLES = {
    "letters": letters,
    "hostile": lambda folder: to_latex(main_table(hostile_project(folder).load())),
    "whole": lambda folder: to_latex(main_table(whole_table(folder, runs=3).load())),
    "many": lambda folder: to_latex(main_table(whole_table(folder, runs=3, columns=MANY).load())),
    "published": lambda folder: to_latex(
        published_table(whole_table(folder, runs=2).load(), load_reference())
    ),
    "effects": lambda folder: effects(whole_table(folder, runs=3, columns=MANY).data()),
}


@needs_pdflatex
@pytest.mark.parametrize("name", TABLES)
def test_latex_compiles_within_the_page(tmp_path, name):
    printed = compiled(tmp_path, TABLES[name](tmp_path))
    for trouble in ("undefined", r"Overfull \hbox", "Float too large"):
        assert trouble not in printed


def test_a_table_of_many_columns_is_split_evenly(tmp_path):
    text = to_latex(main_table(whole_table(tmp_path, runs=2, columns=MANY[:8]).load()))
    assert "(part 2 of 2)" in text and "(part 3" not in text
    rows = [line for line in text.splitlines() if re.search(r"\\\\$", line)]
    assert {len(re.findall(r"(?<!\\)&", line)) for line in rows} == {5}
