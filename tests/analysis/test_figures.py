import io
import sys
import xml.etree.ElementTree as ET
from functools import partial

import pytest
from conditions import gpu_readings
from drawn_pages import in_our_look
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from quiet_table import TORCH
from record_changes import stretch, takes
from results_factory import BERT_ROWS, Project, make_plan, unsupported
from tests.shared import python
from time_changes import scale, scattered
from whole_table import whole_table

from analysis.comparisons.gains import gains
from analysis.data import Data
from analysis.figures import blocks
from analysis.figures.drawing import FIGURES
from analysis.figures.panels import MOST_ROWS, NOTHING, short
from analysis.formats.text import ms
from analysis.report import draw
from analysis.results.plan import Column
from analysis.results.reference import load_reference
from analysis.topics.batch_sizes.figure import sample_ms
from planning.frameworks import frameworks
from planning.looks import look

HOSTILE = "<script> $x$ \\frac & ]]>"


def svg_of(draw, results):
    """A drawn figure, as the report has it."""
    svg = io.BytesIO()
    with in_our_look():
        draw(Data(results, load_reference())).savefig(svg, format="svg")
    return svg.getvalue()


def words(results, name):
    """What can be read in a figure."""
    return " ".join(ET.fromstring(svg_of(FIGURES[name], results)).itertext())


def test_labels_say_what_was_compared_and_on_what(project):
    results = project.load()
    over_keras2 = words(results, "speedup_over_keras2")
    assert "Keras 3 (JAX) over Keras 2 (TensorFlow)" in over_keras2
    assert "2.50\u00d7" in over_keras2 and "2.27\u00d7" in over_keras2
    data = Data(results, load_reference())
    assert FIGURES["speedup_over_keras2"](data).axes[0].get_gid() is None
    assert "published, on A100 40 GB" in over_keras2
    over_pytorch = words(results, "speedup_over_pytorch")
    assert "Keras 3 (JAX) over PyTorch (compiled)" in over_pytorch
    for found, base in ((over_keras2, "Keras 2"), (over_pytorch, "best plain PyTorch")):
        assert f"t({base}) / t(best Keras 3)" in found
    assert "1.50\u00d7" in over_pytorch


def test_effects_have_a_panel_each_and_say_what_is_missing(project, tmp_path):
    project.fail("oom", "all of it", column="pytorch-eager", task="fit")
    found = words(project.load(), "effects")
    assert "What does Keras 3 change on TensorFlow?" in found
    assert "PyTorch (compiled) against PyTorch (eager)" in found
    assert "+100 % [+100 %, +100 %], 2 rows" in found.replace("\u00a0", " ")
    assert "oom" in found and ", 1 row" in found
    alone = Project(tmp_path / "alone", make_plan(columns=("keras3-jax", "keras3-torch")))
    assert "no two columns of this table differ in one thing" in words(alone.load(), "effects")


def test_nothing_measured_still_draws_and_says_why(project):
    project.records = {}
    results = project.load()
    missing = "no ratio (Keras 3 not measured; Keras 2 not measured)"
    assert missing in words(results, "speedup_over_keras2")
    nothing = ("blocks", "break_even", "memory", "padding", "batch", "published", "why", "native")
    for name in nothing:
        assert "Nothing to draw: " in words(results, name)


def test_a_row_without_a_time_says_so_in_its_panel(project):
    project.fail("oom", "all of it", task="fit")
    assert "nothing measured" in words(project.load(), "memory")


def test_probes_memory_and_canaries_are_drawn(tmp_path):
    results = whole_table(tmp_path, runs=2).load()
    padding = words(results, "padding")
    assert "GEMMA generate, batch 32" in padding and "SAM fit" not in padding
    assert "ms per sample" in words(results, "batch")
    assert "bfloat16 matmul" in words(results, "blocks")
    spent = words(results, "why")
    assert all(text in spent for text in ("nothing computes", "normalisation", "optimizer", "oom"))
    measured = next(cell for cell in results.cells if cell.ok_runs)
    assert f" {ms(measured.step_ms)} ms " in spent
    assert "oom" in words(results, "memory")


def test_a_run_at_one_batch_size_alone_bends_no_line(quiet):

    def slower_and_without_probes(r):
        scale(r, 1.1)
        r["probes"] = []

    def points():
        return sample_ms(quiet.data())["bert", "fit", 8, TORCH]

    before = points()
    assert len(before) > 1
    quiet.change(slower_and_without_probes, TORCH, run=2)
    assert points() == pytest.approx(before)


