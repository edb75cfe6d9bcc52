"""The definitions in envs/: well-formed, lean, with what the lists ask for; how to fetch them."""

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from locks.definitions import BEFORE, INSTALL, STACK, Definition, definitions
from locks.pins import EVERYWHERE, LINUX_ARM, LINUX_X86, MACOS, parse
from millistep.planning.catalog import frameworks
from tests.shared import ROOT, put

ENVS = ROOT / "envs"
ENVIRONMENTS = sorted({framework.environment for framework in frameworks([]).values()})
DEFINITIONS = {found.path.relative_to(ENVS).as_posix(): found for found in definitions()}
OURS = [f"{STACK}/{kind}/{name}.yaml" for kind in ("cpu", "cuda") for name in ENVIRONMENTS]
YAMLS = ["analysis.yaml", *OURS]
# Older stacks had environments of their own.
OLDER = [
    path.relative_to(ENVS).as_posix()
    for path in sorted(ENVS.glob("20??-??/*/*.yaml"))
    if path.parts[-3] != STACK
]
MARKER_VARIABLES = {
    LINUX_X86: {"sys_platform": "linux", "platform_machine": "x86_64"},
    LINUX_ARM: {"sys_platform": "linux", "platform_machine": "aarch64"},
    MACOS: {"sys_platform": "darwin", "platform_machine": "arm64"},
}


def holds(requirement: Requirement, platform: str) -> bool:
    variables = {**MARKER_VARIABLES[platform], "python_version": "3.11", "extra": ""}
    return requirement.marker is None or requirement.marker.evaluate(variables)


def requirements(source: Path) -> list[Requirement]:
    """The requirements of a list and of the lists it includes."""
    found = []
    for line in source.read_text().splitlines():
        line = line.partition("#")[0].strip()
        if line.startswith("-r "):
            found += requirements(source.parent / line[3:])
        elif line:
            found.append(Requirement(line))
    return found


def locked(definition: Definition, platform: str) -> dict[str, str]:
    return {pin.name: pin.version for pin in definition.pins() if platform in pin.platforms}


def script_of(path: str) -> str:
    return path.replace(".yaml", ".post-deploy.sh")


def script_problems(text: str) -> list[str]:
    """Reasons why a post-deploy script is not one exact installation."""
    documents = re.findall(r"<<'LOCK'\n(.*?)^LOCK$", text, re.MULTILINE | re.DOTALL)
    if len(documents) != 1 or text.count("<<") != 1:
        return ["there is not exactly one here-document"]
    problems = [f"no {w}" for w in ("set -eu\n", INSTALL.read_text()) if w not in text]
    return problems + lock_problems(documents[0])


def lock_problems(text: str) -> list[str]:
    """Logical lines that are neither an exact requirement with hashes nor a known option."""
    option = r"--only-binary :all:|--no-binary [a-z0-9-]+"
    wheels = r"--find-links https://download\.pytorch\.org/whl/cpu/torch/"
    pin = r"[a-z0-9-]+==[\w.+]+( ; [\w ='!]+)?( +--hash=sha256:[0-9a-f]{64})+"
    lines = [line for line in text.replace("\\\n", "").splitlines() if line[:1] not in ("#", "")]
    problems = [x for x in lines if not re.fullmatch(f"{option}|{wheels}|{pin}", x)]
    return problems if any("==" in line for line in lines) else ["nothing is locked"]


def test_there_is_a_definition_for_every_environment():
    found = {path.relative_to(ENVS).as_posix() for path in ENVS.rglob("*.yaml")}
    assert found == {*YAMLS, *OLDER}
    listed = [path for path in OLDER if path.split("/")[0] in BEFORE]
    scripts = {*map(script_of, YAMLS + listed)}
    plain = {"workflow.txt", "slurm.txt", "test.txt", "snakefmt.txt", "docs.txt"}
    assert set(DEFINITIONS) == scripts | plain


@pytest.mark.parametrize("path", YAMLS + OLDER)
def test_yaml_names_python_and_pip_and_nothing_else(path):
    assert yaml.safe_load((ENVS / path).read_text()) == {
        "channels": ["conda-forge"],
        "dependencies": ["python=3.11", "pip"],
    }


