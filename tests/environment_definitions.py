"""The files in envs/ as tests look at them: names, lists, locks and what is wrong with them."""

import re
from pathlib import Path

from packaging.requirements import Requirement

from locks.definitions import INSTALL, STACK, Definition, definitions
from locks.pins import LINUX_ARM, LINUX_X86, MACOS
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
    definition.path.relative_to(ENVS).as_posix(): definition for definition in definitions()
}
YAMLS = ["analysis.yaml"] + [
    f"{STACK}/{a}/{name}.yaml" for a in ("cpu", "cuda") for name in ENVIRONMENTS
]
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


def script_problems(text: str) -> list[str]:
    """What keeps a post-deploy script from being one exact installation."""
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