def test_without_canaries_the_reason_stands_there(project):
    project.canaries = [None] * len(project.canaries)
    assert "not measured: no file" in words(project.load(), "blocks")


def test_stretches_and_canaries_are_drawn_in_per_cent(quiet):
    scattered(quiet)
    quiet.canaries[1]["python_loop_ms"] *= 1.04
    above, below = blocks.blocks(quiet.data()).axes
    drawn = {round(y) for line in above.lines[:2] for y in line.get_ydata()}
    assert drawn == {-10, 0, 10}
    assert {round(y) for line in below.lines for y in line.get_ydata()} >= {0, 4}


def test_too_many_blocks_for_a_page_are_drawn_as_pixels(project, monkeypatch):
    runs, results = len(project.records), project.load()
    as_shapes = svg_of(blocks.blocks, results)
    assert b"<image" not in as_shapes
    monkeypatch.setattr(blocks, "MOST_MARKS", runs)
    as_pixels = svg_of(blocks.blocks, results)
    assert b"<image" in as_pixels and b"data:image/png;base64" in as_pixels
    assert b"Stretches of steps</text>" in as_pixels  # words stay words
    assert as_pixels.count(b"<use ") < as_shapes.count(b"<use ") - runs


def test_rows_that_do_not_fit_are_counted(tmp_path):
    rows = [("bert", "fit", batch, None) for batch in range(1, MOST_ROWS + 3)]
    columns = ("keras2-tensorflow", "keras3-jax")
    results = Project(tmp_path, make_plan(runs=1, rows=rows, columns=columns)).load()
    note = f"The first {MOST_ROWS} of {MOST_ROWS + 2} panels; the tables have them all."
    for name in ("memory", "batch", "speedup_over_keras2"):
        assert note in words(results, name)
        assert not covered(FIGURES[name](Data(results, load_reference())), note)


