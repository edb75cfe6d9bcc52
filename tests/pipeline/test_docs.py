"""README and docs: commands are accepted, configurations are valid. `make docs` checks links."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from millistep.planning.config import check
from tests.pipeline.conftest import checkout
from tests.shared import ROOT, put, python, succeed

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES += [ROOT / f"{name}.md" for name in ("CONTRIBUTING", "config/README", "benchmarks/README")]
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
YAML = re.compile(r"^```yaml\n(.*?)^```$", re.M | re.S)
# Followed by test_bundle.py, test_definitions.py and tests/cluster.
FOLLOWED = [ROOT / "docs/offline.md", ROOT / "docs/cluster.md"]


def commands() -> list[str]:
    """Each command of the pages' consoles, once, its comment left out."""
    pages = [page for page in PAGES if page not in FOLLOWED]
    blocks = [block for page in pages for block in CONSOLE.findall(page.read_text())]
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    assert all(line.startswith("$ ") for line in lines)
    return sorted({re.sub(r"\s+# .*", "", line[2:]) for line in lines})


def program(command: str) -> str:
    words = [word for word in shlex.split(command) if not re.match("[A-Z]+=", word)]
    if not Path(words[0]).name.startswith("python"):
        return words[0]
    return words[1].rpartition("/")[2]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A checkout with its own configuration and an archive, beside a source tree of Keras."""
    folder = tmp_path_factory.mktemp("docs")
    put(folder / "keras/pyproject.toml", "")
    project = checkout(folder / "millistep")
    put(project.folder / "archives/a.zip", "")
    shutil.copy(ROOT / "config/config.yaml", project.folder / "config")
    return project


def test_every_command_is_followed_by_a_test():
    here = {"snakemake", "make", "workflow", "export", "podman"}
    elsewhere = {"snakedeploy", "mkdir", "lock.py", "tables.py"}  # test_module.py, test_recipes.py
    by_hand = {"hand_loop.py", "verdicts.py", "show.py"}  # benchmarks
    assert {program(command) for command in commands()} == here | elsewhere | by_hand


def asked_of_snakemake() -> list[str]:
    """Snakemake's commands that a dry run on one core can tell apart."""
    alike = re.compile(r" (--use-conda|--cores 1|-n|-q)(?= |$)")
    return sorted({alike.sub("", c) for c in commands() if program(c) == "snakemake"})


@pytest.mark.parametrize("command", asked_of_snakemake())
def test_snakemake_accepts(command, project):
    """A quiet dry run is read at a glance."""
    words = shlex.split(command)[1:]
    said = project.dry_run(*(words or ["-q"]))
    if not words:
        assert "runs to measure at " in said and len(said.splitlines()) < 40
    if found := re.search(r"models={bert: {fit: (\d+)}}", command):
        # The batch size of one row is another, and the rest is as it was.
        assert f"/bert/fit-b{found[1]}/" in said
        assert "/bert/predict-b" in said and "/sam/fit-b" in said


@pytest.mark.parametrize("command", [c for c in commands() if program(c) == "make"])
def test_make_knows(command):
    succeed(["make", "-n", *shlex.split(command)[1:]], cwd=ROOT)


@pytest.mark.parametrize("command", [c for c in commands() if program(c) == "workflow"])
def test_commands_have_the_options(command):
    words = shlex.split(command)
    said = python(ROOT / "workflow", words[2], "--help")
    assert {word for word in words if word.startswith("--")} <= set(re.findall(r"--[a-z-]+", said))


def test_configurations_are_valid():
    pages = [ROOT / "README.md", ROOT / "docs/compare.md", ROOT / "config/README.md"]
    texts = [yaml.safe_load(text) for page in pages for text in YAML.findall(page.read_text())]
    keys = yaml.safe_load((ROOT / "config/config.yaml").read_text()).keys()
    configurations = [text for text in texts if text.keys() & keys]
    assert len(configurations) > 5
    for config in configurations:
        check({"models": {"bert": {"fit": "default"}}, "columns": ["keras3-jax"], **config})


def test_an_example_that_is_not_there_leaves_the_one_that_is_kept(tmp_path):
    put(tmp_path / "docs/example.zip", "kept")
    command = [sys.executable, str(ROOT / "docs/example.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    said = "millistep: results/report.html: No such file or directory; `make` writes it\n"
    assert (done.returncode, done.stderr) == (1, said)
    assert (tmp_path / "docs/example.zip").read_text() == "kept"


def test_make_knows_what_the_container_recipe_makes():
    recipe = (ROOT / "Containerfile").read_text()
    made = re.findall(r'^(?:RUN make|CMD \["make",?) ?"?(\w*)', recipe, re.M)
    assert made == ["environments", ""]
    for target in made:
        succeed(["make", "-n", *filter(None, [target])], cwd=ROOT)
