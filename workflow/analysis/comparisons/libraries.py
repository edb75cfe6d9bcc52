"""Library versions of this run, compared with those of the published benchmark."""

from collections.abc import Iterable
from dataclasses import dataclass

from packaging.version import InvalidVersion, Version

from analysis.formats.text import listed
from analysis.results.cells import Cell
from analysis.results.reference import Conditions

Installed = tuple[str, str]  # name and version


@dataclass(frozen=True)
class Library:
    """A library of the page, and what was found in its place here; None where nothing was."""

    name: str
    published: str
    found: frozenset[Installed | None]

    @property
    def same(self) -> bool:
        return self._versions == {Version(self.published)}

    @property
    def newer(self) -> bool:
        """True if each version that was found is newer than the page's."""
        return all(found and found > Version(self.published) for found in self._versions)

    @property
    def _versions(self) -> set[Version | None]:
        return {entry and _version(entry[1]) for entry in self.found}

    def __str__(self) -> str:
        """As 'keras-hub 0.32.0 (page: keras-nlp 0.8.2)'; the page's name only if it is another."""
        here = sorted(entry for entry in self.found if entry)
        renamed = {name for name, _ in here} - {self.name}
        page = f"{self.name} {self.published}" if renamed else self.published
        versions = [f"{name} {version}" for name, version in here]
        versions += [f"no {self.name}"] if None in self.found else []
        return f"{listed(versions)} (page: {page})"


def differing_libraries(cells: Iterable[Cell], conditions: Conditions) -> list[Library]:
    """The libraries that the page had in another version, for the columns of these cells."""
    environments: dict[str, list[dict[str, str]]] = {}  # by framework: most runs have the same
    for cell in cells:
        different = environments.setdefault(cell.column.framework, []) if cell.column.bare else []
        for record in cell.records:
            if record.environment.packages not in different:
                different.append(record.environment.packages)
    found: dict[Installed, set[Installed | None]] = {}
    for framework, different in environments.items():
        for published in conditions.versions.get(framework, {}).items():
            here = {_installed(packages, published[0], conditions) for packages in different}
            found.setdefault(published, set()).update(here)
    libraries = [Library(*published, frozenset(here)) for published, here in found.items()]
    return [library for library in libraries if not library.same]


def _installed(packages: dict[str, str], name: str, conditions: Conditions) -> Installed | None:
    """The name and version of a package, under the page's name or one that it has now."""
    versions = {key.lower().replace("_", "-"): version for key, version in packages.items()}
    names = [name, *(new for new, old in conditions.also_called.items() if old == name)]
    return next(((other, versions[other]) for other in names if other in versions), None)


def _version(text: str) -> Version | None:
    """A version without what a build adds: '2.2.1+cu121' is 2.2.1; None if it is no version."""
    try:
        return Version(Version(text).public)
    except InvalidVersion:
        return None
