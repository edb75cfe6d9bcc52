"""docs/files.md says what every file is, and every column of every CSV file."""

import csv
import re

from analysis.results.reference import load_reference
from analysis.tables.files import TABLES
from dictionary import EVERY, PAGE, ROOT, SAYS, described, with_tables


def test_every_column_of_every_file_is_described_and_no_other(project, tmp_path):
    data = project.data(load_reference(ROOT / "reference"))
    for write in TABLES.values():
        write(data, tmp_path)
    files = {path.name: path.read_text() for path in tmp_path.glob("*.csv")}
    headers = {name: next(csv.reader([text.partition("\n")[0]])) for name, text in files.items()}
    assert described().keys() == {EVERY, *headers}
    for name, header in headers.items():
        # One entry may describe a part of a record.
        known = {*described()[EVERY], *described()[name]}
        assert [c for c in header if not {c, f"{c.partition('.')[0]}.*"} & known] == [], name
        own = {column for column in described()[name] if "*" not in column} - {SAYS}
        assert own <= {*header}, name


def test_every_file_and_folder_of_the_results_is_described():
    paths = re.findall(r"^#   results/([^\s/]+)", (ROOT / "workflow/Snakefile").read_text(), re.M)
    names = [name for path in paths for name in path.split(".")[0].strip("{}").split(",")]
    page = PAGE.read_text()
    assert len(names) > 30
    assert [n for n in names if f"`{n}" not in page and f"`results/{n}/" not in page] == []


def test_the_page_is_current():
    assert with_tables(PAGE.read_text()) == PAGE.read_text(), "python docs/dictionary.py"
