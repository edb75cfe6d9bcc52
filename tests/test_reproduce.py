"""What a report says of its columns: "How to reproduce" is a configuration and gives the same plan
again, and each has the title of its framework.
"""

import pytest
import yaml

from analysis.report.setting import settings
from analysis.results.plan import Plan
from analysis.results.results import Results
from analysis.tables.model import main_table

from .measure.nvidia_smi import A100
from .planning.test_config import plan
from .shared import ROOT
from .workshop import source_tree

STUDIES = sorted((ROOT / "config/studies").glob("*.yaml"))
COLUMNS = [
    "pytorch-eager",
    {"framework": "pytorch-compiled", "mode": "default", "threads": 2},
    {"framework": "keras3-jax", "overlay": [{"keras": "3.10.0"}, "../keras"]},
    {"framework": "keras3-torch", "interpreter": "/opt/python3", "accelerator": "cpu"},
]
GLOBAL = {"precision": "float32", "seed": 7, "weights": "preset"}
GLOBAL |= {"interpreters": {"pytorch-eager": "/opt/python"}, "runs": {"default": 2, "bert": 3}}


def titles(made):
    """Those of the frameworks of its columns, as a report takes them from the columns'."""
    return [column.framework_title for column in Plan.from_json(made.document()).columns]


def again(made):
    """The plan from what its report says."""
    told = settings(Results(Plan.from_json(made.document()), (), ""))
    return plan(**{"threads": made.threads, **yaml.safe_load(told)})


@pytest.mark.parametrize("study", STUDIES, ids=lambda path: path.stem)
def test_a_study(study, tmp_path, monkeypatch, gpus):
    gpus(A100)
    source_tree(tmp_path / "keras")
    (tmp_path / "millistep").mkdir()
    monkeypatch.chdir(tmp_path / "millistep")
    made = plan(**{"threads": 2, **yaml.safe_load(study.read_text())})
    assert again(made).document() == made.document()
    assert titles(made) == [column.framework.title for column in made.columns]


def test_a_table_with_settings_for_all_and_for_some(tmp_path, monkeypatch):
    source_tree(tmp_path / "keras")
    (tmp_path / "millistep").mkdir()
    monkeypatch.chdir(tmp_path / "millistep")
    made = plan(**GLOBAL, columns=COLUMNS, threads=1, models={"bert": {"fit": [4, 8]}})
    assert again(made).document() == made.document()
    assert titles(made) == [column.framework.title for column in made.columns]


def test_the_mode_of_a_framework_is_said_once_unless_it_has_several():
    def caption(*columns):
        made = plan(columns=[*columns], threads=1, models={"bert": {"fit": 8}})
        return main_table(Results(Plan.from_json(made.document()), (), "")).caption

    compiled = [
        "pytorch-compiled",
        {"framework": "pytorch-compiled", "precision": "float32"},
        {"framework": "pytorch-compiled", "optimizer": "fused"},
    ]
    told = "PyTorch (compiled): torch.compile in mode reduce-overhead."
    assert caption(*compiled).endswith(f" {told}") and caption(*compiled).count("mode") == 1
    other = caption(*compiled, {"framework": "pytorch-compiled", "mode": "default"})
    titles = "PyTorch (compiled); PyTorch (compiled), float32 and PyTorch (compiled), "
    assert titles in other and other.count("in mode reduce-overhead") == 1
