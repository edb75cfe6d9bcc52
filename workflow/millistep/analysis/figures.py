"""Figures: the table, speed-ups of Keras 3, and the rounds over time.

Every figure is made with matplotlib alone and saved as SVG and PDF. Colors and markers of a
configuration are those of the plan. A topic brings `figure(data, panels)`.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from millistep.analysis import claims
from millistep.analysis.frames import CELL, GROUP, WORKLOAD, Data
from millistep.analysis.parallel import each
from millistep.analysis.stats import EXCLUDED, FASTEST, SLOWER, same_work
from millistep.analysis.tables import MARKS
from millistep.analysis.topics.pairs import FASTER
from millistep.analysis.words import NA, tried

matplotlib.use("agg")
INK, RULE, QUIET = "#1c1e21", "#c9cdd2", "#6b7178"  # the page replaces them in dark mode
RC: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "millistep",
    "pdf.fonttype": 42,
    "text.parse_math": False,
    "text.hinting": "no_hinting",  # widths as in a browser, which scales letters
    "font.sans-serif": ["DejaVu Sans"],
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": RULE,
    "legend.frameon": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
} | {
    name: INK
    for name in ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
}
WIDTH_IN, PANEL_IN, MOST_PANELS = 8.0, 2.3, 16
TITLE_CHARACTERS = 24  # of a line above a panel
DARKEST = 8.0  # times the fastest
MOST_ROWS, MOST_MARKS = 40, 10_000


def draw(name: str, draw_into: Callable[[Figure], None], folder: Path) -> bool:
    """Save a figure in every format; return False and save nothing if it is empty."""
    with matplotlib.rc_context(RC):
        figure = Figure(layout="constrained")
        draw_into(figure)
        if not figure.axes:
            return False
        engine: Any = figure.get_layout_engine()
        engine.set(w_pad=0.12)  # a browser's letters may be wider
        engine.execute(figure)  # once for all formats
        figure.set_layout_engine("none")
        folder.mkdir(parents=True, exist_ok=True)
        # `savefig` would draw everything twice, in case the bounding box were to be found.
        svg: Any = FigureCanvasSVG(figure)
        svg.print_svg(folder / f"{name}.svg", metadata={"Date": None})
        pdf: Any = FigureCanvasPdf(figure)
        pdf.print_pdf(folder / f"{name}.pdf", metadata={"CreationDate": None})
    return True


def of_topic(topic: Any, data: Data) -> Callable[[Figure], None]:
    """Return a function that draws the panels of a topic, two side by side."""

    def draw_into(figure: Figure) -> None:
        topic.figure(data, panels(figure))
        used = [axes for axes in figure.axes if axes.has_data()]
        for axes in set(figure.axes) - set(used):
            axes.remove()
        rows = -(-len(used) // 2)
        figure.set_size_inches(WIDTH_IN, PANEL_IN * max(rows, 1) + 0.6)
        grid = figure.add_gridspec(max(rows, 1), 2)
        for place, axes in enumerate(used):
            axes.set_subplotspec(grid[divmod(place, 2)])
        for axes in used:
            axes.set_title(fill(axes.get_title(loc="left"), TITLE_CHARACTERS))
        for axis in (axis for axes in used for axis in (axes.xaxis, axes.yaxis)):
            if axis.get_scale() == "log":
                _logarithmic(axis)
        handles: dict[str, Any] = {}
        for axes in used:
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
                handles.setdefault(label, handle)
        if handles:
            figure.legend(handles.values(), handles, loc="outside lower left", ncols=3, fontsize=8)

    return draw_into


def _logarithmic(axis: Axis) -> None:
    """Mark 1, 2, 5 and 10, or powers of ten over a long range, or equal steps within a short one.

    The labels of matplotlib are mathematics, which RC turns off, and minor ticks take half of the
    time of drawing.
    """
    low, high = axis.get_view_interval()
    if high < 10 * low:
        axis.set_major_locator(MaxNLocator(4))
    else:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 50 * low else (1.0,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_locator(NullLocator())


def panels(figure: Figure) -> Iterator[Axes]:
    """Yield axes for the first workloads; the CSV of the topic has all of them."""
    for place in range(MOST_PANELS):
        yield figure.add_subplot(MOST_PANELS, 1, place + 1)


def relative(data: Data, figure: Figure) -> None:
    """Draw a box per cell: its time over that of the fastest, with the mark of the table."""
    cells = data.cells.assign(shown=relative_to_fastest(data))
    total = data.cells[WORKLOAD].drop_duplicates()
    cells = cells.merge(total.head(MOST_ROWS), on=WORKLOAD)
    if cells["shown"].isna().all():
        return
    wanted = data.configurations
    grid = cells.pivot(index=WORKLOAD, columns="configuration", values="shown")
    order = pd.MultiIndex.from_frame(cells[WORKLOAD].drop_duplicates())
    grid = grid.reindex(index=order, columns=wanted["configuration"])
    labels = cells.drop_duplicates(WORKLOAD)["workload"].tolist()
    titles = [title.replace(" (", "\n(").replace(", ", ",\n") for title in wanted["title"]]
    wide_in = 0.3 + 0.068 * max(map(len, labels)) + 0.56 * len(titles)
    longest = max(len(line) for title in titles for line in title.split("\n"))
    figure.set_size_inches(max(3.7, wide_in), 0.5 + 0.068 * longest + 0.26 * len(labels))
    axes = figure.subplots()
    values = grid.to_numpy(float)
    axes.pcolormesh(values, cmap="Blues", norm=LogNorm(1, DARKEST), edgecolors="white", linewidth=1)
    axes.set_xticks(np.arange(len(titles)) + 0.5, titles, fontsize=8, rotation=90)
    axes.set_yticks(np.arange(len(labels)) + 0.5, labels, fontsize=8.5)
    axes.invert_yaxis()
    axes.xaxis.tick_top()
    axes.tick_params(length=0, pad=3)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    standing = cells.set_index(CELL)["standing"].to_dict()
    for (line, place), ratio in np.ndenumerate(values):
        found = standing.get((*order[line], grid.columns[place]))
        text, look = _box(ratio, found)
        axes.text(place + 0.5, line + 0.5, text, ha="center", va="center", **({"size": 8.5} | look))
    left_out = f" First {MOST_ROWS} workloads of {len(total)}." if len(total) > MOST_ROWS else ""
    legend = "Bold: fastest. =: tied. ?: inconclusive. *: excluded."
    figure.supxlabel(f"{legend}{left_out}", fontsize=7.5)


def relative_to_fastest(data: Data) -> pd.Series:
    """Return each cell's paired ratio to the fastest; by the means if there is none."""
    cells = data.cells
    lowest = (
        cells["ms"]
        .where(cells["comparable"])
        .groupby([cells[k] for k in GROUP], dropna=False)
        .transform("min")
    )
    return cells["ratio"].fillna(cells["ms"] / lowest)


