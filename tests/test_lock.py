"""envs/lock.py: what it locks, its requests to uv, and how it uses the answers."""

import re
import subprocess
import sys

from locks import definitions
from tests.shared import put
from tests.test_definitions import ENVS, script_problems

FAKE_UV = """\
#!{python}
import pathlib, sys
arguments = sys.argv[1:]
platform = arguments[arguments.index("--python-platform") + 1]
answer = pathlib.Path(arguments[arguments.index("--output-file") + 1])
kept = "2.0" if answer.exists() and 'version = "2.0"' in answer.read_text() else "3.0"
everywhere = [("torch", "2.13.0", "wheels", "a"), ("pure", kept, "wheels", "b")]
on_linux = [("source-only", "0.1", "sdist", "c")] if "linux" in platform else []
lines = []
for name, version, kind, digit in everywhere + on_linux:
    file = '{{ url = "https://example.org/x", hashes = {{ sha256 = "%s" }} }}' % (digit * 64)
    lines += ["[[packages]]", f'name = "{{name}}"', f'version = "{{version}}"']
    lines += [f"wheels = [{{file}}]" if kind == "wheels" else f"sdist = {{file}}"]
answer.write_text("\\n".join(lines))
"""


def test_lock_merges_platforms_and_keeps_what_is_locked(tmp_path):
    envs = tmp_path / "envs"
    (envs / definitions.STACK).mkdir(parents=True)
    program = [ENVS / "lock.py", *(ENVS / "locks").glob("*.py"), definitions.INSTALL]
    for path in [*program, ENVS / "inputs/cpu/builds.txt"]:
        put(tmp_path / path.relative_to(ENVS.parent), path.read_text())
    put(envs / "inputs/cpu/keras3-torch.in", "torch\npure\n")
    uv = put(tmp_path / "bin/uv", FAKE_UV.format(python=sys.executable), program=True)
    script = envs / definitions.STACK / "cpu/keras3-torch.post-deploy.sh"

    def relock(*arguments):
        command = [sys.executable, "envs/lock.py", "keras3-torch", *arguments]
        subprocess.run(command, cwd=tmp_path, env={"PATH": str(uv.parent)}, check=True)
        text = script.read_text()
        assert script_problems(text) == []
        return text.replace(" \\\n    --hash=sha256", "").split("LOCK'\n")[1]

    new = relock()
    assert re.sub(r":(\w)\1{63}", r" \1", new).splitlines()[:6] == [
        "--only-binary :all:",
        "--no-binary source-only",
        "--find-links https://download.pytorch.org/whl/cpu/torch/",
        "pure==3.0 b",
        "source-only==0.1 ; sys_platform == 'linux' c",
        "torch==2.13.0 ; sys_platform == 'darwin' a",
    ]
    assert "torch==2.13.0+cpu ; sys_platform == 'linux':6746dbcb" in new
    assert relock() == new

    script.write_text(script.read_text().replace("pure==3.0", "pure==2.0"))
    assert "pure==2.0" in relock()
    assert "pure==3.0" in relock("--upgrade")
