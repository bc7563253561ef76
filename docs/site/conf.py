"""Sphinx's settings for the site (scripts/make_site). Nothing on a page is fetched from elsewhere."""
# pylint: disable=invalid-name

import os
import sys

sys.path.insert(0, os.environ["VTA_SITE_PYTHON"])
language = os.environ["VTA_SITE_LANGUAGE"]
project = "VTA"
version = release = os.environ["VTA_SITE_VERSION"]
copyright = "the maintainers of vta; Apache-2.0"  # pylint: disable=redefined-builtin
extensions = ["myst_parser"] + (["sphinx.ext.autodoc", "sphinx.ext.napoleon"] if language == "en" else [])
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
root_doc = "index"
myst_heading_anchors = 6
html_theme = "furo"
html_title = f"VTA {version}"
html_show_sphinx = False
html_copy_source = False
html_static_path = ["static"]
html_js_files = ["theme.js"]
html_extra_path = ["extra"] if language == "en" else []
html_last_updated_fmt = None
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
napoleon_google_docstring = False
# Docstrings and C headers are written to be read as text; what Sphinx says of their markup is not the site's business.
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
