"""A model.yaml that is wrong: one line with the file, the key and what is allowed."""

import copy

import pytest
import yaml

from planning.config import ConfigError
from planning.models import Models

GOOD = {
    "title": "Small",
    "citation": "none",
    "preset": "none",
    "architecture": {scale: {"width": 8} for scale in ("paper", "laptop", "smoke")},
    "tasks": {
        "fit": {
            "published": [],
            **{scale: [8] for scale in ("paper", "laptop", "smoke")},
            "trains": "all",
            "parameters": {scale: 80 for scale in ("paper", "laptop", "smoke")},
        }
    },
}


def written(folder, text):
    path = folder / "models" / "small" / "model.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


def set_(*path_and_value):
    """A change: the value at a path of keys."""
    *path, key, value = path_and_value

    def change(content):
        for name in path:
            content = content[name]
        content[key] = value

    return change


def without(*path):
    *path, key = path

    def change(content):
        for name in path:
            content = content[name]
        del content[key]

    return change


def test_every_model_of_this_repository_is_as_the_schema_has_it():
    models = Models([])
    loaded = [models.load(name) for name in models.names()]
    assert len(loaded) == 14
    assert all(model.variant(ending) for model in loaded for ending in model.variants)


def test_a_complete_model_is_read(tmp_path):
    written(tmp_path, yaml.safe_dump(GOOD))
    model = Models([str(tmp_path)]).load("small")
    assert (model.title, model.unsupported) == ("Small", [])


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (without("title"), "the top level: 'title' is missing; needed are title, citation"),
        (without("tasks", "fit", "trains"), "tasks.fit: 'trains' is missing; needed are"),
        (
            without("tasks", "fit", "parameters", "paper"),
            "tasks.fit.parameters: 'paper' is missing; needed are paper, laptop, smoke",
        ),
        (
            set_("tasks", "train", {}),
            "tasks: unknown key 'train'; allowed are fit, generate, predict",
        ),
        (
            set_("tasks", "fit", "trains", "some"),
            "tasks.fit.trains: 'some' is not allowed; allowed are all, adapters, nothing",
        ),
        (
            set_("tasks", "fit", "smoke", [0]),
            "tasks.fit.smoke.0: 0 is not allowed; a batch size is a whole number from 1",
        ),
        (
            set_("tasks", "fit", "smoke", []),
            "tasks.fit.smoke: [] is not allowed; a list of at least one batch size from 1",
        ),
        (
            set_("tasks", "fit", "parameters", "paper", 0),
            "tasks.fit.parameters.paper: 0 is not allowed; "
            "how many parameters the model has, a whole number from 1",
        ),
        (
            set_("architecture", "smoke", 5),
            "architecture.smoke: 5 is not allowed; a mapping of sizes",
        ),
        (
            set_("unsupported", [{"column": "keras2-tensorflow"}]),
            "unsupported.0: 'reason' is missing; needed are column, reason",
        ),
        (set_("title", 7), "title: 7 is not allowed; the model's name in tables, in words"),
        (set_("preset", ""), "preset: '' is not allowed; the name of its published weights"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path, change, expected):
    content = copy.deepcopy(GOOD)
    change(content)
    path = written(tmp_path, yaml.safe_dump(content))
    with pytest.raises(ConfigError) as problem:
        Models([str(tmp_path)]).load("small")
    line = str(problem.value)
    assert line.startswith(f"configuration: {path}: {expected}")
    assert "\n" not in line


@pytest.mark.parametrize(
    ("text", "expected"),
    [("title: [", "line 2, column 1"), ("- 1", "not a mapping"), ("", "not a mapping")],
)
def test_what_is_no_mapping_is_one_line(tmp_path, text, expected):
    path = written(tmp_path, text)
    with pytest.raises(ConfigError, match=expected) as problem:
        Models([str(tmp_path)]).load("small")
    assert str(path) in str(problem.value) and "\n" not in str(problem.value)


WIDE = {"wide": {"sizes": {"width": 64}, "parameters": 640}}


def test_a_variant_is_the_model_with_other_sizes_under_a_name_of_its_own(tmp_path):
    content = copy.deepcopy(GOOD)
    content["architecture"]["paper"]["depth"] = 3
    written(tmp_path, yaml.safe_dump({**content, "variants": WIDE}))
    models = Models([str(tmp_path)])
    wide, small = models.load("small_wide"), models.load("small")
    assert (wide.title, wide.variant_of, small.variant_of) == ("Small wide", "small", None)
    assert wide.folder == small.folder
    # What it does not name is as in the paper, at every scale.
    assert all(sizes == {"width": 64, "depth": 3} for sizes in wide.architecture.values())
    assert set(wide.tasks["fit"]["parameters"].values()) == {640}
    assert small.architecture["laptop"] == {"width": 8}


def test_an_unknown_variant_is_told_from_those_there_are(tmp_path):
    written(tmp_path, yaml.safe_dump({**GOOD, "variants": WIDE}))
    with pytest.raises(ConfigError, match=r"unknown model 'small_narrow'; .*, small_wide$"):
        Models([str(tmp_path)]).load("small_narrow")


@pytest.mark.parametrize(
    ("variants", "expected"),
    [
        ({"Wide": WIDE["wide"]}, "variants: 'Wide' is not allowed; an ending is at most 20"),
        ({"wide": {"sizes": {"width": 64}}}, "variants.wide: 'parameters' is missing"),
        ({"wide": {**WIDE["wide"], "parameters": 0}}, "variants.wide.parameters: 0 is not allowed"),
    ],
)
def test_what_is_wrong_with_a_variant_is_one_line(tmp_path, variants, expected):
    written(tmp_path, yaml.safe_dump({**GOOD, "variants": variants}))
    with pytest.raises(ConfigError) as problem:
        Models([str(tmp_path)]).load("small")
    assert expected in str(problem.value) and "\n" not in str(problem.value)
