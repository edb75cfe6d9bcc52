"""Every column of every CSV file has a description in docs/dictionary.yaml."""

from fnmatch import fnmatchcase

import pandas as pd
import pytest

import dictionary
from millistep.analysis import claims, compare, published, tables
from millistep.analysis.report import appendix
from millistep.analysis.topics import TOPICS

pytestmark = pytest.mark.quick


@pytest.fixture(scope="module")
def columns(six, h100, tmp_path_factory):
    """The columns of each CSV file of two real result sets."""
    found = {}
    for data in (six, h100):
        folder = tmp_path_factory.mktemp("csv")
        tables.write(data, folder)
        tables.write_runs(data, folder)
        frames = {f"{name}.csv": topic.table(data) for name, topic in TOPICS.items()}
        frames |= {"operations.csv": appendix.longest_operations(data)}
        frames |= {"claims.csv": claims.table(data), "published.csv": published.table(data)}
        frames |= {"comparison.csv": compare.cells(data, data)}
        frames |= {path.name: pd.read_csv(path, nrows=0) for path in folder.glob("*.csv")}
        for name, frame in frames.items():
            found.setdefault(name, set()).update(frame.columns)
    return found


def test_every_column_is_described(columns):
    declared = dictionary.described()
    every = declared.pop(dictionary.EVERY)
    missing = {
        f"{file}: {name}"
        for file, names in columns.items()
        for name in names
        if not any(fnmatchcase(name, known) for known in [*every, *declared.get(file, [])])
    }
    assert not missing


def test_no_description_is_left_over(columns):
    declared = dictionary.described()
    all_names = {name for names in columns.values() for name in names}
    assert declared.pop(dictionary.EVERY).keys() <= all_names
    for file, names in declared.items():
        exact = {name for name in names if not name.endswith("*")} - {dictionary.ABOUT}
        assert exact - {"log_tail", "not_tried"} <= columns[file], file


def test_the_page_has_the_tables():
    text = dictionary.PAGE.read_text("utf-8")
    assert dictionary.with_tables(text) == text, "run: python docs/dictionary.py"
