"""The declaration of the settings, as columns, classes and users see it."""

import hashlib
import json

import pytest

from millistep.contracts.settings import DEFAULTS, SETTINGS
from millistep.planning.catalog import frameworks
from millistep.supervise.parent import CELL_FIELDS
from tables import README, with_settings

from ..shared import put
from .test_config import BERT, plan, refused

OURS = frameworks([])
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


@pytest.mark.parametrize("framework", OURS)
def test_what_a_column_has_anyway_is_in_no_name(framework):
    told = {name: DEFAULTS[name] for name, about in SETTINGS.items() if not about.frameworks}
    told = {name: value for name, value in told.items() if value not in (None, [])}
    told |= OURS[framework].own
    (column,) = plan(models=BERT, columns=[{"framework": framework, **told}]).columns
    assert column.name == framework


@pytest.fixture
def folder(tmp_path):
    """``folder(**entries)``: write the frameworks of a folder of one's own."""

    def written(**entries):
        put(tmp_path / "frameworks/frameworks.yaml", json.dumps(entries))
        return str(tmp_path)

    return written


@pytest.mark.parametrize(("settings", "words"), OWN)
def test_a_setting_of_a_framework_of_ones_own_that_is_not_allowed_is_named(settings, words, folder):
    own = folder(mine={"like": "keras3-jax", "settings": settings})
    refused(["frameworks.yaml", *words], lambda: frameworks([own]))


def test_a_framework_of_ones_own_may_have_other_settings_and_colors(folder):
    other = {"settings": {"optimizer": "fused"}, "color": "#123456"}
    like = {"like": "pytorch-eager"}
    found = frameworks([folder(mine={**like, **other}, same=like)])
    assert (found["mine"].own, found["mine"].color) == ({"optimizer": "fused"}, "#123456")
    for name in ("own", "color"):
        assert getattr(found["same"], name) == getattr(found["pytorch-eager"], name)


def test_a_module_of_ones_own_has_a_name_of_its_own(folder, tmp_path):
    own = folder(mine={"like": "keras3-jax", "module": "keras3_jax"})
    path = put(tmp_path / "frameworks/keras3_jax.py", "")
    refused([f"{path}: another folder has this name, too; rename one"], lambda: frameworks([own]))


def test_a_framework_of_ones_own_without_its_environment_is_named_with_the_places(folder):
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
    words = [
        "columns: keras3-jax+float32 and mine+float32 have one title, 'Keras 3 (JAX), float32'"
    ]
    refused(words, **asked, columns=[*settings])


def test_what_only_some_frameworks_take_reaches_their_class():
    taken = {name: about.frameworks for name, about in SETTINGS.items() if about.frameworks}
    assert {*taken} <= {*CELL_FIELDS}
    assert {name for names in taken.values() for name in names} <= {*OURS}


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
