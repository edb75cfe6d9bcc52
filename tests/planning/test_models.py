"""Models: one line about a model.yaml that is wrong, variants, and the study of CPU against GPU."""

import copy
import json
import re

import pytest
import yaml

from millistep.planning.catalog import Models, measures
from millistep.supervise import machine, processors
from tables import PAGE, with_rows

from ..measure.nvml import A100
from ..shared import ROOT, SMALL_NETS, put
from .test_config import plan, refused

TRAINED = {"trained", "optimizer", "loss"}
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
    return put(folder / "models/small/model.yaml", text)


def set_at(content, *path_and_value):
    """Set the value at a path of keys in a document, or remove the key if it is None."""
    *path, key, value = path_and_value
    for name in path:
        content = content[name]
    content[key] = value
    if value is None:
        del content[key]


MISSING = "is missing; needed are"
PARAMETERS, KERAS2 = ("tasks", "fit", "parameters", "paper"), {"column": "keras2-tensorflow"}
WIDE = {"sizes": {"width": 64}, "parameters": 640}
EMPTY, NUMBER = WIDE | {"parameters": 0}, "the model's number of parameters is a whole"
CHANGES = [
    (("title", None), f"the top level: 'title' {MISSING} title, citation"),
    (("tasks", "fit", "trains", None), f"tasks.fit: 'trains' {MISSING}"),
    ((*PARAMETERS, None), f"tasks.fit.parameters: 'paper' {MISSING} paper, laptop, smoke"),
    (("tasks", "train", {}), "tasks: unknown key 'train'; allowed are fit, generate, predict"),
    (("tasks", "fit", "trains", "some"), "'some' is not allowed; allowed are all, adapters"),
    (("tasks", "fit", "smoke", [0]), "tasks.fit.smoke.0: 0 is not allowed; a batch size is a"),
    (("tasks", "fit", "smoke", []), "tasks.fit.smoke: [] is not allowed; a list of at least one"),
    ((*PARAMETERS, 0), f"tasks.fit.parameters.paper: 0 is not allowed; {NUMBER}"),
    (("tasks", "fit", "smoke", [8, 8]), "tasks.fit.smoke: 8 appears twice"),
    (("architecture", "smoke", 5), "architecture.smoke: 5 is not allowed; a mapping of sizes"),
    (("unsupported", [KERAS2]), f"unsupported.0: 'reason' {MISSING} column, reason"),
    (("unsupported", ["keras2-tensorflow"]), "is not allowed; a mapping with column, task, jit"),
    (("builders", "large"), "builders: there is no folder"),
    (("title", 7), "title: 7 is not allowed; the model's name in tables, as text"),
    (("title", "two\nlines"), "is not allowed; the model's name in tables, as text in one line"),
    (("preset", ""), "preset: '' is not allowed; the name of its published weights"),
    (("variants", {"Wide": WIDE}), "variants: 'Wide' is not allowed; a suffix has at most 20"),
    (("variants", {"wide": {"sizes": {"width": 64}}}), "variants.wide: 'parameters' is missing"),
    (("variants", {"wide": EMPTY}), "variants.wide.parameters: 0 is not allowed"),
    *[
        (("tasks", "fit", "probes", {"smoke": [probe]}), f"tasks.fit.probes.smoke.0{words}")
        for probe, words in (
            ({"widht": 4}, ": unknown size 'widht'; allowed are batch_size, max_length, prompt_"),
            ({"width": "four"}, ".width: 'four' is not allowed; a whole number from 0, as in arch"),
            ({"width": -4}, ".width: -4 is not allowed; a whole number from 0, as in architect"),
            ({"batch_size": 0}, ".batch_size: 0 is not allowed; a whole number from 1"),
            ({"max_length": 9, "prompt_tokens": 9}, ".prompt_tokens: 9 is not allowed; less than"),
        )
    ],
]
TEXTS = [("title: [", "line 2, column 1"), ("- 1", "not a mapping"), ("", "not a mapping")]
TEXTS += [("a:\n\tb: 1", "; this line has a tab")]


