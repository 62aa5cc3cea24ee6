"""The site: Sphinx reads the Markdown pages here, runs their notebooks and writes the reference from docstrings."""

from __future__ import annotations

import logging
import os
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import site_pages  # noqa: E402

import sixvec  # noqa: E402

project, author = "sixvec", "The sixvec developers"
release = version = sixvec.__version__
project_copyright = f"{author} · sixvec {version} · Apache-2.0"
extensions = ["myst_nb", "sphinx.ext.mathjax", "sphinx_copybutton", "sphinx_design"]
exclude_patterns = ["_build", "**/images", "**.py"]
source_suffix = {".md": "myst-nb"}
root_doc = "index"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_fence_as_directive = ["math"]  # ```math, as GitHub reads it
myst_heading_anchors = 4
nb_execution_mode = "force"  # what a page printed with an older library is no proof
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True
nitpicky = False
suppress_warnings = ["mystnb.unknown_mime_type", "misc.highlighting_failure"]

add_module_names = False
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"
maximum_signature_line_length = 100

mathjax_path = "mathjax/tex-svg.js"  # a copy of our own, so pages need no network
mathjax3_config = {"options": {"enableMenu": False}, "svg": {"scale": 0.92}}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = f"sixvec {version}"
(HERE / "_static").mkdir(exist_ok=True)  # before Sphinx looks for it
html_static_path = ["_static", "style"]
html_css_files = ["site.css"]
html_favicon = "style/icon.svg"
html_search_scorer = str(HERE / "style/scorer.js")
html_theme_options = {"navigation_with_keys": True}
html_show_sourcelink = False
html_show_sphinx = False
html_copy_source = False

for talkative in ("traitlets", "websockets"):  # one line for each notebook
    logging.getLogger(talkative).setLevel(logging.WARNING)
profile = Path(tempfile.mkdtemp(prefix="sixvec-ipython-"), "profile_default")
profile.mkdir()
profile.joinpath("ipython_kernel_config.py").write_text("get_config().IPKernelApp.log_level = 40\n")
os.environ["IPYTHONDIR"] = str(profile.parent)  # kernels print errors only, and obey no profile of the user


def setup(app: Any) -> None:
    package = Path(import_module("sphinx-mathjax-offline").__file__ or "").parent
    site_pages.copy(package / "static/mathjax/tex-svg.js", HERE / "_static/mathjax")
    app.connect("builder-inited", lambda app: site_pages.write(HERE))
    app.connect("source-read", complete)


def complete(app: Any, docname: str, source: list[str]) -> None:
    """Add what would only disturb readers of the files: tables of contents that name many pages."""
    if docname == "index":
        source[0] = site_pages.contents(source[0], HERE)
    if docname == "concepts/index":
        source[0] += site_pages.toctree(page.stem for page in sorted(HERE.glob("concepts/*.md")))
