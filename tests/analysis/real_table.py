"""Tables as they were measured.

``six_columns.json``: BERT fit and Gemma generate at smoke scale on all six columns, three rounds,
on two processors of a virtual machine on which others worked, too. Of every record the longest 25
operations are kept, and the sum of the others; identities and lists of packages are shortened, and
what was printed is left out.

``h100.json``: BERT predict and Gemma fit at paper scale on an H100, one run of a cell with fewer
steps than the protocol's; cells that the half hour of it did not reach are missing. It is shortened
in the same way, with all operations.
"""

import json
from pathlib import Path

from tests.shared import put

from analysis.results.loading import load_results


def files(name):
    """The files of a table's results, by their paths."""
    return json.loads(Path(__file__).with_name(name).read_text())


FILES = files("six_columns.json")


def real_results(folder, of=FILES):
    """The results of a table, written into a folder."""
    for name, data in of.items():
        put(folder / name, json.dumps(data))
    return load_results(folder / "results/plan.json")
