"""Means of a row's columns as if each had been measured in every round.

A column that lost a slow round would else have the lowest mean for that reason alone. Logarithms
are modelled as an effect of the column plus one of the round (least squares; randomised blocks);
the effect of a round that a column lacks is known from the columns that have it. Where every column
has every round, the means are the plain ones.
"""

import math
from collections.abc import Hashable, Mapping
from statistics import fmean

from analysis.statistics.intervals import Runs, nodes_of, run_logs
from analysis.statistics.starts import values_by

SWEEPS = 200  # of the least squares; a few are enough unless hardly any round is shared


def adjusted_logs(row: Mapping[str, Runs]) -> dict[str, float]:
    """Mean logarithm of every column that has runs, by name. Of a row that lies on several nodes,
    which weigh the same, a node counts as a round. A round that no other column shares is taken for
    an average one.
    """
    columns = {name: fmean(run_logs(runs)) for name, runs in row.items() if runs}
    logs = {name: {at: math.log(ms) for at, ms in row[name].items()} for name in columns}
    if len(nodes_of(at for found in logs.values() for at in found)) > 1:
        logs = {
            name: {node: fmean(each) for node, each in values_by("node", found).items()}
            for name, found in logs.items()
        }
    rounds: dict[Hashable, list[str]] = {}
    for name, found in logs.items():
        for place in found:
            rounds.setdefault(place, []).append(name)
    shared = {place: names for place, names in rounds.items() if len(names) > 1}
    if not shared:
        return columns
    if all(len(found) == len(rounds) for found in logs.values()):
        return columns
    for _ in range(SWEEPS):
        of_round = {
            place: fmean(logs[name][place] - columns[name] for name in names)
            for place, names in shared.items()
        }
        middle = fmean(of_round.values())
        columns = {
            name: fmean(log - of_round.get(place, middle) + middle for place, log in found.items())
            for name, found in logs.items()
        }
    return columns
