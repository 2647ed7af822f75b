"""How Sphinx builds the site: `make docs`. Pages are Markdown (MyST); the reference is made from the code."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import make_reference
from sphinx.application import Sphinx

import demospec

project = "demospec"
author = "The demospec authors"
copyright = "the demospec authors"
version = release = demospec.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax"]
exclude_patterns = ["_build", "reproduction/*/result.json"]
root_doc = "index"

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist", "fieldlist"]

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
add_module_names = False
default_role = "code"  # docstrings put code between single backticks
smartquotes = False
toc_object_entries_show_parents = "hide"
maximum_signature_line_length = 80

html_theme = "furo"
html_title = "demospec"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False


def put_made(app: Sphinx, page: str, source: list[str]) -> None:
    """Put what is made from the code in the place of the marks of a page."""
    source[0] = make_reference.with_made(source[0])


def outdated(app: Sphinx, *known: object) -> list[str]:
    """Return the pages that are made from the code, which may have changed where they have not."""
    pages = (Path(app.srcdir) / "reference").glob("*.md")
    return [f"reference/{page.stem}" for page in pages if make_reference.MARK.search(page.read_text("utf-8"))]


def setup(app: Sphinx) -> None:
    """Tell Sphinx what happens when."""
    app.connect("env-get-outdated", outdated)
    app.connect("source-read", put_made)
