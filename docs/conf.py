"""How the documentation is built: `make docs` turns this folder into pages that need no network."""

import divulge

project = "divulge"
author = "The divulge developers"
copyright = "the divulge developers, Apache-2.0"
version = release = divulge.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_build", "_gallery"]
suppress_warnings = ["mystnb.unknown_mime_type"]  # charts come as Vega-Lite too, and are shown as drawn
nitpicky = False  # signatures name types of NumPy and of rooms that are not on the page

# Tutorials are notebooks written as text; they are run whenever the pages are built.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_default_options = {"members": True}

html_extra_path = ["_gallery"]  # the papers reproduced, as `make gallery` writes them
html_theme = "pydata_sphinx_theme"
html_title = "divulge"
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"index": []}


def _bars_are_bars(_app, _what, _name, _object, _options, lines):
    """In docstrings p(x|y) is a probability, where reStructuredText would see a substitution."""
    lines[:] = [line if line.lstrip().startswith(">>>") else line.replace("|", "\\|") for line in lines]


def setup(app):
    app.connect("autodoc-process-docstring", _bars_are_bars)