@pytest.mark.parametrize("path", [*DEFINITIONS, *map(script_of, OLDER)])
def test_lock_is_exact(path):
    text = (ENVS / path).read_text()
    assert (lock_problems if path.endswith(".txt") else script_problems)(text) == []


@pytest.mark.parametrize("path", DEFINITIONS)
def test_lock_is_what_the_lists_ask_for(path):
    definition = DEFINITIONS[path]
    wanted = requirements(definition.source)
    assert wanted
    for platform in definition.platforms:
        versions = locked(definition, platform)
        for requirement in wanted:
            if holds(requirement, platform):
                version = versions[canonicalize_name(requirement.name)]
                assert requirement.specifier.contains(version), (platform, requirement)


SOURCES = ENVS.parent / "workflow/millistep/reference/sources.yaml"
PAGE = yaml.safe_load(SOURCES.read_text())["conditions"]


@pytest.mark.parametrize("accelerator", ["cpu", "cuda"])
@pytest.mark.parametrize("framework", PAGE["versions"])
def test_the_pages_stack_has_the_pages_versions(framework, accelerator):
    environment = frameworks([])[framework].environment
    definition = Definition(environment, accelerator, PAGE["stack"])
    here = locked(definition, LINUX_X86)
    here |= {PAGE["also_called"][name]: v for name, v in here.items() if name == "tensorflow-cpu"}
    published = dict(PAGE["versions"][framework])
    if accelerator == "cuda" and "jax" in published:
        published["jax"] = "0.4.23"  # the index has no 0.4.20 for CUDA
        assert {"jax-cuda12-plugin", "jax-cuda12-pjrt"} <= {*here}
    assert {name: here[name] for name in published} == published


def of_cuda(definition: Definition) -> list[str]:
    sign = re.compile(r"nvidia|cuda|cudnn|cupti|nccl|triton")
    return [pin.name for pin in definition.pins() if sign.search(pin.name)]


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_only_cuda_environments_hold_cuda(name):
    assert of_cuda(Definition(name, "cpu")) == []
    assert "nvidia-cudnn" in " ".join(of_cuda(Definition(name, "cuda")))


def test_snakemake_has_nothing_of_the_analysis_beside_it_that_it_would_import_at_every_start():
    for platform in EVERYWHERE:
        heavy = {"numpy", "pandas", "scipy", "matplotlib", "pyarrow"}
        assert heavy <= set(locked(Definition("analysis"), platform))
        assert not heavy & set(locked(Definition("workflow"), platform))


def test_no_host_is_named_but_the_wheel_page_of_pytorch():
    files = [file for file in ENVS.rglob("*") if file.suffix in (".sh", ".txt", ".yaml", ".in")]
    assert len(files) > 30
    hosts = {host for file in files for host in re.findall(r"//([\w.-]+)", file.read_text())}
    assert hosts == {"download.pytorch.org"}


def test_the_page_about_offline_machines_fetches_what_each_lock_holds_and_nothing_else(tmp_path):
    """The page's first command is run with one lock and a stand-in for pip."""
    said = '#!/bin/sh\necho "$@" > words\n[ -s lock.txt ]\n'
    pip = put(tmp_path / "bin/python3", said, program=True)
    environ = {"PATH": f"{pip.parent}{os.pathsep}{os.environ['PATH']}"}
    page = (ROOT / "docs/offline.md").read_text()
    command = re.search(r"^\$ (for lock in .*?done)$", page, re.M | re.S)[1]
    for definition in definitions():
        one = re.sub(r"for lock in [^;]*;", f"for lock in {definition.path};", command)
        subprocess.run(["sh", "-c", one], cwd=tmp_path, env=environ, check=True)
        words = (tmp_path / "words").read_text().partition("download")[1:]
        assert "".join(words) == "download --no-deps --require-hashes -r lock.txt -d wheels\n"
        text = (tmp_path / "lock.txt").read_text()
        assert parse(text) == definition.pins()
        logical = text.replace("\\\n", "").splitlines()
        assert all(re.match(r"--|[a-z0-9-]+==", line) for line in logical), definition
