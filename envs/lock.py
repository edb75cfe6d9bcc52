"""Regenerate the environment definitions from the short lists in envs/inputs.

    python envs/lock.py [--upgrade] [NAME ...]

Versions that are locked already stay unless the lists or --upgrade change them. Needs uv. An older
stack with lists of its own, in envs/inputs/<stack>, is locked from what the index had on its day;
one without lists stays as it is.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from locks.definitions import BEFORE, ENVS, PYTHON, Definition, definitions
from locks.pins import EVERYWHERE, Pin, parse

# Environments that take versions from these others, which are locked before them.
BASES = {
    "analysis": ("workflow",),
    "slurm": ("workflow", "analysis"),
    "test": ("workflow", "slurm", "analysis"),
}


def lock(definition: Definition, upgrade: bool) -> str:
    """Resolve one definition; return the text of its lock."""
    wheels: dict[tuple[str, str], dict[str, set[str]]] = {}
    source_only = set()
    for platform in sorted(definition.platforms):
        for package in resolve(definition, platform, upgrade):
            if "wheels" not in package:
                source_only.add(package["name"])
            files = package.get("wheels") or [package["sdist"]]
            version = wheels.setdefault((package["name"], package["version"]), {})
            version[platform] = {file["hashes"]["sha256"] for file in files}
    options = ["--only-binary :all:", *(f"--no-binary {name}" for name in sorted(source_only))]
    builds = [build for build in parse(definition.builds) if replace(build, wheels)]
    if builds:
        options += re.findall(r"^--.*$", definition.builds, re.MULTILINE)
    # With one platform no markers are needed.
    everywhere = len(definition.platforms) == 1
    pins = builds + [
        Pin(
            name,
            version,
            EVERYWHERE if everywhere else frozenset(platforms),
            frozenset().union(*platforms.values()),
        )
        for (name, version), platforms in wheels.items()
        if platforms
    ]
    pins.sort(key=lambda pin: (pin.name, pin.version))
    return "".join(f"{line}\n" for line in [*options, *pins])


def replace(build: Pin, wheels: dict[tuple[str, str], dict[str, set[str]]]) -> bool:
    """Drop the index's wheels that a given build replaces; True if the build is needed at all."""
    locked = {version for name, version in wheels if name == build.name}
    if locked - {build.version.partition("+")[0]}:
        sys.exit(f"{build.name} resolves to {', '.join(locked)}: builds.txt has {build.version}")
    for version in locked:
        for platform in build.platforms:
            wheels[build.name, version].pop(platform, None)
    return bool(locked)


def resolve(definition: Definition, platform: str, upgrade: bool) -> list[dict]:
    """Have uv resolve the packages that the definition needs on a platform."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder, "pylock.toml")
        if not upgrade and definition.pins():
            answer.write_text(preferences(definition, platform))
        arguments = [word for file in definition.overrides for word in ("--override", file)]
        if before := BEFORE.get(definition.stack):
            arguments += ["--exclude-newer", before]
        for name in BASES.get(definition.name, ()):
            base = Path(folder, f"{name}.txt")
            base.write_text(versions(Definition(name), platform))
            arguments += ["--constraint", base]
        arguments += ["--python-version", PYTHON, "--python-platform", platform]
        arguments += ["--format", "pylock.toml", "--output-file", answer, definition.source]
        run_uv("pip", "compile", "--quiet", "--no-sources", *arguments)
        return tomllib.loads(answer.read_text())["packages"]


def versions(definition: Definition, platform: str) -> str:
    """Return the versions that are locked today, as requirements."""
    pins = (pin for pin in definition.pins() if platform in pin.platforms)
    return "".join(f"{pin.name}=={pin.version}\n" for pin in pins)


def preferences(definition: Definition, platform: str) -> str:
    """Return the versions that are locked today, as a file from which uv departs only where it
    must.
    """
    packages = "".join(
        f'[[packages]]\nname = "{pin.name}"\nversion = "{pin.version.partition("+")[0]}"\n'
        for pin in definition.pins()
        if platform in pin.platforms
    )
    return f'lock-version = "1.0"\ncreated-by = "millistep"\n{packages}'


def run_uv(*arguments) -> None:
    here = Path(sys.executable).parent
    uv = shutil.which("uv", path=f"{os.environ.get('PATH', '')}{os.pathsep}{here}")
    if uv is None:
        sys.exit(
            "uv is needed to resolve the lists. In a throw-away environment:\n"
            "    python3 -m venv /tmp/uv && /tmp/uv/bin/pip install uv\n"
            "    PATH=/tmp/uv/bin:$PATH python envs/lock.py"
        )
    environment = {"MACOSX_DEPLOYMENT_TARGET": "14.0", **pip_index(), **os.environ}
    if subprocess.run([uv, *map(str, arguments)], env=environment).returncode:
        sys.exit(f"uv could not resolve {arguments[-1]}")


def pip_index() -> dict[str, str]:
    """Return the package index of this machine's pip as a variable for uv, which does not read
    pip's.
    """
    config = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True
    ).stdout
    found = re.search(r"\bindex-url='([^']+)'", config.replace("extra-index-url", ""))
    return {"UV_DEFAULT_INDEX": found[1]} if found else {}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="which ones (default: all)")
    parser.add_argument("--upgrade", action="store_true", help="move to the newest versions")
    options = parser.parse_args()
    known = definitions()
    if unknown := set(options.names) - {definition.name for definition in known}:
        parser.error(f"no such list in envs/inputs: {', '.join(sorted(unknown))}")
    for definition in known:
        if not options.names or definition.name in options.names:
            definition.write(lock(definition, options.upgrade))
            print(definition.path.relative_to(ENVS.parent))


if __name__ == "__main__":
    main()
