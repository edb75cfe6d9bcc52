"""The example of a report, packed: whole pages would be megabytes of the repository.

python docs/example.py   # keeps what is in results/ as docs/example.zip
"""

import zipfile
from pathlib import Path

RESULTS = Path("results")
PACKED = Path("docs/example.zip")
FILES = ("report.html", "appendix.html", "table.md")  # pages lead to each other


def keep() -> None:
    """Pack these results; the same ones are the same bytes."""
    with zipfile.ZipFile(PACKED, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name in FILES:
            packed.writestr(
                zipfile.ZipInfo(name), (RESULTS / name).read_bytes(), zipfile.ZIP_DEFLATED
            )


def unpack(folder: Path) -> None:
    """Put its pages into a folder of the site."""
    with zipfile.ZipFile(PACKED) as packed:
        for name in FILES:
            packed.extract(name, folder)


if __name__ == "__main__":
    keep()
