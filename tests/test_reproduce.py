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

STUDIES = sorted((ROOT / "config/studies").glob("*.yaml"))
COLUMNS = [
    "pytorch-eager",
    {"framework": "pytorch-compiled", "mode": "default", "threads": 2},
    {"framework": "keras3-jax", "overlay": [{"keras": "3.10.0"}, "../keras"]},
    {"framework": "keras3-torch", "interpreter": "/opt/python3", "accelerator": "cpu"},
]
# Settings for all, and for some.
TABLE = {
    **{"scale": "paper", "weights": "preset"},
    **{"precision": "float32", "seed": 7, "threads": 1, "columns": COLUMNS},
    **{"interpreters": {"pytorch-eager": "/opt/python"}, "limits": {"time_s": 30}},
    **{"models": {"bert": {"fit": [4, 8]}}, "runs": {"default": 2, "bert": {"fit": {8: 3}}}},
}
CONFIGS = {path.stem: yaml.safe_load(path.read_text()) for path in STUDIES} | {"table": TABLE}


def titles(made):
    """Those of the frameworks of its columns, as a report takes them from the columns'."""
    return [column.framework_title for column in Plan.from_json(made.document()).columns]


def again(made):
    """The plan from what its report says."""
    told = settings(Results(Plan.from_json(made.document()), (), ""))
    return plan(**{"threads": made.threads, **yaml.safe_load(told)})


@pytest.mark.parametrize("name", CONFIGS)
def test_a_configuration_is_made_again_from_what_its_report_says(name, beside_keras, gpus):
    gpus(A100)
    made = plan(**{"threads": 2, **CONFIGS[name]})
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
