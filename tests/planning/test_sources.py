"""Fingerprints hold a version of our code, and a digest of a user's own files by their imports."""

import io
import json
import os
from pathlib import Path

import pytest

from millistep.measure.protocol import MEASURE
from millistep.supervise import sources

from ..shared import SMALL_NETS, put
from .records import identities
from .test_config import BERT, plan

BUILDER, FRAMEWORK = "models/mlp/keras3.py", "frameworks/mine.py"


def digest(folder, files):
    for name, text in files.items():
        put(folder / name, text)
    return sources.digest((folder, folder / "second"), "mlp", "keras3", "mine")


def test_planning_reads_none_of_our_code(monkeypatch):
    """So a comment, a message or a docstring measures nothing again."""
    read = []
    opened = io.open

    def noted(file, *arguments, **options):
        read.append(Path(str(file)))
        return opened(file, *arguments, **options)

    monkeypatch.setattr(io, "open", noted)  # pathlib opens files by it
    found = [json.loads(text) for text in identities(plan(models=BERT)).values()]
    assert read and not [path for path in read if path.suffix == ".py"]
    assert {facts["measure"] for facts in found} == {MEASURE}
    assert {facts.get("files", "") for facts in found} == {""}


def test_a_users_model_has_a_digest_of_its_files():
    runs = plan(models={"mnist_dense": {"fit": 8}}, folders=[SMALL_NETS]).runs
    found = {run.column.framework.family: json.loads(run.identity)["files"] for run in runs}
    # A digest has 64 characters however many files there are: it is part of commands.
    assert len(found) == 3 and {len(each) for each in found.values()} == {64}


@pytest.mark.parametrize(
    ("importing", "statement", "imported"),
    [
        (BUILDER, "from millistep.measure.models.mlp.inputs import arrays", "models/mlp/inputs.py"),
        (BUILDER, "import measure.models.mlp.inputs", "models/mlp/inputs.py"),
        (BUILDER, "from .inputs import arrays", "models/mlp/inputs.py"),
        (BUILDER, "from . import inputs", "models/mlp/inputs.py"),
        (BUILDER, "from ..other import inputs", "models/other/inputs.py"),
        (BUILDER, "import millistep.measure.models.two.inputs", "second/models/two/inputs.py"),
        (BUILDER, "import measure.models.other.sub.x as x", "models/other/__init__.py"),
        ("models/mlp/models/net.py", "import measure.models.mlp.inputs", "models/mlp/inputs.py"),
        (BUILDER, "from inputs import arrays", "models/mlp/inputs.py"),  # its folder in sys.path
        (BUILDER, "import numpy", "models/mlp/__init__.py"),
        (FRAMEWORK, "from millistep.measure.frameworks.helper import x", "frameworks/helper.py"),
        (FRAMEWORK, "from .helper import x", "frameworks/helper.py"),
    ],
)
def test_an_imported_file_of_the_user_changes_the_digest(tmp_path, importing, statement, imported):
    files = {BUILDER: "from .models import net\n", importing: f"{statement}\n"}
    before = digest(tmp_path / "a", {**files, imported: "A = 1\n"})
    moved = digest(tmp_path / "b" / "models", {**files, imported: "A = 1\n"})
    assert moved == before
    assert digest(tmp_path / "c", {**files, imported: "A = 2\n"}) != before
    unused = {imported: "A = 1\n", "models/mlp/unused.py": "A = 2\n"}
    assert digest(tmp_path / "d", {**files, **unused}) == before


def test_a_package_is_found_before_a_module_and_ours_before_a_users(tmp_path):
    importing = {BUILDER: "import measure.models.mlp.net\nimport measure.frameworks.torch\n"}
    for name, counts in {
        "models/mlp/net/__init__.py": True,
        "models/mlp/net.py": False,
        "models/__init__.py": False,
        "frameworks/__init__.py": False,
        "frameworks/torch.py": False,
    }.items():
        package = {"models/mlp/net/__init__.py": "A = 1\n"}
        files = {**importing, **package}
        one, two = (digest(tmp_path / f"{name}{n}", {**files, name: f"A = {n}\n"}) for n in "12")
        assert (one != two) == counts, name


def test_data_of_a_users_model_counts_and_what_python_or_a_tool_leaves_there_does_not(tmp_path):
    read = {"sizes.json", "kernel.cu", "include/a.h", os.fsdecode(b"caf\xe9.txt")}  # not UTF-8
    others = ("model.yaml", "__pycache__/keras3.cpython-311.pyc", ".git/HEAD", ".x.swp")
    for name in (*read, *others):
        put(tmp_path / "models/mlp" / name, "1")
    found = sources.used((tmp_path,), "mlp", "keras3", "mine")
    assert {*found} == {f"models/mlp/{name}" for name in read}
    assert digest(tmp_path, {})


def test_a_users_file_that_cannot_be_imported_is_no_traceback(tmp_path):
    for number, text in enumerate((b"import (", b"caf\xe9 = 1\n", b"a = '\0'\n")):
        put(tmp_path / str(number) / BUILDER, "").write_bytes(text)
        assert digest(tmp_path / str(number), {}) != digest(tmp_path / "none", {})
