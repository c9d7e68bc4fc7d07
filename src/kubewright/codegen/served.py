"""Makes `kubewright/models/served.py`, the table of what a server serves, from its aggregated discovery.

`kubewright.codegen.models` calls it when `discovery-api.json` and `discovery-apis.json` lie beside the
OpenAPI documents. What DELETE answers with is in those documents only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from kubewright.codegen.layout import layout
from kubewright.codegen.render import DEFAULT_WIDTH
from kubewright.machinery.gvk import GroupVersion

__all__ = ["DISCOVERY", "SERVED", "read_discovery", "read_returned_when_deleted", "served_table"]

SERVED: Final = "served.py"
"""The file of `kubewright/models` that holds the table."""

DISCOVERY: Final = ("discovery-api.json", "discovery-apis.json")
"""The recorded answers of `/api` and `/apis` in the aggregated form, in the order in which clients ask."""

_STORED_AS: Final[Mapping[tuple[str, str], str]] = {
    ("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy"): "admissionregistration.k8s.io/v1beta1",
    (
        "admissionregistration.k8s.io/v1",
        "MutatingAdmissionPolicyBinding",
    ): "admissionregistration.k8s.io/v1beta1",
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"): "apiextensions.k8s.io/v1beta1",
    ("autoscaling/v1", "HorizontalPodAutoscaler"): "autoscaling/v2",
    ("events.k8s.io/v1", "Event"): "v1",
}
"""Where upstream stores another version than the one asked for; the rest is stored as it is served.

Not in the aggregated discovery; found by comparing `storageVersionHash` of `/apis/GROUP/VERSION` of
kube-apiserver 1.36 with the hash of each resource's own group, version and kind.
"""

_HEADER: Final = '''"""What the API server serves: every built-in resource, in the order of discovery.

Generated; see CONTRIBUTING.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

__all__ = ["RESOURCES", "ResourceRow", "SubresourceRow"]


class SubresourceRow(NamedTuple):
    """One endpoint below a resource, and the kind that it answers with."""

    name: str
    api_version: str
    kind: str
    verbs: str
    """Separated by blanks, as the texts of `ResourceRow` are."""


class ResourceRow(NamedTuple):
    """One resource of one group-version."""

    api_version: str
    plural: str
    singular: str
    kind: str
    namespaced: bool
    verbs: str
    list_kind: str = ""
    """Empty for what is only ever created: bindings and reviews."""
    short_names: str = ""
    categories: str = ""
    stored_as: str = ""
    """The apiVersion under which it is stored; empty for what is not stored."""
    returned_when_deleted: bool = False
    """Whether DELETE answers with the object; else it does so with a Status."""
    subresources: Sequence[SubresourceRow] = ()


RESOURCES: Final[tuple[ResourceRow, ...]] = (
'''


def read_discovery(directory: Path) -> list[Mapping[str, Any]] | None:
    """The recorded groups in their order, or None where they were not recorded."""
    paths = [directory / name for name in DISCOVERY]
    if not all(path.is_file() for path in paths):
        return None
    return [group for path in paths for group in msgspec.json.decode(path.read_bytes())["items"]]


def read_returned_when_deleted(directory: Path) -> frozenset[tuple[str, str]]:
    """The resources, as apiVersion and plural, of which DELETE answers with the object."""
    found = set()
    for path in directory.glob("api*__v*.json"):
        for pattern, operations in msgspec.json.decode(path.read_bytes())["paths"].items():
            segments = pattern.strip("/").split("/")
            operation = operations.get("delete", {})
            if operation.get("x-kubernetes-action") == "delete":
                answers = operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]
                if not answers.endswith(".meta.v1.Status"):
                    found.add(("/".join(segments[1 : 2 if segments[0] == "api" else 3]), segments[-2]))
    return frozenset(found)


def served_table(
    groups: list[Mapping[str, Any]], returned_when_deleted: Collection[tuple[str, str]] = ()
) -> str:
    """The source text of the table."""
    lines = [
        line
        for group in groups
        for version in group["versions"]
        for resource in version["resources"]
        for line in _row(
            GroupVersion(group["metadata"].get("name", ""), version["version"]),
            resource,
            returned_when_deleted,
        )
    ]
    return _HEADER + "\n".join(lines) + "\n)\n"


def _row(
    group_version: GroupVersion,
    resource: Mapping[str, Any],
    returned_when_deleted: Collection[tuple[str, str]],
) -> Iterator[str]:
    """The lines of one resource; what it has none of is left out."""
    api_version = group_version.api_version
    kind = resource["responseKind"]["kind"]
    verbs = resource["verbs"]
    members: dict[str, str | bool] = {
        "api_version": api_version,
        "plural": resource["resource"],
        "singular": resource["singularResource"],
        "kind": kind,
        "namespaced": resource["scope"] == "Namespaced",
        "verbs": " ".join(verbs),
        "list_kind": f"{kind}List" if "list" in verbs else "",
        "short_names": " ".join(resource.get("shortNames", ())),
        "categories": " ".join(resource.get("categories", ())),
        # What is stored can be watched; what is computed (reviews, component statuses) cannot.
        "stored_as": _STORED_AS.get((api_version, kind), api_version) if "watch" in verbs else "",
    }
    if (api_version, resource["resource"]) in returned_when_deleted:
        members["returned_when_deleted"] = True
    yield "    ResourceRow("
    yield from (f"        {name}={_literal(value)}," for name, value in members.items() if value != "")
    subresources = resource.get("subresources", ())
    if subresources:
        yield "        subresources=["
        for item in subresources:
            *lines, last = layout(_subresource(group_version, item), width=DEFAULT_WIDTH - 1, indent=" " * 12)
            yield from lines
            yield f"{last},"
        yield "        ],"
    yield "    ),"


def _subresource(group_version: GroupVersion, subresource: Mapping[str, Any]) -> str:
    stated = subresource["responseKind"]
    # An empty version stands for the group and version of the resource itself.
    answers = GroupVersion(stated["group"], stated["version"]) if stated["version"] else group_version
    texts = (subresource["subresource"], answers.api_version, stated["kind"], " ".join(subresource["verbs"]))
    return f"SubresourceRow({', '.join(_literal(text) for text in texts)})"


def _literal(value: str | bool) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
