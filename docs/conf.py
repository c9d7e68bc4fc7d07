"""How Sphinx builds the documentation: `make docs`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from kubewright.version import __version__

project = "kubewright"
copyright = "the kubewright authors"  # noqa: A001 - Sphinx's name for it
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "reference"]
exclude_patterns = ["_build"]
nitpicky = True
nitpick_ignore_regex = [
    # A name in a docstring's backticks is a link where the reference has it, and code where it has not.
    ("py:obj", ".*"),
    # Python's own and other libraries' types: a build without a network cannot ask their documentation.
    ("py:(class|data|exc)", r"(?!kubewright\.).*"),
    # Type variables, and types for type checkers.
    ("py:class", r"kubewright\..*\.(_\w+|[A-Z](_contra|_co)?)"),
    # The inner parts of which public things are made.
    ("py:class", r"kubewright\.client\.(endpoint|forms|watch_loop)\.\w+"),
    (
        "py:class",
        r"kubewright\.controllers\.(controller\.Runtime|leader_election\.Elector|outcomes\.Outcome)",
    ),
    ("py:class", r"kubewright\.controllers\.(cache\.Cache|declared\.DeclaredCluster|own_writes\.OwnWrites)"),
    ("py:class", r"kubewright\.machinery\.(schema\.Schema|type_meta\.TypeMeta)"),
    ("py:class", r"kubewright\.codegen\.openapi_documents\.Document"),
    ("py:class", r"kubewright\.webhooks\.(declaration\.WebhookDeclaration|metrics\.WebhookMetrics)"),
]

# Headings are anchors as GitHub makes them, so that links work there as well as here.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]

autoclass_content = "both"
autodoc_class_signature = "mixed"
autodoc_default_options = {"members": True, "member-order": "bysource", "undoc-members": True}
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_inherit_docstrings = False
autodoc_preserve_defaults = True  # as the code has them, and not the values of the machine that builds
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 90
add_module_names = True
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"kubewright {__version__}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options: dict[str, Any] = {"navigation_with_keys": True}
pygments_style = "friendly"
