"""The part of Sphinx's build that is this project's own: docstrings, and the several names of one thing."""

from __future__ import annotations

import builtins
import re
from collections.abc import Mapping
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, Final

from docutils import nodes
from plain_docstrings import to_restructured_text
from public_names import PACKAGES, public_objects
from sphinx.addnodes import desc_annotation, pending_xref
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from kubewright.models import KINDS

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

__all__ = ["HANDED_OUT", "setup"]

HANDED_OUT: Final = frozenset(
    {
        "kubewright.Api",
        "kubewright.Context",
        "kubewright.Informer",
        "kubewright.client.discovery.Discovery",
        "kubewright.client.listing.Listing",
        "kubewright.client.mapper.Mapper",
        "kubewright.client.streams.forwarding.Connection",
        "kubewright.client.streams.forwarding.PortForward",
        "kubewright.client.streams.session.Session",
        "kubewright.client.watch.Watch",
        "kubewright.controllers.Controller",
        "kubewright.controllers.ManagedCluster",
        "kubewright.controllers.cached_client.CachedApi",
        "kubewright.controllers.cached_client.CachedClient",
        "kubewright.informers.Change",
        "kubewright.informers.Lister",
        "kubewright.informers.Registration",
        "kubewright.sync.Api",
        "kubewright.sync.Listing",
        "kubewright.testing.RunningOperator",
    }
)
"""What other calls return: their arguments are nobody's business but kubewright's."""

_log: Final = logging.getLogger(__name__)

_VALUES: Final = (str, int, float, tuple, frozenset, bytes, type(None))
"""What equal names may share without being the same thing."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    names = _short_names()

    def process(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
        if isinstance(obj, type) and "__init__" not in vars(obj):
            lines[:] = cleandoc(obj.__doc__ or "").splitlines()  # without what a base says of its arguments
        lines[:] = to_restructured_text(lines, names)

    elsewhere = _described_in_packages()

    def skip(app: Sphinx, what: str, name: str, obj: object, skip: bool, options: object) -> bool | None:
        if what == "exception" and name in {"reason", "code"}:
            return True  # the text of each error says its code
        return True if what == "module" and id(obj) in elsewhere else None

    def direct(app: Sphinx, doctree: nodes.document) -> None:
        for reference in list(doctree.findall(pending_xref)):
            _lead(reference, names)
        for annotation in list(doctree.findall(desc_annotation)):
            if annotation.astext().startswith(": Final") and "[" not in annotation.astext():
                annotation.parent.remove(annotation)  # it says that there is a type, and not which

    app.add_directive("model-modules", ModelModules)
    app.connect("autodoc-process-docstring", process)
    app.connect("autodoc-process-signature", _without_inner_parts)
    app.connect("doctree-read", direct)
    app.connect("autodoc-skip-member", skip)
    app.connect("env-updated", _add_other_names)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


class ModelModules(SphinxDirective):
    """A table of the modules of `kubewright.models` and the kinds in each."""

    def run(self) -> list[nodes.Node]:
        """Called by Sphinx."""
        kinds: dict[tuple[str, str], list[str]] = {}
        for (group_version, kind), module in KINDS.items():
            if not kind.endswith("List"):
                kinds.setdefault((module, group_version), []).append(f"``{kind}``")
        lines = [".. list-table::", "   :header-rows: 1", "", "   * - module", "     - group", "     - kinds"]
        for (module, group_version), names in sorted(kinds.items()):
            lines += [f"   * - ``{module}``", f"     - ``{group_version}``", f"     - {', '.join(names)}"]
        return self.parse_text_to_nodes("\n".join(lines))


def _described_in_packages() -> set[int]:
    """What the modules of a package offer and the package too: it is described under the package's name."""
    return {
        id(obj)
        for name, obj in public_objects().items()
        if name.rpartition(".")[0] in PACKAGES and not isinstance(obj, _VALUES)
    }


def _short_names() -> dict[str, str]:
    """Where a public name leads to by itself: the first of the packages that offer it."""
    names: dict[str, str] = {}
    for full in public_objects():
        names.setdefault(full.rpartition(".")[2], full)
    return names


def _without_inner_parts(
    app: Sphinx,
    what: str,
    name: str,
    obj: object,
    options: object,
    signature: str | None,
    returned: str | None,
) -> tuple[str | None, str | None] | None:
    """Leave out how a thing is made that programs are handed, and marks of defaults that are made anew."""
    if what == "class" and name in HANDED_OUT:
        return "", None
    if signature is None:
        return None
    # What is no expression in a signature has all of it shown as plain text.
    signature = re.sub(r"= <function (\w+)[^<>]*>", r"= \1", signature)
    return re.sub(r"= (<[^<>]*>|UNSET)", "= ...", signature), returned


def _lead(reference: pending_xref, names: Mapping[str, str]) -> None:
    """Have a name in a signature lead where it means: not to an attribute that is called like a builtin."""
    target = reference.get("reftarget", "")
    if reference.get("refdomain") != "py" or "." in target:
        return
    if hasattr(builtins, target):
        reference.replace_self(nodes.inline("", target))
    elif target in names:
        blocking = f"kubewright.sync.{target}"
        in_sync = (reference.get("py:module") or "").startswith(
            "kubewright.sync"
        ) and blocking in names.values()
        reference["reftarget"] = blocking if in_sync else names[target]
        reference["refspecific"] = False


def _add_other_names(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Have every public name lead to the description of what it stands for, and warn of those without one."""
    domain = env.domains.python_domain
    objects = public_objects()
    described = {
        id(obj): name
        for name, obj in objects.items()
        if name in domain.objects and not isinstance(obj, _VALUES)
    }
    for name, obj in objects.items():
        if name in domain.objects:
            continue
        place = described.get(id(obj))
        if place is None:
            _log.warning("%s is public, and no page of docs/reference describes it", name)
        else:
            domain.objects[name] = domain.objects[place]._replace(aliased=True)
    return []
