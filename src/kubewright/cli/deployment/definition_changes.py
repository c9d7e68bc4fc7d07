"""What a definition would do to the objects that a cluster has of it, asked before it is applied."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Final

from kubewright.machinery.errors import KubewrightError, NotFound, TransportError

if TYPE_CHECKING:
    from kubewright.machinery.table import PartialObjectMetadata
    from kubewright.models.apiextensions_v1 import CustomResourceDefinition
    from kubewright.sync import Api, Client

__all__ = ["Harm", "find_definition", "find_harm", "harm_told", "objects_of"]

_HARMFUL: Final = frozenset({"invalid", "lost", "not served"})
"""The kinds of changes that matter where there are objects; those named `updates` leave them as they are."""

_VERSION: Final = re.compile(r"v([0-9]{1,9})(?:(alpha|beta)([0-9]{1,9}))?")
_STABILITY: Final = {"alpha": 0, "beta": 1, None: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Harm:
    """Why a definition should not take the place of the one that a cluster has."""

    newer: Sequence[str] = ()
    """Lines on versions that the cluster's definition has and the new one does not know."""
    refused: Sequence[str] = ()
    """Lines on changes that the server refuses, whatever objects there are."""
    objects: Sequence[str] = ()
    """Lines on changes that break the objects that are there."""

    @property
    def lines(self) -> list[str]:
        """All of them."""
        return [*self.newer, *self.refused, *self.objects]

    def __bool__(self) -> bool:
        return bool(self.lines)


def find_definition(client: Client, name: str) -> CustomResourceDefinition | None:
    """The definition of this name that a cluster has. Raises ApiError and TransportError."""
    from kubewright.models.apiextensions_v1 import (  # noqa: PLC0415 - the help needs none of it
        CustomResourceDefinition,
    )

    try:
        return client.api(CustomResourceDefinition).get(name)
    except NotFound:
        return None


def find_harm(client: Client, present: CustomResourceDefinition, wanted: Mapping[str, Any]) -> Harm:
    """What is wrong with applying `wanted` over the definition that the cluster has.

    A definition without objects may change as it likes, unless it is from a newer version of the code:
    whoever put it there relies on it. Raises ParseError for a schema that no custom resource can have.
    """
    from kubewright.crd.compatibility import breaking_changes  # noqa: PLC0415 - the help needs none of it
    from kubewright.models.apiextensions_v1 import CustomResourceDefinition  # noqa: PLC0415 - as above

    name = present.metadata.name
    changes = breaking_changes(present, CustomResourceDefinition.from_dict(wanted))
    newer = _newer_versions(present, wanted)
    harmful = [each for each in changes if each.kind in _HARMFUL and each.version not in newer]
    if harmful and not _may_have_objects(client, present):
        harmful = []
    return Harm(
        newer=[f"{name}: the cluster has the version {each}, which the code does not" for each in newer],
        refused=[f"{name}: {each}" for each in changes if each.kind == "refused"],
        objects=[f"{name}: {each}" for each in harmful],
    )


def harm_told(harms: Sequence[Harm]) -> str:
    """Why nothing is applied, and what to do, in one sentence."""
    refused = any(harm.refused for harm in harms)
    away = "take the definitions and their objects away first with `kubewright uninstall`"
    if any(harm.newer for harm in harms):
        told = "definitions of the cluster are from a newer version of the project"
        other = away if refused else "give --force to install or deploy, for the older ones in their place"
        remedy = f"upgrade the project's code, or {other}"
    elif refused:
        told, remedy = "the API server refuses these changes", f"undo them, or {away}"
    else:
        told = "the cluster has objects that these changes break"
        remedy = "make them in a new version of the kind, or give --force to install or deploy"
    return f"{told}, so nothing was applied; {remedy}"


def objects_of(client: Client, definition: CustomResourceDefinition) -> Api[PartialObjectMetadata] | None:
    """The objects of a definition in all namespaces, in the version that needs the least conversion.

    None when no version is served.
    """
    spec = definition.spec
    served = [each for each in spec.versions if each.served]
    if not served:
        return None
    version = next((each for each in served if each.storage), served[0])
    return client.dynamic(f"{spec.group}/{version.name}", spec.names.kind).metadata()


def _newer_versions(present: CustomResourceDefinition, wanted: Mapping[str, Any]) -> list[str]:
    """Versions that the code does not know and that come after all that it knows, as far as names tell."""
    known = [str(each["name"]) for each in wanted["spec"].get("versions") or ()]
    stored = (present.to_dict().get("status") or {}).get("storedVersions") or ()
    there = dict.fromkeys([*(each.name for each in present.spec.versions), *map(str, stored)])
    latest = max(map(_age, known), default=())
    return [each for each in there if each not in known and _age(each) > latest]


def _age(version: str) -> tuple[float, ...]:
    """Orders versions by when they come to be: v1alpha1, v1beta1, v1, v2alpha1; others after all of these."""
    found = _VERSION.fullmatch(version)
    if found is None:
        return (inf,)
    return (int(found[1]), _STABILITY[found[2]], int(found[3] or 0))


def _may_have_objects(client: Client, definition: CustomResourceDefinition) -> bool:
    """Whether there are objects; also when that cannot be found out."""
    try:
        api = objects_of(client, definition)
        if api is None:
            return True
        return any(page.items for page in api.list(page_size=1).pages())
    except TransportError:
        raise
    except KubewrightError:
        return True  # no right to look, or a conversion webhook that does not answer
