"""What the files in envs/ say: well-formed, solvable, lean, and what the lists ask for."""

import asyncio
import importlib.util
import json
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import rattler
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from rattler.exceptions import SolverError
from rattler.index import index_fs

import lock
from deploy import space
from planning.columns import STACK
from planning.frameworks import frameworks

ENVS = Path(__file__).resolve().parents[1] / "envs"


def environments(**facts) -> list[str]:
    """Of the frameworks of which the registry says this."""
    found = {
        framework.environment
        for framework in frameworks([]).values()
        if all(getattr(framework, key) == value for key, value in facts.items())
    }
    return sorted(found)


ENVIRONMENTS = environments()
DEFINITIONS = {
    definition.path.relative_to(ENVS).as_posix(): definition for definition in lock.definitions()
}
YAMLS = ["analysis.yaml"] + [
    f"{lock.STACK}/{a}/{name}.yaml" for a in ("cpu", "cuda") for name in ENVIRONMENTS
]
# Older stacks had environments of their own.
OLDER = [
    path.relative_to(ENVS).as_posix()
    for path in sorted(ENVS.glob("20??-??/*/*.yaml"))
    if path.parts[-3] != lock.STACK
]
MARKER_VARIABLES = {
    lock.LINUX_X86: {"sys_platform": "linux", "platform_machine": "x86_64"},
    lock.LINUX_ARM: {"sys_platform": "linux", "platform_machine": "aarch64"},
    lock.MACOS: {"sys_platform": "darwin", "platform_machine": "arm64"},
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


def locked(definition: lock.Definition, platform: str) -> dict[str, str]:
    return {pin.name: pin.version for pin in definition.pins() if platform in pin.platforms}


def script_problems(text: str) -> list[str]:
    """What keeps a post-deploy script from being one exact installation."""
    documents = re.findall(r"<<'LOCK'\n(.*?)^LOCK$", text, re.MULTILINE | re.DOTALL)
    if len(documents) != 1 or text.count("<<") != 1:
        return ["there is not exactly one here-document"]
    problems = [f"no {w}" for w in ("set -eu\n", lock.INSTALL.read_text()) if w not in text]
    return problems + lock_problems(documents[0])


def lock_problems(text: str) -> list[str]:
    """Logical lines that are neither an exact requirement with hashes nor a known option."""
    option = r"--only-binary :all:|--no-binary [a-z0-9-]+"
    wheels = r"--find-links https://download\.pytorch\.org/whl/cpu/torch/"
    pin = r"[a-z0-9-]+==[\w.+]+( ; [\w ='!]+)?( +--hash=sha256:[0-9a-f]{64})+"
    lines = [line for line in text.replace("\\\n", "").splitlines() if line[:1] not in ("#", "")]
    problems = [x for x in lines if not re.fullmatch(f"{option}|{wheels}|{pin}", x)]
    return problems if any("==" in line for line in lines) else ["nothing is locked"]


def test_the_newest_stack_is_locked_and_a_column_has_one_that_is_there(tmp_path):
    (tmp_path / "2025-02").mkdir()
    (tmp_path / "2027-05").mkdir()
    for path in (ENVS / "lock.py", *(ENVS / "inputs/cpu").glob("*.in")):
        copy = tmp_path / path.relative_to(ENVS)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    spec = importlib.util.spec_from_file_location("lock_of_two_stacks", tmp_path / "lock.py")
    two_stacks = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = two_stacks  # as dataclasses want it
    spec.loader.exec_module(two_stacks)
    del sys.modules[spec.name]
    written = [d.path.relative_to(tmp_path) for d in two_stacks.definitions() if d.accelerator]
    assert len(written) == len(ENVIRONMENTS)
    assert {path.parts[0] for path in written} == {"2027-05"}
    assert (ENVS / STACK / "cpu").is_dir()


def test_the_size_of_every_environment_is_known_before_it_is_deployed():
    for path in YAMLS + OLDER:
        if path != "analysis.yaml":
            assert space.size_gb(ENVS / path) > 1, path


def test_there_is_a_definition_for_every_environment():
    found = {path.relative_to(ENVS).as_posix() for path in ENVS.rglob("*.yaml")}
    assert found == {*YAMLS, *OLDER}
    listed = [path for path in OLDER if path.split("/")[0] in lock.BEFORE]
    scripts = {yaml.replace(".yaml", ".post-deploy.sh") for yaml in YAMLS + listed}
    assert set(DEFINITIONS) == scripts | {"workflow.txt", "slurm.txt", "test.txt", "snakefmt.txt"}


@pytest.mark.parametrize("path", YAMLS + OLDER)
def test_yaml_names_python_and_pip_and_nothing_else(path):
    assert yaml.safe_load((ENVS / path).read_text()) == {
        "channels": ["conda-forge"],
        "dependencies": ["python=3.11", "pip"],
    }


@pytest.mark.parametrize(
    "path", [*DEFINITIONS, *(path.replace(".yaml", ".post-deploy.sh") for path in OLDER)]
)
def test_lock_is_exact(path):
    text = (ENVS / path).read_text()
    assert (lock_problems if path.endswith(".txt") else script_problems)(text) == []


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.replace("==", ">=", 1),
        lambda text: re.sub(r"--hash=sha256:\w", "--hash=sha256:", text, count=1),
        lambda text: text.replace("--only-binary :all:", "--index-url https://example.org/"),
        lambda text: text + "cat <<'LOCK'\nLOCK\n",
        lambda text: text.replace("--require-hashes", ""),
        lambda text: re.sub(r"'LOCK'\n.*\nLOCK", "'LOCK'\nLOCK", text, flags=re.DOTALL),
    ],
)
def test_a_spoiled_script_is_noticed(spoil):
    good = (ENVS / lock.STACK / "cpu/keras3-jax.post-deploy.sh").read_text()
    assert spoil(good) != good
    assert script_problems(good) == []
    assert script_problems(spoil(good)) != []


