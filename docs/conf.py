"""The site of the documents: Sphinx and MyST read the same Markdown that lies in the repository.

make docs      # into site/, without a network; a broken link is an error
"""

import shutil
from pathlib import Path

EXAMPLE = Path("docs/example")  # a report, see CONTRIBUTING.md; pages of it lead to each other

project = "Millistep"
copyright = "the authors of Millistep, Apache-2.0"
extensions = ["myst_parser", "sphinx_external_toc"]
external_toc_path = "docs/toc.yml"
# Sources are the whole repository, so that links between its folders hold.
include_patterns = ["*.md", "*/*.md"]
exclude_patterns = [".*", "results", "site", "tests", "workflow", "envs", "profiles", "report"]
exclude_patterns += ["docs/example"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = project
html_copy_source = False
html_show_sphinx = False


def setup(app):
    """Put the example where the documents' links expect it."""

    def copy(app, failure):
        if EXAMPLE.is_dir() and failure is None:
            shutil.copytree(EXAMPLE, Path(app.outdir, EXAMPLE), dirs_exist_ok=True)

    app.connect("build-finished", copy)
