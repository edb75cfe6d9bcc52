"""python -m analysis.compare A.zip B.zip --output comparison.html"""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from analysis.compare.archives import read_archives
from analysis.compare.cells import compare
from analysis.compare.page import write_comparisons
from analysis.formats.errors import InputError, run_command
from analysis.topics import load_rules


def main() -> None:
    """Compare every archive with the first; write HTML, and Markdown and CSV beside it."""
    load_rules()
    options = argparse.ArgumentParser(description="Compare archives with the first of them.")
    options.add_argument("archives", type=Path, nargs="+", help="two or more zips")
    options.add_argument("--output", type=Path, required=True, help="the page, ending in .html")
    arguments = options.parse_args()
    if len(arguments.archives) < 2:
        raise InputError("one archive is nothing to compare; name two or more")
    if arguments.output.suffix != ".html":
        raise InputError(f"{arguments.output}: the page's name must end in .html")
    with TemporaryDirectory(prefix="millistep-") as folder:
        base, *others = read_archives(arguments.archives, Path(folder))
    write_comparisons([compare(base, other) for other in others], arguments.output)


if __name__ == "__main__":
    run_command(main)
