"""The site: the repository's own Markdown, the notebooks and the API, by Sphinx (`make site`).

The source folder is the repository's root, so that links between its files mean here what they mean there. Nothing is
loaded from elsewhere, neither when the site is built nor when it is read.
"""

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(Path(__file__).parent), str(ROOT)]

project = "SVM cost curves"
author = "The SVM cost curves authors"
project_copyright = "2026, The SVM cost curves authors"
release = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
root_doc = "docs/site/index"
include_patterns = ["*.md", "cpp/README.md", "datasets/files/*.md", "docs/**.md", "notebooks/*.ipynb"]
exclude_patterns = [".*", "build", "conf", "cpp/*/**", "experiments", "figures", "report", "requirements"]
exclude_patterns += ["results", "solvers", "support", "tests", "**/__pycache__"]

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
extensions += ["curves", "gallery", "markup"]
default_role = "py:obj"  # numpydoc: `name` in a docstring is a reference

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4  # headings are linked as on the repository's own pages
nb_execution_mode = "off"  # notebooks are committed with what they gave, and tests run them
nb_ipywidgets_js = {}
suppress_warnings = ["ref.python"]  # shapes look like references: the n of (n, d) is an attribute of several classes

autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
maximum_signature_line_length = 100
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False

html_theme = "furo"
html_title = project
html_math_renderer = "mathml"
html_additional_pages = {"index": "start.html"}
html_static_path = ["static"]
html_extra_path = ["../../build/article"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
templates_path = ["templates"]
html_copy_source = False
html_show_sourcelink = False


def setup(app: Sphinx) -> None:
    """Write array types in signatures as the sources have them."""
    app.connect("autodoc-process-signature", _short_arrays)


def _short_arrays(*event: Any) -> tuple[str | None, str | None]:
    pattern = r"~?(?:numpy\.)?ndarray\[tuple\[~?(?:typing\.)?Any, \.\.\.\], ~?(?:numpy\.)?dtype\[(~?[\w.]+)\]\]"
    parameters, returned = (text and re.sub(pattern, r"NDArray[\1]", text) for text in event[-2:])
    return parameters, returned
