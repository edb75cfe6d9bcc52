"""python -m analysis.compare A.zip B.zip --output comparison.html"""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from analysis.archive import ROOT
from analysis.compare.archives import read_archives
from analysis.compare.cells import compare
from analysis.compare.writers import to_csv, to_html, to_markdown
from analysis.formats.errors import InputError, run_command, write_text


def main() -> None:
    """Compare every archive with the first; write HTML, and Markdown and CSV beside it."""
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
    comparisons = [compare(base, other) for other in others]
    write_text(arguments.output, to_html(comparisons, ROOT / "report"))
    write_text(arguments.output.with_suffix(".md"), to_markdown(comparisons))
    write_text(arguments.output.with_suffix(".csv"), to_csv(comparisons))


if __name__ == "__main__":
    run_command(main)
