"""Columns: their settings, stacks and overlays, and one more that leaves all others as they are."""

import hashlib
import json

import pytest

from millistep.contracts.settings import DEFAULTS, SETTINGS
from millistep.deploy.environments import definition_sha256
from millistep.planning import changes
from millistep.planning.catalog import frameworks
from millistep.supervise.parent import CELL_FIELDS
from tables import README, with_settings
from tests.workshop import build_wheel, source_tree

from ..measure.nvml import A100
from ..nets import NETS
from ..shared import ROOT, put
from .records import identities, write_record
from .test_config import BERT, JAX, plan, refused

PYTHON = "/opt/python3"
DIGEST = hashlib.sha256(PYTHON.encode()).hexdigest()[:6]
# By the column's name: its settings, and the end of its title.
CALLED = {
    "keras3-jax+cpu": ({"accelerator": "cpu"}, "CPU"),
    "keras3-jax+cuda": ({"accelerator": "cuda"}, "GPU"),
    "keras3-jax+2024-03": ({"stack": "2024-03"}, "stack 2024-03"),
    "keras3-jax+float32": ({"precision": "float32"}, "float32"),
    "keras3-jax+tf32": ({"precision": "tf32"}, "TF32"),
    "pytorch-compiled+default": ({"mode": "default"}, "mode default"),
    "pytorch-compiled+max-autotune": ({"mode": "max-autotune"}, "max-autotune"),
    "keras2-tensorflow+auto": ({"jit_compile": "auto"}, "jit_compile auto"),
    "keras3-torch+jit": ({"jit_compile": True}, "jit_compile true"),
    "keras3-torch+no-jit": ({"jit_compile": False}, "jit_compile false"),
    "pytorch-eager+fused-optimizer": ({"optimizer": "fused"}, "fused optimizer"),
    "keras3-torch+cudnn-benchmark": ({"cudnn_benchmark": True}, "cuDNN benchmark"),
    "keras3-jax+1-thread": ({"threads": 1}, "1 thread"),
    "keras3-jax+12-threads": ({"threads": 12}, "12 threads"),
    f"keras3-jax+python-{DIGEST}": ({"interpreter": PYTHON}, f"custom interpreter {DIGEST}"),
    "keras3-jax+keras-3.10.0": ({"overlay": {"keras": "3.10.0"}}, "keras 3.10.0"),
    # Settings are named in the order of their declaration.
    "keras3-jax+tf32+no-jit+2-threads": (
        {"threads": 2, "jit_compile": False, "precision": "tf32"},
        "TF32, jit_compile false, 2 threads",
    ),
}
OWN = [
    ({"accelerator": "cpu"}, ["mine.settings: unknown key 'accelerator'", "cudnn_benchmark, jit"]),
    ({"mode": "fast"}, ["mine.settings.mode", "'fast'", "default, reduce-overhead, max-autotune"]),
    (3, ["mine.settings", "3", "a mapping of settings to the framework's own values"]),
]


@pytest.mark.parametrize("name", CALLED)
def test_a_value_has_its_word_in_the_columns_name_and_its_title(name):
    told, title = CALLED[name]
    framework = name.partition("+")[0]
    (column,) = plan(models=BERT, columns=[{"framework": framework, **told}]).columns
    assert (column.name, column.title) == (name, f"{column.framework.title}, {title}")
    told |= {"overlay": [title]} if "overlay" in told else {}
    assert told.items() <= column.settings.items()
    assert [*column.settings] == [setting for setting in SETTINGS if setting in column.settings]


@pytest.mark.parametrize("framework", NETS)
def test_what_a_column_has_anyway_is_in_no_name(framework):
    told = {name: DEFAULTS[name] for name, about in SETTINGS.items() if not about.frameworks}
    told = {name: value for name, value in told.items() if value not in (None, [])}
    told |= NETS[framework].own
    (column,) = plan(models=BERT, columns=[{"framework": framework, **told}]).columns
    assert column.name == framework


@pytest.fixture
def folder(tmp_path):
    """``folder(**entries)``: write the frameworks of a custom folder."""

    def written(**entries):
        put(tmp_path / "frameworks/frameworks.yaml", json.dumps(entries))
        return str(tmp_path)

    return written


@pytest.mark.parametrize(("settings", "words"), OWN)
def test_a_setting_of_a_custom_framework_that_is_not_allowed_is_named(settings, words, folder):
    own = folder(mine={"like": "keras3-jax", "settings": settings})
    refused(["frameworks.yaml", *words], lambda: frameworks([own]))


def test_a_custom_framework_may_have_other_settings_and_colors(folder):
    other = {"settings": {"optimizer": "fused"}, "color": "#123456"}
    like = {"like": "pytorch-eager"}
    found = frameworks([folder(mine={**like, **other}, same=like)])
    assert (found["mine"].own, found["mine"].color) == ({"optimizer": "fused"}, "#123456")
    for name in ("own", "color"):
        assert getattr(found["same"], name) == getattr(found["pytorch-eager"], name)


