"""What the commands `archive` and `verify` print."""

from pathlib import Path

from millistep.analysis.archive.citation import bibtex, citation
from millistep.analysis.archive.contents import ROOT, sha256
from millistep.analysis.archive.verify import DIFFERS, IDENTICAL, NOT_VERIFIABLE, Verification
from millistep.analysis.frames import Data
from millistep.analysis.report.setting import measured
from millistep.analysis.words import count

VERDICTS = {
    IDENTICAL: "IDENTICAL: every file is as archived and as its records render to.",
    DIFFERS: "DIFFERS: this is not the archive as it was made.",
    NOT_VERIFIABLE: "NOT VERIFIABLE HERE: every file is as archived, but some render differently.",
}


def summary(output: Path, data: Data, digest: str, changed: int) -> str:
    """Return what was written and how to cite it; no entry if nothing can be cited."""
    own = sha256(output)
    lines = [f"{output}: {output.stat().st_size / 2**20:.2f} MiB, sha256 {own}"]
    lines.append(f"sha256 of plan and records: {digest}")
    if changed:
        lines.append(f"Replaced folders and names of this machine in {count(changed, 'file')}.")
    if not data.runs["ok"].any():
        return "\n".join([*lines, "", "No run has a time: there is nothing to cite."])
    note = f"{measured(data)}; archive with sha256 {own}"
    return "\n".join([*lines, "", bibtex(citation(ROOT), note)])


def outcome(found: Verification) -> list[str]:
    """Return the report of a verification, the verdict last."""
    lines = [f"files      {count(found.files, 'file')}, {len(found.problems)} wrong"]
    lines.append(f"measured   sha256 of plan and records {found.digest}")
    lines.append(f"rendered   {count(found.rendered, 'file')}, {len(found.differences)} differ")
    lines += [f"wrong      {name}: {text}" for name, text in sorted(found.problems.items())]
    lines += [f"differs    {name}: {text}" for name, text in sorted(found.differences.items())]
    lines += [f"reason     {reason}" for reason in found.reasons if found.differences]
    lines.append(VERDICTS[found.status])
    if found.status == NOT_VERIFIABLE and found.revision:
        lines.append(f"To render it with its own sources, check out revision {found.revision}.")
    return lines
