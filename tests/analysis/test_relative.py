"""The picture beside the table: time over that of the fastest column of each row."""

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from quiet_table import TORCH
from record_changes import slow_down, takes
from results_factory import Project, make_plan, unsupported

from analysis.data import Data
from analysis.figures.relative import CELL_IN, HUES, WHITE_FROM, relative


def test_digits_in_the_picture_have_contrast_on_every_hue():
    for share in (number / 100 for number in range(101)):
        linear = [v / 12.92 if v <= 0.04 else ((v + 0.055) / 1.055) ** 2.4 for v in HUES(share)]
        light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05
        assert (1.05 / light if share >= WHITE_FROM else light / 0.05) >= 4.5


def test_a_picture_of_two_columns_holds_all_that_is_written_in_it(tmp_path):
    results = Project(tmp_path, make_plan(columns=("keras3-jax", "keras3-torch"))).load()
    figure = relative(Data(results))
    drawn = FigureCanvasAgg(figure).get_renderer()
    figure.draw_without_rendering()
    extents = [text.get_window_extent(drawn) for text in figure.findobj(Text) if text.get_text()]
    assert len(extents) > 4
    assert all(e.x0 >= 0 and e.x1 <= figure.bbox.width for e in extents)
    assert all(e.y0 >= 0 and e.y1 <= figure.bbox.height for e in extents)
    assert figure.axes[0].bbox.height / figure.dpi / 2 > 0.9 * CELL_IN[1]  # of two rows
    (axes,) = figure.axes
    numbers = {text.get_position(): text.get_text() for text in axes.texts}
    assert [label.get_text() for label in axes.get_yticklabels()] == ["BERT fit", "BERT predict"]
    for y in axes.get_yticks():  # each beside its row and below its column
        assert [numbers[x, y] for x in axes.get_xticks()] == ["1.00", "3.75"]  # 8 and 30 ms


def test_a_box_of_the_picture_without_a_ratio_says_why(tmp_path):
    project = Project(tmp_path, unsupported(make_plan(), "keras2-tensorflow", "refused"))
    project.fail("oom", column="keras3-jax")
    project.change(lambda r: takes(r, 1500.0), "pytorch-eager")
    project.change(slow_down, "pytorch-compiled")
    project.records = {p: r for p, r in project.records.items() if TORCH not in p}
    texts = [text.get_text() for text in relative(project.data()).axes[0].texts]
    assert texts == ["NA", "1.00", "oom", "not\nmeasured", "150", "1.26*"] * 2  # not steady
