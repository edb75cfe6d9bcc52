"""Numbers in the documents are those of the kept example and of the table that they count."""

import re
import zipfile

from tests.shared import ROOT

README = (ROOT / "README.md").read_text()
EXAMPLE = zipfile.ZipFile(ROOT / "docs/example.zip")
NUMBER = re.compile(r"\d+\.?\d*")
BOLD, NOT_SLOWER = "**", {"=", "?"}


def lines(text: str) -> list[list[str]]:
    """Return the cells of the first table in a page, its head first."""
    table = re.search(r"(^\|.*\n)+", text, re.M)[0].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    return [cells[0], *cells[2:]]


def test_the_readme_shows_three_workloads_of_the_example():
    titles, *rows = lines(EXAMPLE.read("table.md").decode())
    named = [dict(zip(titles, row, strict=True)) for row in rows]
    kept = {(row["Workload"].partition(", batch")[0], row["Batch size"]): row for row in named}
    assert len(kept) == len(rows) == 12
    (_, *columns), *shown = lines(README)
    assert len(shown) == 3
    for label, *cells in shown:
        name, _, batch_size = label.partition(", batch ")
        whole = kept[name, batch_size]
        assert not NOT_SLOWER & {*"".join(whole.values())}
        for title, cell in zip(columns, cells, strict=True):
            assert NUMBER.findall(cell) == [f"{float(n):.0f}" for n in NUMBER.findall(whole[title])]
            assert (BOLD in cell) == (BOLD in whole[title])


def test_the_readme_counts_the_fastest_as_the_example():
    sentence = re.search(r"Fastest or tied, of [^.]+\.", " ".join(README.split()))[0]
    assert sentence in EXAMPLE.read("report.html").decode()


def test_the_kinds_of_models_are_counted():
    text = (ROOT / "docs/kinds-of-models.md").read_text()
    assert int(re.search(r"has (\d+) tiny models", text)[1]) == len(lines(text)) - 1
