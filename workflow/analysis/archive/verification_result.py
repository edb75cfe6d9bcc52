"""The findings of a verification, and the verdict that follows from them."""

from dataclasses import dataclass, field

from analysis.formats.text import listed

IDENTICAL, DIFFERENT, UNDECIDED = 0, 1, 3
ONLY_DRAW = ("matplotlib", "freetype", "pillow", "contourpy")  # they change no number


@dataclass(frozen=True)
class Unequal:
    """A result that differs when drawn here: at which place, and whether only in a figure."""

    place: str
    in_figure: bool


@dataclass
class Verification:
    """The findings: files that cannot be right with the reason, results that differ when drawn
    here, and the sources and versions (theirs, ours) that may explain it.
    """

    files: int
    sealed: bool
    wrong: dict[str, str] = field(default_factory=dict)
    unequal: dict[str, Unequal] = field(default_factory=dict)
    redrawn: int = 0
    same: int = 0
    passed: int = 0
    sources: list[str] = field(default_factory=list)
    versions: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def status(self) -> int:
        """IDENTICAL, DIFFERENT or, where only other sources or versions differ, UNDECIDED."""
        if self.wrong or not self.sealed or not all(map(self.excuse, self.unequal.values())):
            return DIFFERENT
        return UNDECIDED if self.unequal else IDENTICAL

    def excuse(self, unequal: Unequal) -> str:
        """Why a result may rightly differ here; empty when there is no reason."""
        reasons = [
            f"{package} {theirs}, here {ours}"
            for package, (theirs, ours) in self.versions.items()
            if unequal.in_figure or package not in ONLY_DRAW
        ]
        parts = [f"drawn with {listed(reasons)}"] if reasons else []
        return "; ".join([*parts, *(["drawn by other sources"] if self.sources else [])])
