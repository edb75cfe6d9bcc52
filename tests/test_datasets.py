"""Real data for trainings: fetched as pip is configured or from its address, and checked."""

import hashlib
import json
from dataclasses import replace

import pytest

from datasets.fetch import NotFetched, fetch
from datasets.registry import DATASETS, Dataset
from tests.shared import ROOT, python, served
from tests.workshop import build_wheel

CONTENT = b"0,0,5,13,9,1,0,0\n"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def address(tmp_path):
    """Address of a server of a folder with the file."""
    (tmp_path / "served").mkdir()
    (tmp_path / "served/mnist.npz").write_bytes(CONTENT)
    with served(tmp_path / "served") as found:
        yield found


def mnist(address):
    return Dataset("mnist", "mnist.npz", SHA256, f"{address}/mnist.npz")


def test_a_file_is_fetched_from_its_address(address, tmp_path):
    output = tmp_path / "results/data/mnist.npz"
    fetch(mnist(address), output)
    assert output.read_bytes() == CONTENT
    assert [path.name for path in output.parent.iterdir()] == ["mnist.npz"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda entry: replace(entry, sha256="0" * 64), "sha256 is"),
        (lambda entry: replace(entry, source=f"{entry.source}x"), "HTTP Error 404"),
        (lambda entry: replace(entry, source="http://127.0.0.1:9/x"), "refused"),
    ],
)
def test_what_is_not_the_file_is_said_in_one_line_and_left_out(address, tmp_path, change, words):
    output = tmp_path / "results/data/mnist.npz"
    with pytest.raises(NotFetched) as problem:
        fetch(change(mnist(address)), output)
    assert words in str(problem.value) and "\n" not in str(problem.value)
    assert list(output.parent.iterdir()) == []


@pytest.fixture
def wheels(tmp_path, monkeypatch):
    """A folder that pip looks in, with a wheel of scikit-learn that holds nothing but the file."""
    digits = DATASETS["digits"]
    name, _, version = digits.source.partition("==")
    build_wheel(tmp_path / "wheels", version, name, {digits.member: CONTENT})
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    return tmp_path / "wheels"


def test_digits_come_out_of_the_wheel_that_pip_finds(wheels, tmp_path):
    fetch(replace(DATASETS["digits"], sha256=SHA256), tmp_path / "digits.csv.gz")
    assert (tmp_path / "digits.csv.gz").read_bytes() == CONTENT


def test_what_cannot_be_fetched_ends_nothing(wheels, tmp_path):
    next(wheels.iterdir()).unlink()
    outcome = tmp_path / "digits.json"
    command = (ROOT / "workflow/datasets", "--name", "digits", "--folder", tmp_path)
    (line,) = python(*command, "--outcome", outcome).splitlines()
    assert line.startswith("millistep: digits is not there: pip download scikit-learn==")
    assert json.loads(outcome.read_text())["reason"] and not (tmp_path / "digits.csv.gz").exists()
