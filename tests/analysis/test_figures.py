import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
from results_factory import FRAMEWORKS, Project, make_plan, unsupported

from analysis.figures import FIGURES
from analysis.figures.__main__ import main
from analysis.reference import load_reference
from analysis.style import LOOKS, OTHER, look

HOSTILE = "<script> $x$ \\frac & ]]>"


def draw(project, folder, monkeypatch):
    command = ["figures", "--plan", str(project.save()), "--output-dir", str(folder)]
    monkeypatch.setattr(sys, "argv", command)
    main()
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def words(svg):
    return " ".join(ET.fromstring(svg).itertext())


def test_svg_and_png_are_the_same_every_time(project, tmp_path, monkeypatch):
    first = draw(project, tmp_path / "a", monkeypatch)
    assert set(first) == {f"{name}.{ending}" for name in FIGURES for ending in ("svg", "png")}
    assert draw(project, tmp_path / "b", monkeypatch) == first
    assert all(b"<dc:date>" not in content for content in first.values())


def test_labels_say_what_was_compared_and_on_what(project, tmp_path, monkeypatch):
    files = draw(project, tmp_path / "f", monkeypatch)
    over_keras2 = words(files["speedup_over_keras2.svg"])
    assert "Keras 3 (JAX) over Keras 2 (TensorFlow)" in over_keras2
    assert "2.50\u00d7" in over_keras2 and "2.27\u00d7" in over_keras2
    assert "published, on A100 40 GB" in over_keras2
    over_pytorch = words(files["speedup_over_pytorch.svg"])
    assert "Keras 3 (JAX) over PyTorch (compiled)" in over_pytorch
    assert "1.50\u00d7" in over_pytorch
    assert "8.016 ms" in words(files["blocks.svg"])
    assert "published arithmetic" in words(files["methods.svg"])


def test_nothing_measured_still_draws_and_says_why(project, tmp_path, monkeypatch):
    project.records = {}
    files = draw(project, tmp_path / "f", monkeypatch)
    assert "no ratio (Keras 3 not measured; Keras 2 not measured)" in words(
        files["speedup_over_keras2.svg"]
    )
    assert "nothing measured" in words(files["blocks.svg"])
    assert "nothing measured" in words(files["methods.svg"])


def test_hostile_titles_and_missing_parts(tmp_path, monkeypatch):
    plan = unsupported(make_plan(runs=1), "keras2-tensorflow", HOSTILE)
    plan["rows"][0]["title"] = HOSTILE
    project = Project(tmp_path, plan)
    project.change(lambda r: r["timing"].update(legacy=None, synchronised_ns=[]))
    project.change(lambda r: r["timing"].update(blocks=r["timing"]["blocks"][:1]))
    files = draw(project, tmp_path / "f", monkeypatch)
    assert "<script> $x$ \\frac & ]]>" in words(files["blocks.svg"])


@pytest.mark.parametrize("spread", [1.0, 50.0])
def test_wildly_different_runs_do_not_break_the_axes(project, tmp_path, monkeypatch, spread):
    def slow(record):
        for block in record["timing"]["blocks"]:
            block["elapsed_ns"] = int(block["elapsed_ns"] * spread)

    project.change(slow, framework="keras2-tensorflow", run=2)
    assert draw(project, tmp_path / "f", monkeypatch)


def test_no_column_of_a_family_is_said(tmp_path, monkeypatch):
    project = Project(tmp_path, make_plan(frameworks=("keras3-jax", "keras3-torch")))
    files = draw(project, tmp_path / "f", monkeypatch)
    assert "native PyTorch not among the columns" in words(files["speedup_over_pytorch.svg"])


def test_every_framework_has_a_look_of_its_own():
    assert set(LOOKS) == set(FRAMEWORKS)
    looks = [*LOOKS.values(), OTHER]
    for part in ("colour", "marker", "hatch"):
        assert len({getattr(entry, part) for entry in looks}) == len(looks)
    assert look("my-own") is OTHER


def test_other_commands_do_not_wait_for_matplotlib():
    code = "import sys, analysis.tables.__main__, analysis.caveats.__main__, analysis.show;"
    code += "import analysis.report.__main__;"
    code += "print([m for m in ('matplotlib', 'scipy', 'jinja2', 'yaml') if m in sys.modules])"
    path = str(load_reference.__code__.co_filename).rsplit("/analysis/", 1)[0]
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": path}, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]", done.stderr
