"""The names of a custom resource: defaults as code generators make them, and the server's rules for them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

import msgspec

from kubewright.machinery.errors import DeclarationError, quoted
from kubewright.machinery.names import is_dns1035_label, is_dns1123_subdomain

__all__ = [
    "APPROVAL",
    "ResourceNames",
    "Scope",
    "check_approval",
    "check_names",
    "needs_approval",
    "plural_of",
]

Scope: TypeAlias = Literal["Namespaced", "Cluster"]

_PROTECTED: Final = re.compile(r"(?:^|\.)(?:k8s|kubernetes)\.io$")
APPROVAL: Final = "api-approved.kubernetes.io"
"""The annotation that the server demands of definitions in groups of the Kubernetes community."""

_UNCOUNTABLE: Final = (
    "data",
    "metadata",
    "series",
    "species",
    "equipment",
    "information",
    "hardware",
    "software",
)
_PLURALS: Final = (
    (re.compile(r"sis$"), "ses"),
    (re.compile(r"(?<=[^aeiou])y$"), "ies"),
    (re.compile(r"(ss|us|is|x|z|ch|sh)$"), r"\1es"),
    (re.compile(r"([^s])$"), r"\1s"),
)
"""English as controller-gen's pluralizer has it: the first that matches; a word that ends in a plain s is one
already (Settings, Endpoints)."""


class ResourceNames(msgspec.Struct, frozen=True, kw_only=True):
    """What a custom resource is called, the same in all its versions."""

    group: str
    kind: str
    plural: str
    singular: str
    list_kind: str
    scope: Scope
    short_names: tuple[str, ...]
    categories: tuple[str, ...]


def plural_of(kind: str) -> str:
    """The plural of a kind, in lower case: `custompods`, `proxies`, `statuses`."""
    word = kind.lower()
    if word.endswith(_UNCOUNTABLE):
        return word
    for pattern, ending in _PLURALS:
        if pattern.search(word):
            return pattern.sub(ending, word)
    return word


def check_names(cls_name: str, names: ResourceNames, version: str) -> None:
    """Raises DeclarationError for names that the server would refuse."""
    if wrong := is_dns1123_subdomain(names.group):
        _refuse(cls_name, "group", names.group, wrong)
    if "." not in names.group:
        _refuse(cls_name, "group", names.group, ["it must be a domain with a dot, such as example.com"])
    labels = [("version", version), ("kind", names.kind.lower()), ("list_kind", names.list_kind.lower())]
    labels += [("plural", names.plural), ("singular", names.singular)]
    labels += [("short_names", name) for name in names.short_names]
    labels += [("categories", name) for name in names.categories]
    for option, value in labels:
        if wrong := is_dns1035_label(value):
            _refuse(cls_name, option, value, wrong)
    if names.list_kind == names.kind:
        _refuse(cls_name, "list_kind", names.kind, ["it must not be the kind itself"])
    if names.scope not in ("Namespaced", "Cluster"):
        _refuse(cls_name, "scope", names.scope, ["it is Namespaced or Cluster"])
    if len(set(names.short_names)) != len(names.short_names):
        _refuse(cls_name, "short_names", ", ".join(names.short_names), ["one stands there twice"])


def needs_approval(group: str, annotations: Mapping[str, str]) -> bool:
    """Whether servers refuse definitions of the group for want of an annotation on who approved them."""
    return _PROTECTED.search(group) is not None and not annotations.get(APPROVAL)


def check_approval(cls_name: str, group: str, annotations: Mapping[str, str]) -> None:
    """Raises DeclarationError for a group of the Kubernetes community without the annotation it needs."""
    if needs_approval(group, annotations):
        raise DeclarationError(
            f"{cls_name}: the group {quoted(group)} belongs to the Kubernetes community, and servers refuse "
            "it without an approval; take a domain of your own, or give "
            f'annotations={{"{APPROVAL}": "unapproved, experimental"}}'
        )


def _refuse(cls_name: str, option: str, value: str, wrong: list[str]) -> None:
    raise DeclarationError(f"{cls_name}: {option}={quoted(value)} is refused by servers: {'; '.join(wrong)}")
