"""Which Millistep draws: the version that it states, and the revision that git knows."""

import subprocess
from pathlib import Path

from analysis.report.citation import read_citation

ROOT = Path(__file__).resolve().parents[3]  # of the sources that run


def drawn_by(known: str | None = None) -> str:
    """'Millistep 1.2.0, revision v1.2.0-3-g0123456789ab', as far as both are known; `known` is the
    revision where git is not to be asked, empty where there is none.
    """
    version = read_citation(ROOT / "CITATION.cff").get("version", "")
    named = revision(ROOT) if known is None else known
    return f"Millistep {version}".strip() + (f", revision {named}" if named else "")


def revision(root: Path) -> str | None:
    """The sources' revision as git describes it; None without git or a repository of our own."""
    top = _git(root, "rev-parse", "--show-toplevel")
    if top is None or Path(top).resolve() != root.resolve():
        return None
    return _git(root, "describe", "--always", "--tags", "--dirty", "--abbrev=12")


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, timeout=60
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None
