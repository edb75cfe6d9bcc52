"""The site of the documents: Sphinx and MyST read the Markdown files of the repository.

make docs      # into site/, without a network; a broken link is an error
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from example import unpack

project = "Millistep"
copyright = "the authors of Millistep, Apache-2.0"
extensions = ["myst_parser", "sphinx_external_toc"]
external_toc_path = "docs/toc.yml"
# Sources are the whole repository, so that links between its folders hold.
include_patterns = ["*.md", "*/*.md", "studies/*/*.md", "workflow/millistep/reference/*.md"]
exclude_patterns = [".*", "results", "site", "tests", "envs", "profiles"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = project
html_static_path = html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False


def setup(app):
    """Put the example of a report where the guide's links expect it."""

    def add_example(app, failure):
        if failure is None:
            unpack(Path(app.outdir, "docs/example"))

    app.connect("build-finished", add_example)