def test_a_custom_module_has_its_own_name(folder, tmp_path):
    own = folder(mine={"like": "keras3-jax", "module": "keras3_jax"})
    path = put(tmp_path / "frameworks/keras3_jax.py", "")
    refused([f"{path}: another folder has this name, too; rename one"], lambda: frameworks([own]))


def test_a_custom_framework_without_its_environment_is_named_with_the_places(folder):
    own = folder(mine={"like": "keras3-jax", "title": "Mine", "environment": "nightly"})
    words = ["mine: there is no environment nightly; searched: ", "2026-11/cpu/nightly.yaml"]
    words += [f"{own}/envs/2026-11/cpu/nightly.yaml"]
    refused(words, models=BERT, columns=["mine"], folders=[own])
    users = {"framework": "mine", "interpreter": "/opt/python3"}
    assert plan(models=BERT, columns=[users], folders=[own]).environments


def test_two_configurations_of_one_title_are_refused(folder):
    asked = {"models": BERT, "folders": [folder(mine={"like": "keras3-jax"})]}
    assert plan(**asked, columns=["mine", "keras3-torch"]).columns[0].title == "Keras 3 (JAX)"
    words = ["columns: keras3-jax and mine have one title, 'Keras 3 (JAX)'; change the title of a"]
    refused(words, **asked, columns=["keras3-jax", "mine"])
    settings = ({"framework": name, "precision": "float32"} for name in ("keras3-jax", "mine"))
    words = ["keras3-jax+float32 and mine+float32 have one title, 'Keras 3 (JAX), float32'"]
    refused(words, **asked, columns=[*settings])


def test_what_only_some_frameworks_take_reaches_their_class():
    taken = {name: about.frameworks for name, about in SETTINGS.items() if about.frameworks}
    assert {*taken} <= {*CELL_FIELDS}
    assert {name for names in taken.values() for name in names} <= {*NETS}


def test_the_readme_has_the_table_of_what_is_declared():
    text = README.read_text()
    assert with_settings(text) == text
    lines = [line.split(" | ")[:2] for line in text.splitlines()]
    assert all([f"| `{name}`", about.title] in lines for name, about in SETTINGS.items())


def test_what_a_setting_cannot_change_is_not_measured_twice():
    fused = {"framework": "pytorch-eager", "optimizer": "fused"}
    made = plan(models={"bert": {"fit": 8, "predict": 8}}, columns=["pytorch-eager", fused])
    found = {(row.task, column.name): why for (row, column), why in made.unsupported.items()}
    assert found == {("predict", "pytorch-eager+fused-optimizer"): "predict has no optimizer"}
    tried = {"framework": "pytorch-eager", "cudnn_benchmark": True}
    made = plan(models=BERT, columns=[tried, {**tried, "accelerator": "cuda"}], accelerator="cpu")
    reasons = {column.name: why for (_, column), why in made.unsupported.items()}
    assert reasons["pytorch-eager+cudnn-benchmark"] == "cuDNN computes on GPUs"
    assert {*reasons.values()} == {"cuDNN computes on GPUs", "no NVIDIA GPU was found here"}


def over(*sources, framework=JAX):
    return {"framework": framework, "overlay": [str(source) for source in sources]}


@pytest.fixture
def trees(tmp_path):
    """Two checkouts of one package, whose folders are called alike."""
    return [source_tree(tmp_path / place / "thing", f"AT = {place!r}") for place in "ab"]


def test_columns_are_called_by_what_lies_over_them(tmp_path, trees):
    build_wheel(tmp_path / "wheels", "2.0")
    wheel = tmp_path / "wheels" / "tiny_thing-2.0-py3-none-any.whl"
    versions = {"framework": JAX, "overlay": {"keras": "3.10.0", "keras-hub": "0.20.0"}}
    columns = plan(models=BERT, columns=[JAX, versions, over(wheel), over(trees[0])]).columns
    assert {c.name.removeprefix(JAX): c.title.removeprefix("Keras 3 (JAX)") for c in columns} == {
        "": "",
        "+keras-3.10.0+keras-hub-0.20.0": ", keras 3.10.0, keras-hub 0.20.0",
        "+tiny_thing-2.0": ", tiny_thing 2.0",
        "+thing": ", thing",
    }
    # A checkout whose name no path may have is a tree.
    (column,) = plan(models=BERT, columns=[over(source_tree(tmp_path / "源"))]).columns
    assert column.name == "keras3-jax+tree"
    (tmp_path / "thing.whl").touch()
    refused(["'thing.whl'", "name-version-"], columns=[over(tmp_path / "thing.whl")])
    # Two checkouts that are called alike are told apart by links.
    words = ["another entry is called keras3-jax+thing, too; change a setting"]
    refused(words, columns=[*map(over, trees)])
    (tmp_path / "mine").symlink_to(trees[1])
    columns = plan(models=BERT, columns=[over(trees[0]), over(tmp_path / "mine")]).columns
    assert [column.name for column in columns] == ["keras3-jax+thing", "keras3-jax+mine"]