def _box(ratio: float, standing: str | None) -> tuple[str, dict[str, Any]]:
    """Return the text of a box and its look; black and white are readable on every blue."""
    if np.isnan(ratio):
        return NA, {"color": QUIET, "size": 6.8}
    text = f"{ratio:.2f}" if ratio < 99.5 else f"{ratio:.0f}"
    look = {"color": "white" if np.log(ratio) >= 0.72 * np.log(DARKEST) else "black"}
    look |= {"weight": "bold"} if standing == FASTEST else {}
    return text + (MARKS | {EXCLUDED: "*"}).get(standing or "", ""), look


def speedup(data: Data, figure: Figure, family: str) -> None:
    """Draw the speed-up of the fastest Keras 3 configuration over the fastest of a family."""
    found = best_of_keras3(data, family).head(MOST_ROWS)
    if found.empty:
        return
    figure.set_size_inches(WIDTH_IN, 1.1 + 0.42 * len(found))
    axes = figure.subplots()
    colors = data.configurations.set_index("configuration")["color"]
    for place, line in enumerate(found.itertuples()):
        ends = [[line.speedup - line.low], [line.high - line.speedup]]
        known = not np.isnan(line.low)
        shown = INK if line.verdict in (FASTER, SLOWER) else QUIET
        axes.barh(place, line.speedup, color=colors[line.new], height=0.55, alpha=0.85)
        axes.errorbar(
            line.speedup, place, xerr=ends if known else None, color=INK, capsize=3, fmt="none"
        )
        beyond = line.high if known else line.speedup
        label = f" {line.speedup:.2f}"
        axes.annotate(
            label,
            (beyond, place),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            color=shown,
            fontsize=9,
        )
    axes.set_yticks(
        range(len(found)),
        found["workload"] + "\n" + found["title"] + " over " + found["base_title"] + found["about"],
        fontsize=7.5,
    )
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.axvline(1, color=INK, linewidth=1)
    axes.set_xlim(0, 1.15 * max(1.5, np.nanmax(found[["high", "speedup"]].to_numpy(float))))
    axes.set_xlabel("times as fast; beyond 1, Keras 3 is faster. Grey: not shown to differ from 1.")