@pytest.mark.parametrize("path", DEFINITIONS)
def test_lock_is_read_back_as_it_was_written(path):
    text = (ENVS / path).read_text()
    pins = lock.parse(text)
    assert len(pins) == len(re.findall(r"^[\w.-]+==", text, re.MULTILINE))
    assert "".join(f"{pin}\n" for pin in pins) in text


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


@pytest.mark.parametrize("path", [p for p in DEFINITIONS if "/c" in p])
def test_lock_leaves_out_what_is_excluded(path):
    definition = DEFINITIONS[path]
    excluded = [r for file in definition.overrides for r in requirements(file)]
    for platform in definition.platforms:
        names = {r.name for r in excluded if not holds(r, platform)}
        assert names and not names & set(locked(definition, platform))


@pytest.mark.parametrize("name", ENVIRONMENTS)
@pytest.mark.parametrize("accelerator", ["cpu", "cuda"])
def test_todays_tokenizers_bring_no_second_tensorflow(name, accelerator):
    definition = lock.Definition(name, accelerator)
    assert all("tensorflow-text" not in locked(definition, p) for p in definition.platforms)


PAGE = yaml.safe_load((ENVS.parent / "reference/sources.yaml").read_text())["conditions"]


@pytest.mark.parametrize("accelerator", ["cpu", "cuda"])
@pytest.mark.parametrize("framework", PAGE["versions"])
def test_the_pages_stack_has_the_pages_versions(framework, accelerator):
    environment = frameworks([])[framework].environment
    definition = lock.Definition(environment, accelerator, PAGE["stack"])
    here = locked(definition, lock.LINUX_X86)
    here |= {PAGE["also_called"][name]: v for name, v in here.items() if name == "tensorflow-cpu"}
    published = dict(PAGE["versions"][framework])
    if accelerator == "cuda" and "jax" in published:
        published["jax"] = "0.4.23"  # the index has no 0.4.20 for CUDA
        assert {"jax-cuda12-plugin", "jax-cuda12-pjrt"} <= {*here}
    assert {name: here[name] for name in published} == published


def test_an_older_stack_is_made_of_what_there_was_on_its_day(monkeypatch):
    """And its lists are its own."""
    asked = []
    monkeypatch.setattr(lock, "run_uv", lambda *arguments: asked.append([*map(str, arguments)]))
    for stack in (lock.STACK, *lock.BEFORE):
        definition = lock.Definition("keras3-jax", "cpu", stack)
        with pytest.raises(FileNotFoundError):  # uv wrote no answer
            lock.resolve(definition, lock.LINUX_X86, upgrade=True)
    today, then = asked
    assert "--exclude-newer" not in today
    assert then[then.index("--exclude-newer") + 1] == "2024-04-01"
    assert then[-1].endswith("inputs/2024-03/cpu/keras3-jax.in")
    overrides = [then[at + 1] for at, word in enumerate(then) if word == "--override"]
    assert any(path.endswith("keras3.override.in") for path in overrides)
    assert not any("2024-03" in word for word in today)


def of_cuda(definition: lock.Definition) -> list[str]:
    sign = re.compile(r"nvidia|cuda|cudnn|cupti|nccl|triton")
    return [pin.name for pin in definition.pins() if sign.search(pin.name)]


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_only_cuda_environments_hold_cuda(name):
    assert of_cuda(lock.Definition(name, "cpu")) == []
    assert "nvidia-cudnn" in " ".join(of_cuda(lock.Definition(name, "cuda")))


@pytest.mark.parametrize("name", environments(library="torch"))
def test_cpu_torch_is_the_cpu_build_on_linux(name):
    definition = lock.Definition(name, "cpu")
    assert locked(definition, lock.MACOS)["torch"] == "2.13.0"
    for platform in lock.LINUX:
        assert locked(definition, platform)["torch"] == "2.13.0+cpu"
    assert "+" not in locked(lock.Definition(name, "cuda"), lock.LINUX_X86)["torch"]


