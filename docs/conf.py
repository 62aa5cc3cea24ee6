"""The site: Sphinx reads the Markdown pages here, runs their notebooks and writes the reference from docstrings."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import site_pages  # noqa: E402

import sixvec  # noqa: E402

project, author = "sixvec", "The sixvec developers"
release = version = sixvec.__version__
extensions = ["myst_nb", "sphinx.ext.mathjax"]
exclude_patterns = ["_build", "**/images", "**.py"]
source_suffix = {".md": "myst-nb"}
root_doc = "index"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
nb_execution_mode = "force"  # what a page printed with an older library is no proof
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True
nitpicky = False
suppress_warnings = ["mystnb.unknown_mime_type", "misc.highlighting_failure"]

html_theme = "furo"
html_title = "sixvec"
(HERE / "_static").mkdir(exist_ok=True)  # before Sphinx looks for it
html_static_path = ["_static"]
html_theme_options = {"navigation_with_keys": True}
html_show_sourcelink = False
html_copy_source = False


def setup(app: Any) -> None:
    app.connect("builder-inited", lambda app: site_pages.write(HERE))
