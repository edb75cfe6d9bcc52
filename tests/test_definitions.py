"""What the files in envs/ say: well-formed, lean, and what the lists ask for."""

import re

import pytest
import yaml
from packaging.utils import canonicalize_name

from deploy import space
from locks.definitions import BEFORE, STACK, Definition
from locks.pins import EVERYWHERE, LINUX, LINUX_ARM, LINUX_X86, MACOS, parse
from planning.frameworks import frameworks
from tests.environment_definitions import (
    DEFINITIONS,
    ENVIRONMENTS,
    ENVS,
    OLDER,
    YAMLS,
    environments,
    holds,
    lock_problems,
    locked,
    requirements,
    script_problems,
)


def test_the_size_of_every_environment_is_known_before_it_is_deployed():
    for path in YAMLS + OLDER:
        if path != "analysis.yaml":
            least = 0.5 if "host" in path else 1
            assert space.size_gb(ENVS / path) > least, path


def test_there_is_a_definition_for_every_environment():
    found = {path.relative_to(ENVS).as_posix() for path in ENVS.rglob("*.yaml")}
    assert found == {*YAMLS, *OLDER}
    listed = [path for path in OLDER if path.split("/")[0] in BEFORE]
    scripts = {yaml.replace(".yaml", ".post-deploy.sh") for yaml in YAMLS + listed}
    plain = {"workflow.txt", "slurm.txt", "test.txt", "snakefmt.txt", "docs.txt"}
    assert set(DEFINITIONS) == scripts | plain


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
    good = (ENVS / STACK / "cpu/keras3-jax.post-deploy.sh").read_text()
    assert spoil(good) != good
    assert script_problems(good) == []
    assert script_problems(spoil(good)) != []


@pytest.mark.parametrize("path", DEFINITIONS)
def test_lock_is_read_back_as_it_was_written(path):
    text = (ENVS / path).read_text()
    pins = parse(text)
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
        wanted = {r.name for r in requirements(definition.source)}  # excluded of other lists
        names = {r.name for r in excluded if not holds(r, platform)} - wanted
        assert names and not names & set(locked(definition, platform))


@pytest.mark.parametrize("name", ENVIRONMENTS)
@pytest.mark.parametrize("accelerator", ["cpu", "cuda"])
def test_todays_tokenizers_bring_no_second_tensorflow(name, accelerator):
    definition = Definition(name, accelerator)
    assert all("tensorflow-text" not in locked(definition, p) for p in definition.platforms)


PAGE = yaml.safe_load((ENVS.parent / "reference/sources.yaml").read_text())["conditions"]


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
    on_gpus = "nvidia-cudnn" in " ".join(of_cuda(Definition(name, "cuda")))
    assert on_gpus == (name not in environments(family="host"))


@pytest.mark.parametrize("name", environments(library="torch"))
def test_cpu_torch_is_the_cpu_build_on_linux(name):
    definition = Definition(name, "cpu")
    assert locked(definition, MACOS)["torch"] == "2.13.0"
    for platform in LINUX:
        assert locked(definition, platform)["torch"] == "2.13.0+cpu"
    assert "+" not in locked(Definition(name, "cuda"), LINUX_X86)["torch"]


@pytest.mark.parametrize("name", environments(library="tensorflow"))
def test_one_tensorflow_on_every_platform(name):
    packages = {"tensorflow", "tensorflow-cpu"}
    definition = Definition(name, "cpu")
    assert packages & set(locked(definition, LINUX_X86)) == {"tensorflow-cpu"}
    assert packages & set(locked(definition, LINUX_ARM)) == {"tensorflow"}
    assert packages & set(locked(definition, MACOS)) == {"tensorflow"}


def test_one_keras_for_all_backends():
    versions = {
        tuple(locked(Definition(name, accelerator), LINUX_X86)[p] for p in packages)
        for accelerator in ("cpu", "cuda")
        for name in environments(family="keras3")
        for packages in [("keras", "keras-hub")]
    }
    assert len(versions) == 1


@pytest.mark.parametrize("name", ["workflow", "analysis"])
def test_tests_run_on_the_versions_of_the_workflow_and_of_the_analysis(name):
    for platform in EVERYWHERE:
        base, tests = (locked(Definition(x), platform) for x in (name, "test"))
        assert base.items() <= tests.items()


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
