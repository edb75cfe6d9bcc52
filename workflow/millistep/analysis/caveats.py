"""Caveats: conditions that limit the use of a number. A kind is an entry of caveats.yaml."""

import re
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import yaml

from millistep.analysis import caveat_frames
from millistep.analysis.frames import CELL, Data
from millistep.analysis.topics import padding
from millistep.analysis.words import template

SEVERITIES = ["critical", "warning", "note", "setting"]
COLUMNS = ["kind", "severity", "title", "text", "remedy", "lines", "evidence"]
MOST_PLACES = 2


@dataclass(frozen=True)
class Kind:
    """An entry of caveats.yaml, whose comment describes the fields."""

    frame: str
    when: str
    severity: str
    title: str
    sentence: str
    remedy: str
    worst: str = ""

    def lines(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the lines of its frame that meet the condition, the worst first."""
        named = re.findall(r"`([^`]+)`", self.when)  # a record may lack any of its numbers
        frame = frame.reindex(columns=list(dict.fromkeys([*frame, *named])))
        frame[named] = frame[named].apply(pd.to_numeric)
        lines = frame.query(self.when, engine="python")
        if self.worst:
            end, column = self.worst.split()
            lines = lines.sort_values(column, ascending=end == "min", kind="stable")
        return lines


KINDS = {
    name: Kind(**entry)
    for name, entry in yaml.safe_load(
        Path(__file__).with_suffix(".yaml").read_text("utf-8")
    ).items()
}


def caveats(data: Data) -> pd.DataFrame:
    """Return a line per kind that applies, the most severe first, with the lines it rests on."""
    found = []
    names = {kind.frame for kind in KINDS.values()}
    frames = {name: getattr(caveat_frames, name)(data) for name in names}
    for name, kind in KINDS.items():
        lines = kind.lines(frames[kind.frame])
        if lines.empty:
            continue
        worst = lines.iloc[0].to_dict()
        where = places(lines) if {*CELL} <= {*lines} else ""
        more = {"lines": lines, "n": len(lines), "where": where, "padded": padding.padded_share}
        text = template(kind.sentence).render(worst, **more)
        line = (name, kind.severity, kind.title, text, kind.remedy, len(lines))
        found.append((*line, lines.to_dict("records")))
    table = pd.DataFrame(found, columns=COLUMNS)
    order = table["severity"].map(SEVERITIES.index)
    return table.iloc[order.argsort(kind="stable")].reset_index(drop=True)


def places(lines: pd.DataFrame) -> str:
    """Return 'Keras 3 (JAX) in BERT fit, batch 8; ... and 4 more', the worst first."""
    cells = lines.drop_duplicates(CELL)
    texts = [f"{line.title} in {line.workload}" for line in cells.head(MOST_PLACES).itertuples()]
    more = len(cells) - len(texts)
    return "; ".join(texts) + (f" and {more} more" if more else "")
