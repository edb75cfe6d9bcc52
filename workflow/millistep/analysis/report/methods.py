"""Sections to copy: the methods text, computed from the runs, and how to cite the results."""

import re
from typing import Any

from millistep.analysis import caveat_frames
from millistep.analysis.archive.citation import bibtex, citation
from millistep.analysis.archive.contents import ROOT
from millistep.analysis.frames import GROUP, Data
from millistep.analysis.report.page import section
from millistep.analysis.report.setting import machines, measured, period, rounds, software
from millistep.analysis.stats import ALPHA, MIN_RUNS, MOST_CELLS, TIE
from millistep.analysis.words import count, listed, template

NOTHING = "No run has a time: there is nothing to cite."
TEXT = """\
We measured {{ models }} at {{ scale }} scale with {{ weights }} weights and seeded random inputs,
using Millistep {{ version }} on {{ machines }}, {{ period }}. The software was {{ software }}.
Each run is a fresh process that measures one workload (model, task, batch size) with one
configuration; {{ visits }} visited the configurations of a workload in random
order.
{%- if turns > 1 %} The processes of a round took turns, one timing window each.
{%- else %} The processes of a round ran one after another.
{%- endif %} After {{ warmup | count('warm-up step') }}, a run timed {{ steps | count('step') }} in
{{ windows | count('window') }} (medians) through the public API of the framework; a window ends
with a synchronization of the device. The time of a run is its total time over its total steps.
{%- if rounds > 1 %} The time of a cell is the geometric mean of its runs, with a 95 % Student t
interval on logarithms. We compared each configuration with the fastest of its workload by the mean
log ratio of their times in the same rounds
{%- if turns > 1 %}, each the median over neighboring windows{% endif %} (paired t test over rounds
at {{ alpha | percent }}, corrected for all pairs of a workload
{{- ' by Holm' if many else ' as in Bergmann and Hommel, 1988' }}
{{- ', and for repeated looks' if looks }}): a configuration is slower if the test is significant,
tied if the 95 % interval of its ratio lies within {{ tie | percent }} of 1, and inconclusive
otherwise.
{%- else %} With one run per cell there is no interval and no comparison.
{%- endif %}
{%- if excluded %} {{ excluded | count('measured cell') }} of {{ measured }}
{{ 'was' if excluded == 1 else 'were' }} excluded because of interference from other processes or
no steady state.{% endif %}
{%- if left_out %} {{ left_out | count('run') }} with interference
{{ 'is' if left_out == 1 else 'are' }} left out.{% endif %}
{%- if disturbed %} Of the other runs, {{ disturbed | count('window') }} with interference
{{ 'is' if disturbed == 1 else 'are' }} left out.{% endif %}
{%- if mixed > 1 %} Runs on {{ mixed }} machines were averaged per machine first; machines are the
independent values.
{%- elif hosts > 1 %} Each workload was measured on one of {{ hosts }} machines.
{%- else %} Intervals hold for this machine.{% endif %}"""


def sections(data: Data, digest: str) -> list[dict[str, Any]]:
    """Return the sections of the methods text and of the citation, for the report page."""
    cited = citation(ROOT)
    return [
        section("methods", "Methods text", text=methods(data, str(cited.get("version", "")))),
        section("cite", "How to cite", **citing(data, cited, digest)),
    ]


def methods(data: Data, version: str) -> str:
    """Return the methods text: at most 250 words."""
    runs, cells = data.runs[data.runs["ok"]], data.cells
    if runs.empty:
        return NOTHING
    timed = cells[cells["ms"].notna()]
    able = cells[cells["comparable"] & (cells["runs"] >= MIN_RUNS)]
    text = template(TEXT).render(
        models=listed(map(_cited, data.plan["models"].values())),
        scale=data.plan["scale"],
        weights=data.plan["weights"],
        version=version,
        machines=machines(runs),
        period=period(runs),
        software=software(data),
        rounds=data.plan["runs"],
        visits=rounds(data),
        turns=int(runs["timing.in_turns"].fillna(1).max()),
        warmup=int(runs["timing.warmup_steps"].fillna(0).median()),
        steps=int(runs["steps"].median()),
        windows=int(runs["windows"].median()),
        alpha=ALPHA,
        tie=TIE,
        many=able.groupby(GROUP, dropna=False).size().gt(MOST_CELLS).any(),
        looks=any(row["looks"] > 0 for row in data.plan["rows"]),
        left_out=int((~runs["used"]).sum()),
        disturbed=int(runs.loc[runs["used"], "disturbed_windows"].sum()),
        measured=len(timed),
        excluded=int((~timed["comparable"]).sum()),
        mixed=caveat_frames.machines(data)["machines"].max(),
        hosts=int(runs.groupby("accelerator")["machine.id"].nunique().max()),
    )
    return " ".join(text.split())


def _cited(model: dict[str, Any]) -> str:
    """Return 'BERT (Devlin et al. 2019)': the citation up to its year, or up to its first comma."""
    cited = model.get("citation") or ""
    year = re.match(r".*?\b(19|20)\d\d\b", cited)
    source = year[0] if year else cited.partition(",")[0]
    return f"{model['title']} ({source})" if source and source != "none" else model["title"]


def citing(data: Data, cited: dict[str, Any], digest: str) -> dict[str, str]:
    """Return how to cite the results: an introduction and BibTeX."""
    runs = data.runs[data.runs["ok"]]
    if runs.empty:
        return {"text": NOTHING}
    held = f"{len(runs)} of {count(len(data.runs), 'planned run')}"
    return {
        "text": "Archive the results with the target `archive` and cite the archive, because its "
        f"checksum fixes every number. These results hold {held}.",
        "code": bibtex(cited, f"{measured(data)}; sha256 of plan and records {digest}"),
    }
