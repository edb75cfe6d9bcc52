"""Which files of a user's own folder a number was measured with, by their import statements."""

import pytest

from supervise import sources

from ..shared import ROOT, put

BUILDER = "models/mlp/keras3.py"


def digest(folder, files, entry=BUILDER):
    for name, text in files.items():
        put(folder / name, text)
    return sources.digest(ROOT / "workflow", (folder / entry,), (folder, folder / "second"))


@pytest.mark.parametrize(
    ("importing", "statement", "imported"),
    [
        (BUILDER, "from measure.models.mlp.inputs import arrays", "models/mlp/inputs.py"),
        (BUILDER, "import measure.models.mlp.inputs", "models/mlp/inputs.py"),
        (BUILDER, "from .inputs import arrays", "models/mlp/inputs.py"),
        (BUILDER, "from . import inputs", "models/mlp/inputs.py"),
        (BUILDER, "from ..other import inputs", "models/other/inputs.py"),
        (BUILDER, "from measure.models.other.inputs import x", "models/other/inputs.py"),
        (BUILDER, "from .import inputs", "models/mlp/inputs.py"),
        (BUILDER, "from .inputs import (\n    arrays,  # (batch, n)\n)", "models/mlp/inputs.py"),
        (BUILDER, "# import (old\nfrom . import inputs", "models/mlp/inputs.py"),
        (BUILDER, "import measure.models.two.inputs", "second/models/two/inputs.py"),
        (BUILDER, "import measure.models.other.sub.x as x", "models/other/__init__.py"),
        (BUILDER, "from .models import net", "models/mlp/models/net.py"),
        ("models/mlp/models/net.py", "import measure.models.mlp.inputs", "models/mlp/inputs.py"),
        (BUILDER, "import numpy", "models/mlp/__init__.py"),
        ("frameworks/mine.py", "from measure.frameworks.helper import x", "frameworks/helper.py"),
        ("frameworks/mine.py", "from .helper import x", "frameworks/helper.py"),
    ],
)
def test_a_line_of_a_file_that_is_imported_changes_the_digest(
    tmp_path, importing, statement, imported
):
    files = {importing: f"{statement}\n", "models/mlp/unused.py": "A = 1\n"}
    before = digest(tmp_path / "a", {**files, imported: "A = 1\n"}, importing)
    moved = digest(tmp_path / "b" / "models", {**files, imported: "A = 1\n"}, importing)
    assert moved == before
    assert digest(tmp_path / "c", {**files, imported: "A = 2\n"}, importing) != before
    unused = {imported: "A = 1\n", "models/mlp/unused.py": "A = 2\n"}
    assert digest(tmp_path / "d", {**files, **unused}, importing) == before


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
        found = [
            digest(tmp_path / f"{name}{n}", {**importing, **package, name: f"A = {n}\n"})
            for n in (1, 2)
        ]
        assert (found[0] != found[1]) == counts, name


def test_what_a_users_model_may_read_counts_and_what_python_or_a_tool_leaves_there_does_not(
    tmp_path,
):
    read = {"sizes.json", "kernel.cu", "include/a.h"}
    others = (
        "model.yaml",
        "keras3.py",
        "__pycache__/keras3.cpython-311.pyc",
        ".git/HEAD",
        ".x.swp",
    )
    for name in (*read, *others):
        put(tmp_path / name, "1")
    paths = sources.read_by(tmp_path)
    assert {path.relative_to(tmp_path).as_posix() for path in paths} == read


def test_a_users_file_that_cannot_be_imported_is_no_traceback(tmp_path):
    for number, text in enumerate((b"import (", b"caf\xe9 = 1\n", b"a = '\0'\n")):
        builder = put(tmp_path / str(number) / BUILDER, "")
        builder.write_bytes(text)
        assert digest(tmp_path / str(number), {}) != digest(tmp_path / "none", {})


def test_large_data_of_a_model_counts_and_is_not_held(tmp_path):
    data = "models/mlp/data.bin"
    large, larger = ("a" * (sources.LARGE_BYTES + more) for more in (1, 2))
    assert digest(tmp_path / "a", {data: large}, data) != digest(
        tmp_path / "b", {data: larger}, data
    )
    assert len(sources._content(tmp_path / "a" / data)) == 32
