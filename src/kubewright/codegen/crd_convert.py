"""A CustomResourceDefinition of apiextensions.k8s.io/v1beta1, gone since Kubernetes 1.22, as one of v1."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from kubewright.codegen.crd_structural import PRESERVE, Keep, structural_schema
from kubewright.crd.naming import APPROVAL, needs_approval
from kubewright.machinery.errors import ParseError

__all__ = ["V1", "V1BETA1", "convert_definition", "definition_name", "explained", "is_definition"]

V1: Final = "apiextensions.k8s.io/v1"
V1BETA1: Final = "apiextensions.k8s.io/v1beta1"

_SPEC: Final = frozenset(
    {
        "additionalPrinterColumns",
        "conversion",
        "group",
        "names",
        "preserveUnknownFields",
        "scope",
        "subresources",
        "validation",
        "version",
        "versions",
    }
)
"""The fields of the spec of v1beta1."""

_UNAPPROVED: Final = "unapproved, converted from v1beta1"
"""Servers take a link to an approval, or what begins with "unapproved"; v1beta1 asked for neither."""

Note = Callable[[str], None]
"""Takes a sentence on what could not be carried over."""


def is_definition(document: object, *api_versions: str) -> bool:
    """Whether this is a CustomResourceDefinition of one of these versions."""
    return (
        isinstance(document, Mapping)
        and document.get("kind") == "CustomResourceDefinition"
        and document.get("apiVersion") in api_versions
    )


def convert_definition(old: Mapping[str, Any], *, prune: bool = False, note: Note) -> dict[str, Any]:
    """The v1 form of a v1beta1 CustomResourceDefinition; `note` gets a sentence on each thing that is lost.

    With `prune`, fields that the schema does not name are no longer kept, also where v1beta1 kept them.
    Raises ParseError for a definition from which no v1 one can be made.
    """
    with explained(old):
        return _converted(old, prune=prune, note=note)


def _converted(old: Mapping[str, Any], *, prune: bool, note: Note) -> dict[str, Any]:
    spec = old.get("spec")
    if not isinstance(spec, Mapping):
        raise ParseError(f"{definition_name(old)} has no spec; nothing can be made of it")
    for name in ("group", "names"):
        if not spec.get(name):
            raise ParseError(f"{definition_name(old)} has no spec.{name}; write it")

    def say(sentence: str) -> None:
        note(f"{definition_name(old)}: {sentence}")

    for name in sorted(spec.keys() - _SPEC):
        say(f"spec.{name} is left out, which v1beta1 has not")
    made: dict[str, Any] = {
        "group": spec["group"],
        "names": spec["names"],
        "scope": spec.get("scope") or "Namespaced",  # the default that v1 has no more
        "versions": _versions(spec, prune=prune, note=say, label=definition_name(old)),
    }
    conversion = _conversion(spec.get("conversion"), note=say)
    if conversion is not None:
        made["conversion"] = conversion
    metadata = {name: value for name, value in (old.get("metadata") or {}).items() if value is not None}
    annotations = metadata.get("annotations") or {}
    if needs_approval(spec["group"], annotations):
        metadata["annotations"] = {**annotations, APPROVAL: _UNAPPROVED}
        say(f"the annotation {APPROVAL} is written, without which servers refuse the group {spec['group']}")
    return {"apiVersion": V1, "kind": "CustomResourceDefinition", "metadata": metadata, "spec": made}


def definition_name(definition: Mapping[str, Any]) -> str:
    """What a definition is called in sentences on it."""
    metadata = definition.get("metadata")
    name = metadata.get("name") if isinstance(metadata, Mapping) else None
    return str(name or "a CustomResourceDefinition without a name")


@contextmanager
def explained(definition: Mapping[str, Any]) -> Iterator[None]:
    """Make a ParseError of what comes of a part that is of another type than it must be."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        told = f"no {error}" if isinstance(error, KeyError) else str(error)
        remedy = "kubectl apply --dry-run=server tells where"
        raise ParseError(
            f"{definition_name(definition)} is no correct definition ({told}); {remedy}"
        ) from None


def _versions(spec: Mapping[str, Any], *, prune: bool, note: Note, label: str) -> list[dict[str, Any]]:
    versions = spec.get("versions") or []
    if not isinstance(versions, list) or not all(isinstance(each, Mapping) for each in versions):
        raise ParseError(f"{label}: spec.versions is no list of versions; write the name of each")
    if not versions:
        if not spec.get("version"):
            raise ParseError(f"{label} has neither spec.version nor spec.versions; write the version")
        versions = [{"name": spec["version"], "served": True, "storage": True}]
    elif spec.get("version") and all(each.get("name") != spec["version"] for each in versions):
        note(f"spec.version {spec['version']} is left out, since spec.versions does not list it")
    # v1beta1 kept unknown fields unless it was told not to.
    preserve = spec.get("preserveUnknownFields") is not False
    if preserve:
        if prune:
            note("fields that the schema does not name were kept before, and are dropped now")
        else:
            remedy = "convert crd --prune leaves it out"
            note(f"{PRESERVE} is set, since fields that no schema names were kept; {remedy}")
    keep: Keep = "none" if not preserve else "undeclared" if prune else "all"
    return [_version(each, spec, keep=keep, note=note) for each in versions]


def _version(
    version: Mapping[str, Any], spec: Mapping[str, Any], *, keep: Keep, note: Note
) -> dict[str, Any]:
    made: dict[str, Any] = {
        "name": version.get("name"),
        "served": version.get("served", True),
        "storage": version.get("storage", False),
    }
    for name in ("deprecated", "deprecationWarning"):
        if version.get(name):
            made[name] = version[name]
    made["schema"] = {"openAPIV3Schema": _schema(version, spec, keep=keep, note=note)}
    subresources = version.get("subresources") or spec.get("subresources")
    if subresources:
        made["subresources"] = {
            name: value if value is not None else {} for name, value in subresources.items()
        }
    columns = version.get("additionalPrinterColumns") or spec.get("additionalPrinterColumns")
    if columns:
        made["additionalPrinterColumns"] = [_column(each) for each in columns]
    return made


def _schema(version: Mapping[str, Any], spec: Mapping[str, Any], *, keep: Keep, note: Note) -> dict[str, Any]:
    holder = version.get("schema") or spec.get("validation") or {}
    schema = holder.get("openAPIV3Schema")

    def say(sentence: str) -> None:
        note(f"{version.get('name')}: {sentence}")

    if not schema:
        say(f"it has no schema, so that any object is taken; write one in place of {PRESERVE}")
        return {"type": "object", PRESERVE: True}
    return structural_schema(schema, keep=keep, note=say)


def _column(column: Mapping[str, Any]) -> dict[str, Any]:
    return {"jsonPath" if name == "JSONPath" else name: value for name, value in column.items()}


def _conversion(conversion: Any, *, note: Note) -> dict[str, Any] | None:
    if not isinstance(conversion, Mapping):
        return None
    strategy = conversion.get("strategy") or "None"
    if strategy != "Webhook":
        return {"strategy": strategy}
    reviews = conversion.get("conversionReviewVersions")
    if not reviews:
        reviews = ["v1beta1"]
        note("its conversion webhook said no review versions; v1beta1, the old default, is written")
    webhook: dict[str, Any] = {"conversionReviewVersions": reviews}
    if conversion.get("webhookClientConfig"):
        webhook["clientConfig"] = conversion["webhookClientConfig"]
    return {"strategy": strategy, "webhook": webhook}
