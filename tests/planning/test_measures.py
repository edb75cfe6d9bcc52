"""What rows measure, in words: complete for ours, current in the docs, one line where wrong."""

import copy
import re

import pytest
import yaml

from planning.config import ConfigError
from planning.measures import measures
from planning.models import Models
from planning.write_rows import PAGE, with_tables

from .test_config import plan
from .test_models import GOOD, set_, written

TRAINED = {"trained", "optimizer", "loss"}


def test_the_docs_have_what_the_models_say():
    assert with_tables(PAGE.read_text()) == PAGE.read_text(), "python3 workflow/planning rows"


def test_every_row_of_ours_says_what_it_measures():
    models = Models([])
    for model in map(models.load, models.names()):
        for task, about in model.tasks.items():
            needed = {"short", "step", "network", "inputs"}
            needed |= TRAINED if about["trains"] != "nothing" else set()
            assert {*about["measures"]} == needed, (model.name, task)
            for scale in model.architecture:
                words = measures(model, task, scale)
                assert len(words["short"]) <= 45 and not re.search("[{}]", "".join(words.values()))


def test_a_plan_has_the_sizes_of_its_scale_in_the_words():
    [row] = plan(models={"gemma": {"fit": 8}}, scale="laptop").document()["rows"]
    assert row["measures"]["short"] == "64 tokens, LoRA of rank 4"
    assert (row["measures"]["precision"], row["measures"]["parameters"]) == ("float32", "5,432,448")


def test_a_size_that_the_model_lacks_is_one_line(tmp_path):
    content = copy.deepcopy(GOOD)
    set_("tasks", "fit", "measures", {"short": "{widht} wide"})(content)
    written(tmp_path, yaml.safe_dump(content))
    said = "measures.short: 'widht' is no size of it; allowed in braces are width"
    with pytest.raises(ConfigError, match=said):
        measures(Models([str(tmp_path)]).load("small"), "fit", "smoke")
