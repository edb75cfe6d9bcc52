"""Draw the figures of the documents from the results of a default run.

python docs/figures.py   # docs/turns.svg, docs/rules.svg and docs/first-page.png
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

RESULTS = Path("results")
DOCS = Path("docs")
TURNS = 24
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
NODE = re.compile(r'(\d+)\[label = "([^"\\]+)')
BOXES = {
    "time_again": "time again (A/A)",
    "time_": "time, per configuration",
    "environment_": "environment, each",
    "reference_": "reference workload",
}
EDGE = re.compile(r"(\d+) -> (\d+)")


def turns() -> None:
    """Draw the first timing windows of the first workload: only one process computes at a time."""
    plan = json.loads((RESULTS / "plan.json").read_text())
    row = plan["rows"][0]
    place = f"{plan['scale']}/{row['model']}/{row['task']}-b{row['batch_size']}"
    paths = sorted((RESULTS / "records" / place).glob("*/run1.json"))
    records = [json.loads(path.read_text()) for path in paths]
    titles = {column["name"]: column["title"] for column in plan["columns"]}
    windows = {titles[r["cell"]["column"]]: r["timing"]["windows"] for r in records}
    began = min(window["start_ns"] for lane in windows.values() for window in lane)
    ends = sorted(w["start_ns"] + w["elapsed_ns"] for lane in windows.values() for w in lane)
    figure = Figure(figsize=(8, 2.4), layout="constrained")
    axes = figure.subplots()
    for number, lane in enumerate(windows.values()):
        bars = [((w["start_ns"] - began) / 1e9, w["elapsed_ns"] / 1e9) for w in lane]
        axes.broken_barh(bars, (number - 0.35, 0.7), color=f"C{number}")
    axes.set_yticks(range(len(windows)), windows)
    axes.invert_yaxis()
    axes.set_xlim(0, (ends[min(TURNS, len(ends)) - 1] - began) / 1e9)
    axes.set_xlabel("seconds since the first timing window")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(DOCS / "turns.svg", metadata={"Date": None})


def rules() -> None:
    """Draw Snakemake's graph of rules from left to right, each rule left of all that read it.

    Rules that exist once per configuration or environment are one box.
    """
    command = ["snakemake", "--rulegraph", "dot", "--quiet", "all", "--forceall"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    names = {number: _box(name) for number, name in NODE.findall(text)}
    found = {(names[tail], names[head]) for tail, head in EDGE.findall(text)}
    edges = sorted((tail, head) for tail, head in found if tail != head)
    depth = dict.fromkeys(names.values(), 0)
    for _ in names:
        for tail, head in edges:
            depth[head] = max(depth[head], depth[tail] + 1)
    figure = Figure(figsize=(9, 3), layout="constrained")
    axes = figure.subplots()
    places: dict[str, tuple[float, float]] = {}
    for column in range(max(depth.values()) + 1):
        layer = [node for node in depth if depth[node] == column]
        places |= {node: (column, (n + 1) / (len(layer) + 1)) for n, node in enumerate(layer)}
    box: dict[str, Any] = {"boxstyle": "round", "facecolor": "white", "edgecolor": "C0"}
    for node, place in places.items():
        axes.text(*place, node, ha="center", va="center", bbox=box)
    for tail, head in edges:
        arrow = {"arrowstyle": "->", "color": "0.5", "shrinkA": 45, "shrinkB": 45}
        axes.annotate("", places[head], places[tail], arrowprops=arrow, zorder=0)
    axes.set_xlim(-0.5, max(depth.values()) + 0.5)
    axes.set_ylim(0, 1)
    axes.set_axis_off()
    figure.savefig(DOCS / "rules.svg", metadata={"Date": None})


def _box(rule: str) -> str:
    for start, title in BOXES.items():
        if rule.startswith(start):
            return title
    return rule.replace("_", " ")


def first_page() -> None:
    """Take a picture of the top of the report."""
    browser = next(filter(None, map(shutil.which, BROWSERS)))
    page = (RESULTS / "report.html").resolve().as_uri()
    options = ["--headless", "--no-sandbox", "--hide-scrollbars", "--window-size=1100,860"]
    shot = f"--screenshot={(DOCS / 'first-page.png').resolve()}"
    subprocess.run([browser, *options, shot, page], check=True, capture_output=True)


if __name__ == "__main__":
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "millistep"})
    try:
        turns()
        rules()
        first_page()
    except OSError as error:
        sys.exit(f"millistep: {error.filename}: {error.strerror}; `make` writes it")
