"""How Sphinx builds the site: `make docs`. Pages are Markdown (MyST); the reference is made from the code."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

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

html_theme = "furo"
html_title = "demospec"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
