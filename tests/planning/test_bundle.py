"""A bundle's plan: for another machine, the same wherever it is made, small."""

import shutil
import sys
import zipfile
from types import SimpleNamespace

import pytest

from millistep.planning import files, this_machine
from millistep.planning.jobs import Jobs

from ..shared import put
from .records import identities
from .test_config import BERT, plan, refused

ELSEWHERE = {"scale": "paper", "accelerator": "cuda", "threads": 10_000, "runs": 3}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"scale": "auto"}, ["scale: auto", "--config scale=paper"]),
        ({"accelerator": "auto"}, ["accelerator: auto"]),
        ({"threads": "auto"}, ["threads: auto"]),
        ({"scale": "auto", "threads": "auto"}, ["scale: auto, threads: auto"]),
        ({"threads": "physical"}, ["threads: physical would be resolved on this machine"]),
        ({"runs": "auto"}, ["runs: auto depends on results", "runs=7"]),
        ({"interpreters": {"keras3-jax": "/usr/bin/python3"}}, ["interpreters", "run_bundle.py"]),
    ],
)
def test_what_would_be_taken_from_this_machine_is_refused_in_one_line(changes, words):
    refused(words, lambda: files.check_portable(plan(**{**ELSEWHERE, **changes})))


def test_a_plan_for_more_processors_is_refused_only_where_it_is_measured():
    planned = plan(**ELSEWHERE)
    files.check_portable(planned)
    words = ["threads: 10000 is more than the ", " CPUs here; allowed are 1 to "]
    refused(words, lambda: this_machine.check_processors(planned))


def test_every_timed_file_has_the_identity_that_snakemake_wants():
    planned = plan(**{**ELSEWHERE, "models": BERT})
    made = files.bundle_document(planned)
    jobs = [job for step in made["steps"] for job in step]
    found = {job["output"]: job["by"][0]["identity"] for job in jobs}
    references = {path for group in planned.groups for path in group.references.values()}
    assert references < found.keys()
    assert {path: i for path, i in found.items() if path not in references} == identities(planned)


def test_the_same_plan_makes_the_same_bytes_and_no_framework_is_in_it(tmp_path):
    one, two = tmp_path / "one.zip", tmp_path / "two.zip"
    files.write_bundle(plan(**ELSEWHERE), one)
    files.write_bundle(plan(**ELSEWHERE), two)
    assert one.read_bytes() == two.read_bytes()
    assert one.stat().st_size < 2**19
    names = zipfile.ZipFile(one).namelist()
    needed = {"run_bundle.py", "README.txt", "bundle.json", "envs/2026-11/cuda/pytorch.yaml"}
    assert needed <= {*names}
    assert not any("analysis" in name or "__pycache__" in name for name in names)
    # Nothing in it is of this machine.
    text = "".join(zipfile.ZipFile(one).read(name).decode() for name in names)
    assert sys.prefix not in text
    assert str(tmp_path) not in text


def test_a_users_models_travel_and_hidden_files_do_not(tmp_path):
    for name in ("models/mine/.secret/key", "models/mine/keras3.py", "models/notes.txt", "diary"):
        put(tmp_path / "mine" / name, "")
    planned = plan(**{**ELSEWHERE, "folders": [str(tmp_path / "mine")]})
    found = {name for name in files.bundle_files(planned) if name.startswith("folders/")}
    assert found == {"folders/0/models/mine/keras3.py", "folders/0/models/notes.txt"}
    # The rule packs them again if they change, wherever the folder is.
    shutil.copytree(tmp_path / "mine", tmp_path / "other")
    put(tmp_path / "other/models/mine/keras3.py", "import keras\n")
    plans = [planned, plan(**{**ELSEWHERE, "folders": [str(tmp_path / "other")]})]
    one, two = (Jobs(SimpleNamespace(plan=each)).content_of_bundle(None) for each in plans)
    assert one.partition("-")[0] != two.partition("-")[0]