def best_of_keras3(data: Data, family: str) -> pd.DataFrame:
    """Return the speed-up of the fastest Keras 3 configuration by workload, with its interval."""
    asked: dict[str, Any] = {"new": "family == 'keras3'", "base": f"family == '{family}'"}
    asked["same"] = ["stack", "accelerator"]
    cells = claims.rivals(data.cells)
    found = claims.gains(asked, cells, data)
    found[["low", "high"]] += 1
    titles = data.configurations.set_index("configuration")["title"]
    order = data.workloads[WORKLOAD].assign(order=range(len(data.workloads)))
    found = found.assign(new=found["configuration"], base_title=found["base"].map(titles))
    sides = cells[cells["family"].isin(["keras3", family])]
    other = sides.loc[~same_work(sides, GROUP), WORKLOAD]
    marked = pd.MultiIndex.from_frame(found[WORKLOAD]).isin(pd.MultiIndex.from_frame(other))
    found["about"] = np.where(marked, "\ndifferent numbers of parameters", "")
    return found.merge(order, on=WORKLOAD).sort_values("order", kind="stable")


def rounds(data: Data, figure: Figure) -> None:
    """Draw every timing window over time, as a deviation from the mean of its cell."""
    runs = data.runs[data.runs["ok"]].sort_values("started_at", kind="stable")
    if runs.empty:
        return
    means = runs[CELL].join(data.cells.set_index(CELL)["ms"], on=CELL)["ms"]
    found = data.windows.join(pd.DataFrame({"ms": means, "order": range(len(runs))}), how="inner")
    found["percent"] = 100 * (found["ms_per_step"] / found["ms"] - 1)
    last = found["window"].groupby(level=0).transform("max")
    found["place"] = found["order"] + (found["window"] - 0.5) / last - 0.5
    found = found.iloc[:: max(1, len(found) // MOST_MARKS)]  # evenly chosen from many
    figure.set_size_inches(WIDTH_IN, 3.4)
    axes = figure.subplots()
    for line in data.configurations.itertuples():
        of = found[found["configuration"] == line.configuration]
        axes.plot(
            of["place"], of["percent"], line.marker, color=line.color, markersize=2.4,
            linestyle="", label=line.title,
        )  # fmt: skip
    reach = max(3.0, 1.1 * found["percent"].abs().quantile(0.99))
    axes.set_ylim(-reach, reach)
    axes.axhline(0, color=INK, linewidth=0.8)
    next_rounds = np.flatnonzero(np.diff(runs["run"].to_numpy())) + 0.5
    axes.vlines(next_rounds, -reach, reach, color=RULE, linewidth=1)
    axes.set_xlabel("runs in the order of their start; lines: next round")
    axes.set_ylabel("window against mean of its cell (%)")
    handles = [
        Line2D([], [], color=c.color, marker=c.marker, linestyle="", label=c.title)
        for c in data.configurations.itertuples()
    ]
    figure.legend(handles=handles, loc="outside lower left", ncols=3, fontsize=8)


def draw_all(data: Data, topics: dict[str, Any], folder: Path) -> list[str]:
    """Draw every figure that has something to show and return their names."""
    jobs: dict[str, Callable[[Figure], None]] = {
        "relative": lambda figure: relative(data, figure),
        "speedup_over_keras2": lambda figure: speedup(data, figure, "keras2"),
        "speedup_over_pytorch": lambda figure: speedup(data, figure, "pytorch"),
        "rounds": lambda figure: rounds(data, figure),
    }
    jobs |= {
        name: of_topic(topic, data) for name, topic in topics.items() if hasattr(topic, "figure")
    }
    drawn = each(lambda name: tried(f"figure {name}", draw, name, jobs[name], folder), list(jobs))
    return [name for name, shows in zip(jobs, drawn, strict=True) if shows]
