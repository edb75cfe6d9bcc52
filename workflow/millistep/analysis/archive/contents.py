"""The files of an archive: measurements, sources, and the versions of what renders them."""

import hashlib
import platform
import subprocess
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parents[2]
# Where CITATION.cff is: the clone, or the package if a wheel was installed.
ROOT = PACKAGE.parents[1] if (PACKAGE.parents[1] / "CITATION.cff").is_file() else PACKAGE
FILES: tuple[str, ...] = ("Snakefile", "workflow/Snakefile", "Makefile", "README.md", "LICENSE")
FILES += ("CITATION.cff", "pyproject.toml")
FOLDERS = ("config", "envs", "profiles", "studies", "workflow")
KINDS = {".c", ".cpp", ".css", ".csv", ".h", ".in", ".j2", ".js", ".json", ".md", ".py", ".pyx"}
KINDS |= {".rst", ".sh", ".smk", ".toml", ".txt", ".yaml", ".yml"}
KINDS |= {".cc", ".cu", ".cuh", ".cxx", ".gz", ".hpp", ".npy", ".npz", ".pxd"}
LARGEST_BYTES = 16 * 2**20  # of a source file; larger ones are data
RENDERING = ("analysis", "contracts", "reference")  # folders of the package
PACKAGES: tuple[str, ...] = ("contourpy", "jinja2", "markupsafe", "matplotlib", "numpy", "pandas")
PACKAGES += ("pillow", "pyarrow", "rocrate", "scipy", "tabulate")
MEASURED = ("records", "reference", "machines", "environments")


def measured(plan: dict[str, Any], project: Path) -> list[str]:
    """Return the names of the plan and of all files that were measured or observed for it.

    A plan may be a stranger's: a name outside of the folders of measurements does not count.
    """
    results, root = plan["results"], project.resolve()
    names = {run["record"] for cell in plan["cells"] for run in cell["runs"]}
    names |= {reference["path"] for reference in plan.get("references", [])}
    for folder in ("machines", "environments"):
        found = (project / results / folder).rglob("*.json")
        names |= {path.relative_to(project).as_posix() for path in found}
    folders = tuple(f"{results}/{folder}/" for folder in MEASURED)
    names = {name for name in names if name.startswith(folders) and name.endswith(".json")}
    names |= {f"{results}/plan.json", f"{results}/self_test.json"}
    inside = (n for n in names if (root / n).resolve() == root / n and (root / n).is_file())
    return sorted(inside)


def digest(plan: dict[str, Any], project: Path) -> str:
    """Return the SHA-256 of the measured files of a plan and their names.

    Descriptions of environments do not count: an archive replaces the folders in them.
    """
    environments = f"{plan['results']}/environments/"
    names = [name for name in measured(plan, project) if not name.startswith(environments)]
    lines = (f"{sha256(project / name)}  {name}\n" for name in names)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def folders(plan: dict[str, Any]) -> list[str]:
    """Return the folders of the user's own models, frameworks and topics."""
    return list((plan.get("further") or {}).get("folders", []))


def sources(root: Path) -> dict[str, Path]:
    """Return Millistep's source files by their names; hidden and generated files are left out."""
    files = {name: root / name for name in FILES if (root / name).is_file()}
    return files | users(root, FOLDERS)


def users(project: Path, folders: Iterable[str]) -> dict[str, Path]:
    """Return the source files in the folders of a project, by their names.

    Hidden and generated files, links, and folders outside of the project are left out.
    """
    paths = [(project / folder).resolve() for folder in folders]
    inside = [path for path in paths if path.is_relative_to(project) and path != project]
    files = [file for path in inside for file in _below(path)]
    return {file.relative_to(project).as_posix(): file for file in files}


def rendering(project: Path | None = None) -> dict[str, str]:
    """Return the SHA-256 of every source file that renders, by its name in the package, and of
    CITATION.cff, which the report quotes.

    project: an unpacked archive; by default the code that runs.
    """
    package = project / "workflow/millistep" if project else PACKAGE
    found = [path for folder in RENDERING for path in _below(package / folder)]
    cited = (project or ROOT) / "CITATION.cff"
    sums = {path.relative_to(package).as_posix(): sha256(path) for path in found}
    return sums | ({cited.name: sha256(cited)} if cited.is_file() else {})


def _below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.name.startswith((".", "__pycache__")) or path.is_symlink():
            continue
        if path.is_dir():
            yield from _below(path)
        elif path.suffix in KINDS and path.stat().st_size <= LARGEST_BYTES:
            yield path


def made_with() -> dict[str, str]:
    """Return the versions of everything that decides the bytes of what is rendered."""
    from matplotlib.ft2font import __freetype_version__

    versions = {name: version(name) for name in PACKAGES}
    return {"python": platform.python_version(), "freetype": __freetype_version__} | versions


def revision(root: Path = ROOT) -> str | None:
    """Return the revision as git describes it; None without git or a repository of our own."""
    git = ["git", "-C", str(root)]
    describe = [*git, "describe", "--always", "--tags", "--dirty", "--abbrev=12"]
    try:
        top, found = (
            subprocess.run(command, capture_output=True, text=True, timeout=60).stdout.strip()
            for command in ([*git, "rev-parse", "--show-toplevel"], describe)
        )
        return found or None if top and Path(top).samefile(root) else None
    except (OSError, subprocess.SubprocessError):
        return None