@pytest.mark.parametrize(("change", "words"), [*CHANGES, *TEXTS])
def test_what_is_wrong_is_one_line(tmp_path, change, words):
    content = copy.deepcopy(GOOD)
    if isinstance(change, tuple):
        set_at(content, *change)
        change = yaml.safe_dump(content)
    path = written(tmp_path, change)
    refused([f"configuration: {path}", words], lambda: Models([str(tmp_path)]).load("small"))


def test_a_number_with_an_exponent_is_a_number(tmp_path):
    written(tmp_path, yaml.safe_dump(GOOD).replace("width: 8", "rate: 1e-3"))
    assert Models([str(tmp_path)]).load("small").architecture["smoke"]["rate"] == 0.001


def test_a_variant_is_the_model_with_other_sizes_under_a_name_of_its_own(tmp_path):
    content = copy.deepcopy(GOOD)
    content["architecture"]["paper"]["depth"] = 3
    written(tmp_path, yaml.safe_dump({**content, "variants": {"wide": WIDE}}))
    models = Models([str(tmp_path)])
    wide, small = models.load("small_wide"), models.load("small")
    assert (wide.title, wide.variant_of, small.variant_of) == ("Small wide", "small", None)
    assert wide.folder == small.folder
    # Sizes that it does not name are those of the paper, at every scale.
    assert all(sizes == {"width": 64, "depth": 3} for sizes in wide.architecture.values())
    assert set(wide.tasks["fit"].parameters.values()) == {640}
    assert small.architecture["laptop"] == {"width": 8}


def test_the_docs_have_what_the_models_say():
    assert with_rows(PAGE.read_text()) == PAGE.read_text(), "python3 docs/tables.py"


def test_every_row_of_ours_says_what_it_measures():
    models = Models([])
    loaded = [models.load(name) for name in models.names()]
    assert len(loaded) == 5
    for model in loaded:
        assert all(model.variant(ending) for ending in model.variants)
        for task, about in model.tasks.items():
            needed = {"short", "step", "network", "inputs"}
            needed |= TRAINED if about.trains != "nothing" else set()
            assert about.measures.model_fields_set == needed, (model.name, task)
            for scale in model.architecture:
                words = measures(model, task, scale)
                assert len(words["short"]) <= 45 and not re.search("[{}]", "".join(words.values()))


def test_a_plan_has_the_sizes_of_its_scale_in_the_words():
    [row] = plan(models={"gemma": {"fit": 8}}, scale="laptop").document()["rows"]
    assert row["measures"]["short"] == "64 tokens, LoRA of rank 4"
    assert (row["measures"]["precision"], row["measures"]["parameters"]) == ("float32", "5,506,944")


def own(folder, **changes):
    """A plan's configuration of a custom model, with the files that it needs."""
    path = written(folder, yaml.safe_dump({**copy.deepcopy(GOOD), **changes}))
    put(path.with_name("keras3.py"), "build = attention = batch = None\n")
    put(path.with_name("work.py"), "per_step = None\n")
    models = {"small": {"fit": "default"}}
    return {"models": models, "folders": [str(folder)], "columns": ["keras3-jax"]}


def test_what_no_file_names_is_refused_where_a_plan_is_made(tmp_path):
    entry = {"column": "keras3-jax+tf32", "reason": "of a column that is not asked for"}
    plan(**own(tmp_path / "right", unsupported=[entry]))
    entry["column"] = "keras2-tensorfow"
    words = ["model.yaml: unsupported: unknown column 'keras2-tensorfow'; allowed are keras2-t"]
    refused(words, **own(tmp_path / "misspelt", unsupported=[entry]))
    tasks = copy.deepcopy(GOOD["tasks"])
    tasks["fit"]["measures"] = {"short": "{input} inputs"}
    words = ["model.yaml: tasks.fit.measures.short: 'input': not a size of the model"]
    refused(words, **own(tmp_path / "sizes", tasks=tasks))
    asked = {**own(tmp_path / "deep"), "folders": [str(tmp_path / "deep/models")]}
    refused([f"no folder models or frameworks; '{tmp_path / 'deep'}' has"], **asked)


@pytest.mark.parametrize("field", ["widht", "width.x", "width[a]", "0", "width!x"])
def test_a_size_that_the_model_lacks_is_one_line(tmp_path, field):
    content = copy.deepcopy(GOOD)
    set_at(content, "tasks", "fit", "measures", {"short": f"{{{field}}} wide"})
    written(tmp_path, yaml.safe_dump(content))
    words = ["measures.short: ", ": not a size of the model; allowed in braces are width"]
    refused(words, lambda: measures(Models([str(tmp_path)]).load("small"), "fit", "smoke"))