def covered(figure, words):
    """Panels whose labels lie under a text of the figure."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    (text,) = (text for text in figure.findobj(Text) if text.get_text() == words)
    place = text.get_window_extent(renderer)
    return [axes for axes in figure.axes if axes.get_tightbbox(renderer).overlaps(place)]


def test_hostile_titles_and_missing_parts(tmp_path):
    plan = unsupported(make_plan(runs=1), "keras2-tensorflow", HOSTILE)
    plan["rows"][0]["title"] = HOSTILE
    project = Project(tmp_path, plan)
    project.change(lambda r: r["timing"].update(legacy=None, synchronised_ns=[]))
    project.change(lambda r: r["timing"].update(blocks=r["timing"]["blocks"][:1]))
    project.change(lambda r: r.update(memory={"peak_rss_mib": None, "peak_device_mib": 10.0}))
    results = project.load()
    for name in FIGURES:
        found = words(results, name)
        shown = name in ("blocks", "cross_over", "native", "padding", "published", "why")
        assert HOSTILE in found or shown


def test_memory_of_a_device_is_shown_by_every_count_that_there_is(project):
    by_driver = {"min": 1.0, "median": 2.0, "max": 7654.0}
    readings = gpu_readings(process_memory_mib=by_driver)
    assert "device, by" not in words(project.load(), "memory")
    project.change(lambda r: r["memory"].update(peak_device_mib=4321.0))
    found = words(project.load(), "memory")
    assert "device, by the framework" in found and "device, by the driver" not in found
    project.change(lambda r: r["monitor"].update(gpu=readings))
    found = words(project.load(), "memory")
    assert "device, by the driver" in found
    assert "4,321 + 7,654" in found


def test_axes_reach_a_little_beyond_what_they_show(project):
    def ends(name, of):
        return FIGURES[name](of.data(load_reference())).axes[0].get_xlim()

    project.change(lambda r: r["memory"].update(peak_rss_mib=200.0))
    project.change(lambda r: r["memory"].update(peak_rss_mib=None), task="fit")
    assert ends("memory", project) == (0, 1)  # nothing known of this row, but of others
    project.change(lambda r: r["memory"].update(peak_rss_mib=100.0), run=1)
    assert ends("memory", project) == pytest.approx((0, 105))


def test_wildly_different_runs_do_not_break_the_axes(project):
    project.change(partial(stretch, factor=50), column="keras2-tensorflow", run=2)
    results = project.load()
    assert all(words(results, name) for name in FIGURES)


@pytest.mark.parametrize(
    ("lucky_ms", "told"),
    [
        ((10.0, 12.0, 11.0), "without luck"),  # each of two is the fastest in rounds of its own
        ((8.0, 8.01, 8.02), None),  # there is one to choose
    ],
)
def test_a_speedup_stands_beside_its_whisker_with_what_luck_leaves_of_it(tmp_path, lucky_ms, told):
    times = {"keras2-tensorflow": (9.0, 30.0, 11.0), "keras3-jax": lucky_ms}
    times["keras3-tensorflow"] = (12.0, 10.0, 11.0)
    project = Project(tmp_path, make_plan(columns=tuple(times), rows=BERT_ROWS[:1], runs=3))
    for column, run_ms in times.items():
        for run, step_ms in enumerate(run_ms, start=1):
            project.change(partial(takes, step_ms=step_ms), column, run=run)
    with in_our_look():
        figure = FIGURES["speedup_over_keras2"](project.data(load_reference()))
        FigureCanvasAgg(figure).draw()
    (axes,) = figure.axes
    (gain,) = gains(project.load(), "keras3", "keras2")
    value = f"{gain.value:.2f}\u00d7"
    (label,) = (text for text in axes.texts if text.get_text().startswith(value))
    extent = label.get_window_extent()
    assert axes.bbox.x1 <= extent.x0 and extent.x1 <= figure.bbox.x1
    assert label.get_text().removeprefix(value) == (
        f"\n{gain.value / gain.luck:.2f}\u00d7 {told}" if told else ""
    )
    assert ("without the luck of choosing the fastest" in gain.text) == bool(told)


def test_a_family_without_columns_is_reported(tmp_path):
    project = Project(tmp_path, make_plan(columns=("keras3-jax", "keras3-torch")))
    found = words(project.load(), "speedup_over_pytorch")
    assert "plain PyTorch not among the columns" in found
    data = project.data(load_reference())
    assert FIGURES["speedup_over_pytorch"](data).axes[0].get_gid() == NOTHING  # pages leave it out


@pytest.mark.parametrize(
    ("value", "printed"), [(0.5, "0.5"), (1000, "1,000"), (20_000, "20k"), (2.5e6, "2.5M")]
)
def test_short_numbers(value, printed):
    assert short(value) == printed


def test_every_framework_has_a_look_of_its_own():
    own = [look(found, {}) for found in frameworks([]).values()]
    looks = [*own, Column("my-own", "My own", "mine", "my-own")]
    for part in ("colour", "marker", "hatch"):
        assert len({getattr(entry, part) for entry in looks}) == len(looks)


def test_no_command_waits_for_what_it_does_not_need():
    """Ruptures is for a series that changes."""
    loaded = "print([m for m in ('matplotlib', 'scipy', 'jinja2', 'ruptures') if m in sys.modules])"
    series = "from analysis.statistics.steady_state import steadiness as s; s([(10, 10**8)] * 10)"
    assert python("-c", f"import sys, analysis.report.draw; {loaded}") == "[]\n"
    assert "ruptures" not in python("-c", f"import sys; {series}; {loaded}")


def test_one_that_cannot_be_drawn_says_why_and_costs_no_other(
    project, tmp_path, monkeypatch, capfd
):
    """All of them, and that they are the same each time, tests/pipeline/test_archive.py has."""

    def broken(data):
        raise ZeroDivisionError("of $ 1\nby 0")

    monkeypatch.setattr(draw, "figure_modules", lambda: ("memory", "relative", "why"))
    monkeypatch.setitem(FIGURES, "memory", broken)
    folder = tmp_path / "figures"
    command = ["draw", "--plan", str(project.save()), "--output-dir", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", [*command, "--only", "figures"])
    draw.main()
    reason = "the drawing failed, ZeroDivisionError: of $ 1"
    assert capfd.readouterr().err.endswith(f"\nerror: figure memory: {reason}\n")
    text = " ".join(ET.fromstring((folder / "memory.svg").read_bytes()).itertext())
    assert f"Nothing to draw: {reason}." in " ".join(text.split())
    drawn = {path.name for path in folder.iterdir()}
    endings = ("svg", "pdf", "png")
    assert drawn == {f"{name}.{end}" for name in ("memory", "relative", "why") for end in endings}
