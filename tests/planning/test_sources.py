"""Which files of a user's own folder a number was measured with, by their import statements."""

import pytest

from supervise import sources

from ..shared import ROOT, put

BUILDER = "models/mlp/keras3.py"


def digest(folder, files, entry=BUILDER):
    for name, text in files.items():
        put(folder / name, text)
    return sources.digest(ROOT / "workflow", (folder / entry,))


@pytest.mark.parametrize(
    ("importing", "statement", "imported"),
    [
        (BUILDER, "from measure.models.mlp.inputs import arrays", "models/mlp/inputs.py"),
        (BUILDER, "import measure.models.mlp.inputs", "models/mlp/inputs.py"),
        (BUILDER, "from .inputs import arrays", "models/mlp/inputs.py"),
        (BUILDER, "from . import inputs", "models/mlp/inputs.py"),
        (BUILDER, "from ..other import inputs", "models/other/inputs.py"),
        (BUILDER, "from measure.models.other.inputs import x", "models/other/inputs.py"),
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