def test_a_changed_file_changes_the_identities_of_its_column_alone(trees):
    def environments():
        runs = plan(models=BERT, columns=[JAX, over(trees[0])]).runs
        return {run.column.name: json.loads(run.identity)["environment"] for run in runs}

    before = environments()
    put(trees[0] / "tiny_thing.py", "AT = 'another place'")
    after = environments()
    assert before[JAX] == after[JAX] == definition_sha256(ROOT / "envs/2026-11/cpu/keras3-jax.yaml")
    assert before["keras3-jax+thing"] != after["keras3-jax+thing"]


def test_nothing_is_put_over_a_custom_interpreter(trees):
    words = ["columns.0.overlay: not possible with your own interpreter"]
    refused(words, columns=[{**over(trees[0]), "interpreter": PYTHON}])
    refused(words, columns=[over(trees[0])], interpreters={JAX: PYTHON})


def test_one_environment_has_one_overlay_of_a_name(trees):
    names = ("pytorch-eager", "pytorch-compiled")
    same = [over(trees[0], framework=name) for name in names]
    assert len(plan(models=BERT, columns=same).environments) == 1
    differ = [over(tree, framework=name) for tree, name in zip(trees, names, strict=True)]
    refused(["differ and are called alike"], columns=differ)


ANOTHER = [
    {"framework": "keras3-jax", "precision": "float32"},
    {"framework": "keras3-torch", "jit_compile": True},
    {"framework": "pytorch-compiled", "mode": "max-autotune"},
    {"framework": "pytorch-eager", "threads": 3},
    {"framework": "pytorch-eager", "overlay": {"transformers": "4.38.1"}},
    {"framework": "keras3-jax", "overlay": ["keras"]},
    {"framework": "pytorch-eager", "interpreter": "/opt/python3"},
]


@pytest.mark.parametrize("column", ANOTHER)
@pytest.mark.parametrize("place", ["first", "last"])
def test_another_setting_is_measured_alone(tmp_path, monkeypatch, column, place):
    put(tmp_path / "keras/pyproject.toml", "")
    monkeypatch.chdir(tmp_path)
    columns = [column, *NETS] if place == "first" else [*NETS, column]
    before, after = plan(models=BERT), plan(models=BERT, columns=columns)
    assert identities(before).items() < identities(after).items()
    new = {run.column.name for run in after.runs if run.record not in identities(before)}
    assert new == {after.columns[0 if place == "first" else -1].name}


def test_what_new_runs_are_not_compared_with_is_said(tmp_path):
    before = plan(models=BERT, columns=["keras3-jax", "pytorch-eager"], runs=1)
    for path, run in before.timed.items():
        write_record(tmp_path / path, run.identity)

    def said(**changed):
        made = plan(**{"models": BERT, "runs": 1, **changed})
        return changes.summary(made, changes.reasons(made, tmp_path))

    apart = said(columns=["keras3-jax", "pytorch-eager", "keras3-torch"])
    assert (
        "  kept runs of keras3-jax, pytorch-eager belong to an earlier session and are not compared"
        " with the new ones; delete results/records/smoke/bert/fit-b4, "
        "results/records/smoke/bert/predict-b8 to measure whole workloads again"
    ) in apart.splitlines()
    # Rounds that are new to every column are compared within themselves.
    assert "earlier session" not in said(columns=["keras3-jax", "pytorch-eager"], runs=2)


def test_a_column_on_the_processors_beside_those_on_a_gpu(gpus):
    gpus(A100)
    before = plan(models=BERT, accelerator="cuda")
    columns = [*NETS, {"framework": "keras3-torch", "accelerator": "cpu"}]
    after = plan(models=BERT, accelerator="cuda", columns=columns)
    assert identities(before).items() < identities(after).items()
    new = identities(after).keys() - identities(before)
    assert {path.split("/")[1] for path in new} == {"records"}
    assert all("keras3-torch+cpu" in path for path in new)
    assert (before.accelerators, after.accelerators) == (["cuda"], ["cuda", "cpu"])
    assert {tuple(group.references) for group in after.groups} == {("cuda", "cpu")}


def test_an_interpreter_for_one_framework_leaves_others_in_its_locked_environment(tmp_path):
    put(tmp_path / "frameworks/frameworks.yaml", "jax-again: {like: keras3-jax, title: A}")
    own = {"folders": [str(tmp_path)], "interpreters": {"keras3-jax": "/opt/python3"}}
    made = plan(models=BERT, columns=["keras3-jax", "jax-again"], **own)
    first, second = map(made.environment_of, made.columns)
    assert (first.interpreter, second.interpreter) == ("/opt/python3", None)
    assert first.marker != second.marker
    methods = [[env.wanted(conda)["method"] for conda in (True, False)] for env in (first, second)]
    assert methods == [["interpreter", "interpreter"], ["conda", "venv"]]
