"""The example of a report, packed: whole pages would be megabytes of the repository.

python docs/example.py   # keeps what is in results/ as docs/example.zip
"""

import sys
import zipfile
from pathlib import Path

RESULTS = Path("results")
PACKED = Path("docs/example.zip")
FILES = ("report.html", "appendix.html", "table.md")  # pages lead to each other


def keep() -> None:
    """Pack these results; the same ones are the same bytes."""
    pages = {name: (RESULTS / name).read_bytes() for name in FILES}  # before the zip is emptied
    with zipfile.ZipFile(PACKED, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name, page in pages.items():
            packed.writestr(zipfile.ZipInfo(name), page, zipfile.ZIP_DEFLATED)


def unpack(folder: Path) -> None:
    """Put its pages into a folder of the site."""
    with zipfile.ZipFile(PACKED) as packed:
        for name in FILES:
            packed.extract(name, folder)


if __name__ == "__main__":
    try:
        keep()
    except OSError as error:
        sys.exit(f"millistep: {error.filename}: {error.strerror}; `make` writes it")
