"""Every builder and framework offers what the protocols say, as the type checker sees it."""

import subprocess
import sys
from pathlib import Path

from planning.frameworks import frameworks

ROOT = Path(__file__).parents[2]
MEASURE = ROOT / "workflow" / "measure"


def checked(tmp_path, lines):
    """What the type checker says of a program with these lines."""
    program = tmp_path / "program.py"
    program.write_text("\n".join(lines) + "\n")
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path), str(program)]
    done = subprocess.run(
        [*command, "--config-file", str(ROOT / "pyproject.toml")],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    return done.stdout


def test_builders_and_frameworks_keep_their_contracts(tmp_path):
    lines = ["import measure.frameworks", "import measure.models"]
    for path in sorted(MEASURE.glob("models/*/model.yaml")):
        for builder in sorted(path.parent.glob("*.py")):
            contract = {"keras2": "Builder", "keras3": "Builder", "pytorch": "NativeBuilder"}
            contract |= {"work": "Work", "host": "HostBuilder"}
            if builder.stem in contract:
                module = f"measure.models.{path.parent.name}.{builder.stem}"
                name = module.replace(".", "_")
                lines += [f"import {module}"]
                lines += [f"{name}: measure.models.{contract[builder.stem]} = {module}"]
    for name in sorted({framework.module for framework in frameworks([]).values()}):
        module = f"measure.frameworks.{name}"
        lines += [f"import {module}"]
        lines += [f"{name}: type[measure.frameworks.Framework] = {module}.Framework"]
    assert checked(tmp_path, lines) == "Success: no issues found in 1 source file\n"


def test_a_builder_with_another_signature_is_found(tmp_path):
    lines = [
        "from measure.models import Builder",
        "class Wrong:",
        "    def build(self, cell: object) -> object:",
        "        return cell",
        "    def attention(self, model: object) -> str:",
        "        return 'none'",
        "builder: Builder = Wrong()",
    ]
    assert "def attention(self, model: Any, backend: str) -> str" in checked(tmp_path, lines)
