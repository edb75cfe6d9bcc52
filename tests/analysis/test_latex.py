"""Tables as LaTeX: nothing but booktabs, no live commands, nothing beyond the page."""

import re
import shutil
import subprocess
from dataclasses import replace

import pytest
from hostile import hostile_project
from results_factory import FRAMEWORKS
from whole_table import whole_table

from analysis.data import Data
from analysis.formats.text import latex
from analysis.results.reference import load_reference
from analysis.tables.latex import to_latex
from analysis.tables.latex_width import width_pt
from analysis.tables.model import main_table
from analysis.tables.published import published_table
from analysis.topics.effects.latex import effects

SETTINGS = ("", "+tf32", "+float32")
MANY = tuple(name + settings for name in FRAMEWORKS for settings in SETTINGS)
DOCUMENT = (
    "\\documentclass{article}\\usepackage{booktabs,longtable}\\begin{document}\n%s\\end{document}"
)
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


def test_latex_escapes_and_needs_booktabs_alone(tmp_path):
    text = to_latex(main_table(hostile_project(tmp_path).load()))
    assert "\\input{x}" not in text and "<" not in text and "\x1b" not in text
    assert "50 \\% of \\textbackslash{}input\\{x\\} \\$a\\$ \\_b\\_ \\&" in text
    rows = [line for line in text.splitlines() if line.endswith("\\\\")]
    assert {len(re.findall(r"(?<!\\)&", line)) for line in rows} == {4}
    commands = set(re.findall(r"\\([a-z]+)(?=[{\s\\])", text))
    assert {"toprule", "midrule", "bottomrule"} < commands
    assert text.count("\\begin{") == text.count("\\end{") == 4


TABLES = {
    "hostile": lambda folder: to_latex(main_table(hostile_project(folder).load())),
    "whole": lambda folder: to_latex(main_table(whole_table(folder, runs=3).load())),
    "many": lambda folder: to_latex(main_table(whole_table(folder, runs=3, columns=MANY).load())),
    "published": lambda folder: to_latex(
        published_table(whole_table(folder, runs=2).load(), load_reference())
    ),
    "effects": lambda folder: effects(Data(whole_table(folder, runs=3, columns=MANY).load())),
}


@needs_pdflatex
@pytest.mark.parametrize("name", TABLES)
def test_latex_compiles_within_the_page(tmp_path, name):
    printed = compiled(tmp_path, TABLES[name](tmp_path))
    for trouble in ("undefined", r"Overfull \hbox", "Float too large"):
        assert trouble not in printed


@needs_pdflatex
def test_widths_are_those_of_latex_or_a_little_more(tmp_path):
    texts = [
        "Stable Diffusion",
        "(TensorFlow)",
        "[1234.5, 1300.2]",
        "WWW mmm @",
        "a_b%c&d#e",
        "<x>~^",
    ]
    kinds = {(7, False): "scriptsize", (5, False): "tiny", (7, True): "scriptsize\\bfseries"}
    asked = [(text, kind) for text in texts for kind in kinds]
    boxes = (
        rf"\setbox0=\hbox{{\{kinds[kind]} {latex(text)}}}\typeout{{width \the\wd0}}"
        for text, kind in asked
    )
    printed = compiled(tmp_path, "\n".join(["x", *boxes]))
    widths = list(map(float, re.findall(r"width ([\d.]+)pt", printed)))
    for (text, kind), width in zip(asked, widths, strict=True):
        assert width <= width_pt(text, *kind) <= 1.2 * width, text


def test_a_table_that_is_too_wide_is_split_evenly(tmp_path):
    table = main_table(whole_table(tmp_path, runs=3).load())
    text = to_latex(table)
    lines = [line for line in text.splitlines() if line.endswith("\\\\")]
    assert "(part 2 of 2)" in text and {line.count("&") for line in lines} == {4}
    columns, rows = table.columns[:3], (replace(row, cells=row.cells[:3]) for row in table.rows)
    assert "(part" not in to_latex(replace(table, columns=columns, rows=tuple(rows)))