def test_a_custom_model_has_its_own_name(tmp_path):
    text = yaml.safe_dump(GOOD)
    path = put(tmp_path / "models/bert/model.yaml", text).parent
    refused(
        [f"{path}: another folder has this name, too; rename one"], lambda: Models([str(tmp_path)])
    )
    for folder in ("a", "b"):
        second = put(tmp_path / folder / "models/_common/inputs.py", "").parent
        put(tmp_path / folder / "models/__init__.py", "")
    both = [str(tmp_path / folder) for folder in ("a", "b")]
    refused([f"{second}: another folder has this name, too; rename one"], lambda: Models(both))


def test_two_models_of_one_title_are_refused_where_both_are_measured(tmp_path):
    asked = own(tmp_path, title="BERT")
    plan(**asked)
    both = {**asked["models"], "bert": {"fit": "default"}}
    refused(["models: small and bert have one title, 'BERT'"], **{**asked, "models": both})


def test_a_variant_has_no_size_that_its_model_does_not_have(tmp_path):
    wide = {"sizes": {"widht": 16}, "parameters": 160}
    written(tmp_path, yaml.safe_dump({**GOOD, "variants": {"wide": wide}}))
    words = ["variants.wide.sizes: unknown size 'widht'; allowed are width"]
    refused(words, lambda: Models([str(tmp_path)]).load("small_wide"))


STUDY = yaml.safe_load((ROOT / "studies/cpu_against_gpu/cpu_against_gpu.yaml").read_text())


def test_a_variant_is_a_row_built_by_the_models_builders():
    rows = {"mnist_dense": {"fit": 8}, "mnist_dense_w75": {"fit": 8}}
    made = plan(models=rows, columns=["keras3-jax"], folders=[SMALL_NETS])
    found = {run.row.model: json.loads(run.identity) for run in made.runs}
    own, base = found["mnist_dense_w75"], found["mnist_dense"]
    assert own["builders"] == base["builders"] == "classifier"
    assert own["files"] == base["files"] != ""
    assert own["architecture"]["hidden"] == [75, 25] and own["parameters"] == 61_035
    models = made.document()["models"]
    assert models["mnist_dense_w75"]["variant_of"] == "mnist_dense"
    assert models["mnist_dense_w75"]["full_size"] and "full_size" not in models["mnist_dense"]


def study(**changes):
    found = {**STUDY, "scale": "auto", "accelerator": "auto", "folders": [SMALL_NETS]}
    return plan(**{**found, **changes})


def test_both_devices_have_the_same_environment_and_precision(gpus):
    gpus(A100)
    made = study()
    assert made.unsupported == {} and made.scale == "paper"
    by_framework = {}
    for column in made.columns:
        by_framework.setdefault(column.framework.name, []).append(column)
    for cpu, cuda in by_framework.values():
        assert made.environment_of(cpu) == made.environment_of(cuda)
        assert made.environment_of(cpu).definition.parent.name == "cuda"
        assert cpu.settings["accelerator"] == "cpu" and cpu.precision == "float32"
        assert {**cpu.settings, "accelerator": "cuda"} == cuda.settings
    assert len(by_framework) == 5


def test_without_a_gpu_the_processors_half_is_measured_in_the_processors_environment(gpus):
    gpus(broken=True)
    made = study()
    assert {c.name for c in made.measurable} == {c.name for c in made.columns[::2]}
    assert set(made.unsupported.values()) == {"no NVIDIA GPU was found here"}
    assert {env.definition.parent.name for env in made.environments} == {"cpu"}
    assert made.scale == "laptop"
    assert all(model["full_size"] for model in made.document()["models"].values())


def test_the_study_uses_every_physical_core(monkeypatch):
    monkeypatch.setattr(processors, "cores", lambda *_: [[0, 4], [1, 5], [2, 6], [3, 7]])
    monkeypatch.setattr(machine, "processor_time", lambda *_: None)
    assert {column.threads for column in study().columns} == {4}
    assert {column.threads for column in study(threads="auto").columns} == {3}
