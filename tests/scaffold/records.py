"""Records of projects of all sorts, and projects in folders made of them."""

from __future__ import annotations

import sys
from pathlib import Path

from kubewright.codegen.manifest_files import manifest_files, write_manifests
from kubewright.codegen.manifests import manifests_of
from kubewright.codegen.project import load_project
from kubewright.crd.naming import plural_of
from kubewright.scaffold.record import ProjectRecord, ScaffoldedKind, WebhookPart
from kubewright.scaffold.render import render
from kubewright.version import __version__

__all__ = [
    "ALL",
    "RECORDS",
    "a_kind",
    "a_record",
    "make_manifests",
    "write_project",
    "written_with_manifests",
]

ALL: tuple[WebhookPart, ...] = ("defaulting", "validation", "conversion")
_LONGEST_KIND = f"A{'b' * 58}"
"""Its list has four letters more, and 63 is the most that servers take."""


def a_kind(
    kind: str = "CustomPod",
    version: str = "v1",
    *,
    group: str = "zhhnzw",
    plural: str = "",
    namespaced: bool = True,
    controller: bool = True,
    webhooks: tuple[WebhookPart, ...] = (),
) -> ScaffoldedKind:
    """A version of a kind."""
    return ScaffoldedKind(
        group=group,
        version=version,
        kind=kind,
        plural=plural or plural_of(kind),
        namespaced=namespaced,
        controller=controller,
        webhooks=webhooks,
    )


def a_record(name: str, *kinds: ScaffoldedKind) -> ProjectRecord:
    """A project with these kinds."""
    return ProjectRecord(
        name=name, package=name.replace("-", "_"), domain="mock.com", kubewright=__version__, kinds=kinds
    )


RECORDS = {
    "empty": a_record("empty-demo"),
    "one kind": a_record("one-demo", a_kind()),
    "no controller": a_record("idle-demo", a_kind(controller=False)),
    "cluster-scoped": a_record("wide-demo", a_kind(namespaced=False, plural="podlets")),
    "several kinds": a_record(
        "several-demo",
        a_kind(),
        a_kind("Order", group="shop", version="v1beta1"),
        a_kind("Order", group="crm.sales", namespaced=False),
        a_kind("Class1", group="", controller=False),
    ),
    "two versions": a_record("versions-demo", a_kind(), a_kind(version="v2", controller=False)),
    "defaulting": a_record("defaulting-demo", a_kind(webhooks=("defaulting",))),
    "validation": a_record("validation-demo", a_kind(webhooks=("validation",), namespaced=False)),
    "webhooks alone": a_record("webhooks-demo", a_kind(webhooks=ALL, controller=False)),
    "conversion": a_record(
        "conversion-demo", a_kind(version="v1beta1"), a_kind(webhooks=("conversion",)), a_kind(version="v2")
    ),
    "everything": a_record(
        "everything-demo",
        a_kind(webhooks=ALL),
        a_kind(version="v2", webhooks=("validation",)),
        a_kind("Order", group="shop", webhooks=("conversion",)),
        a_kind("Order", group="shop", version="v2alpha1"),
        a_kind("Order", group="crm.sales", namespaced=False, webhooks=("defaulting", "conversion")),
        a_kind("Order", group="crm.sales", namespaced=False, version="v10"),
        a_kind("Site", group="", namespaced=False, controller=False, plural="sitez"),
    ),
    "long names": a_record(
        "a" * 28,
        a_kind(_LONGEST_KIND, webhooks=ALL, group="g" * 40),
        a_kind(_LONGEST_KIND, version="v2alpha11", group="g" * 40, webhooks=("defaulting",)),
        a_kind(_LONGEST_KIND, group="h" * 60, namespaced=False, controller=False),
    ),
}


def write_project(folder: Path, record: ProjectRecord) -> Path:
    """The files of a project, in a folder."""
    for path, file in render(record).items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(file.text)
    return folder


def written_with_manifests(folder: Path, record: ProjectRecord) -> Path:
    """The same, after `kubewright manifests`."""
    write_project(folder, record)
    make_manifests(folder, record)
    return folder


def make_manifests(folder: Path, record: ProjectRecord) -> None:
    """What `kubewright manifests` does; the package is imported, once in a process."""
    path = list(sys.path)
    try:
        project = load_project(folder, record.package)
        manifests = manifests_of(project, setup=f"{record.package}.controllers:setup")
    finally:
        sys.path[:] = path
    assert manifests.notes == []
    write_manifests(folder / "config", manifest_files(manifests))
