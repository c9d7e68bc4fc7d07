"""The public names of kubewright: which there are, and under which one each of them is described.

A package or module says in `__all__` what is public. Several of them may offer the same thing, as `Manager`
is offered by `kubewright` and by `kubewright.controllers`; it is described once, and all of its names lead
there.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Final

__all__ = ["PACKAGES", "PUBLIC", "public_names", "public_objects"]

PACKAGES: Final = (
    "kubewright",
    "kubewright.cluster",
    "kubewright.config",
    "kubewright.controllers",
    "kubewright.crd",
    "kubewright.informers",
    "kubewright.sync",
    "kubewright.testing",
    "kubewright.webhooks",
    "kubewright.workqueue",
)
"""Packages whose `__all__` is what programs import from them."""

PUBLIC: Final = (
    *PACKAGES,
    "kubewright.client.api",
    "kubewright.client.client",
    "kubewright.cluster.options",
    "kubewright.cluster.selection",
    "kubewright.codegen.client_files",
    "kubewright.codegen.crd_convert",
    "kubewright.codegen.manifests",
    "kubewright.codegen.project",
    "kubewright.codegen.type_sources",
    "kubewright.controllers.logs",
    "kubewright.controllers.probes",
    "kubewright.machinery.errors",
    "kubewright.machinery.field_errors",
    "kubewright.machinery.gvk",
    "kubewright.machinery.intstr",
    "kubewright.machinery.label_selectors",
    "kubewright.machinery.meta",
    "kubewright.machinery.field_selectors",
    "kubewright.machinery.patch",
    "kubewright.machinery.status",
    "kubewright.machinery.table",
    "kubewright.machinery.yaml",
    "kubewright.server.options",
    "kubewright.server.server",
)
"""What the reference describes: the packages above, and modules of others that programs may want."""


def public_names() -> Iterator[tuple[str, str]]:
    """Each public name, as the module that offers it and the name in it."""
    for module in PUBLIC:
        for name in import_module(module).__all__:
            yield module, name


def public_objects() -> dict[str, object]:
    """What each public name stands for, by its full name."""
    return {f"{module}.{name}": getattr(import_module(module), name) for module, name in public_names()}