@pytest.mark.parametrize("name", environments(library="tensorflow"))
def test_one_tensorflow_on_every_platform(name):
    packages = {"tensorflow", "tensorflow-cpu"}
    definition = lock.Definition(name, "cpu")
    assert packages & set(locked(definition, lock.LINUX_X86)) == {"tensorflow-cpu"}
    assert packages & set(locked(definition, lock.LINUX_ARM)) == {"tensorflow"}
    assert packages & set(locked(definition, lock.MACOS)) == {"tensorflow"}


def test_one_keras_for_all_backends():
    versions = {
        tuple(locked(lock.Definition(name, accelerator), lock.LINUX_X86)[p] for p in packages)
        for accelerator in ("cpu", "cuda")
        for name in environments(family="keras3")
        for packages in [("keras", "keras-hub")]
    }
    assert len(versions) == 1


@pytest.mark.parametrize("name", ["workflow", "analysis"])
def test_tests_run_on_the_versions_of_the_workflow_and_of_the_analysis(name):
    for platform in lock.EVERYWHERE:
        base, tests = (locked(lock.Definition(x), platform) for x in (name, "test"))
        assert base.items() <= tests.items()


def test_snakemake_has_nothing_of_the_analysis_beside_it_that_it_would_import_at_every_start():
    for platform in lock.EVERYWHERE:
        heavy = {"numpy", "pandas", "scipy", "matplotlib", "pyarrow"}
        assert heavy <= set(locked(lock.Definition("analysis"), platform))
        assert not heavy & set(locked(lock.Definition("workflow"), platform))


def test_no_host_is_named_but_the_wheel_page_of_pytorch():
    files = [file for file in ENVS.rglob("*") if file.suffix in (".sh", ".txt", ".yaml", ".in")]
    assert len(files) > 30
    hosts = {host for file in files for host in re.findall(r"//([\w.-]+)", file.read_text())}
    assert hosts == {"download.pytorch.org"}


@pytest.fixture(scope="module")
def local_channel(tmp_path_factory) -> str:
    """A conda channel of two empty packages: is a yaml solvable, without the network?"""
    folder = tmp_path_factory.mktemp("channel")
    for name, version, depends in (("python", "3.11.7", []), ("pip", "25.0", ["python >=3.9"])):
        index = {"name": name, "version": version, "build": "0", "build_number": 0}
        index |= {"depends": depends, "subdir": "noarch", "noarch": "generic"}
        info = folder / "info" / "index.json"
        info.parent.mkdir(exist_ok=True)
        info.write_text(json.dumps(index))
        (folder / "noarch").mkdir(exist_ok=True)
        with tarfile.open(folder / "noarch" / f"{name}-{version}-0.tar.bz2", "w:bz2") as archive:
            archive.add(info, "info/index.json")
    asyncio.run(index_fs(folder))
    return folder.as_uri()


def solve(channel: str, dependencies: list[str]) -> set[str]:
    platforms = ["linux-64", "noarch"]
    found = asyncio.run(rattler.solve([channel], dependencies, platforms=platforms))
    return {record.name.normalized for record in found}


@pytest.mark.parametrize("path", YAMLS + OLDER)
def test_yaml_is_solvable(local_channel, path):
    dependencies = yaml.safe_load((ENVS / path).read_text())["dependencies"]
    assert solve(local_channel, dependencies) == {"python", "pip"}


def test_an_unsolvable_list_is_noticed(local_channel):
    with pytest.raises(SolverError):
        solve(local_channel, ["python=3.10", "pip"])


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
    inputs = envs / "inputs" / "cpu"
    inputs.mkdir(parents=True)
    (envs / lock.STACK).mkdir()
    (envs / "lock.py").write_text((ENVS / "lock.py").read_text())
    install = tmp_path / lock.INSTALL.relative_to(ENVS.parent)
    install.parent.mkdir(parents=True)
    install.write_text(lock.INSTALL.read_text())
    (inputs / "builds.txt").write_text((ENVS / "inputs/cpu/builds.txt").read_text())
    (inputs / "keras3-torch.in").write_text("torch\npure\n")
    uv = tmp_path / "bin" / "uv"
    uv.parent.mkdir()
    uv.write_text(FAKE_UV.format(python=sys.executable))
    uv.chmod(0o755)

    def relock(*arguments):
        command = [sys.executable, "envs/lock.py", "keras3-torch", *arguments]
        subprocess.run(command, cwd=tmp_path, env={"PATH": str(uv.parent)}, check=True)
        text = (envs / lock.STACK / "cpu/keras3-torch.post-deploy.sh").read_text()
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

    script = envs / lock.STACK / "cpu/keras3-torch.post-deploy.sh"
    script.write_text(script.read_text().replace("pure==3.0", "pure==2.0"))
    assert "pure==2.0" in relock()
    assert "pure==3.0" in relock("--upgrade")
