"""What a cluster would refuse of many objects, asked before the first one is applied."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import click
from msgspec import structs

from kubewright.cli.deployment.applying import (
    DEFINITION,
    MANAGER,
    conflicting_fields,
    conflicts_told,
    place_of,
    shown,
)
from kubewright.client.apply_yaml import naming
from kubewright.machinery.errors import ApiError, Conflict, Invalid, NotFound, ParseError
from kubewright.machinery.gvk import GroupKind

if TYPE_CHECKING:
    from kubewright.cli.deployment.applying import Place
    from kubewright.cli.deployment.progress import Progress
    from kubewright.client.manifests import Manifest
    from kubewright.machinery.unstructured import Unstructured
    from kubewright.sync import Client

__all__ = ["checked", "defined_kind", "refuse_twice"]

_NAMESPACE: Final = GroupKind("", "Namespace")

_MOST_OBJECTS: Final = 5
"""How many objects a sentence names; the JSON document has all."""

_REPLICAS: Final = ".spec.replicas"

_IMMUTABLE: Final = re.compile(
    "immutable|cannot change roleRef|may not change once set|may not be changed in an update"
    "|updates to statefulset spec for fields other|may not change fields other"
)
"""How API servers say that a field stays as it was made; there is no reason of its own for it."""


def refuse_twice(manifests: Sequence[Manifest]) -> None:
    """Raises ParseError for an object that is there twice: the second would undo the first."""
    found: dict[tuple[object, ...], Manifest] = {}
    for each in manifests:
        key = (each.gvk.group_kind, each.namespace, each.name)
        if key in found:
            places = f"{found[key].where} and {each.where}"
            raise ParseError(f"{shown(each)} is there twice, as {places}; take one of them away")
        found[key] = each


def defined_kind(definition: Manifest) -> GroupKind:
    """The kind that a definition defines."""
    spec = definition.data["spec"]
    return GroupKind(str(spec["group"]), str(spec["names"]["kind"]))


def checked(
    client: Client, manifests: Sequence[Manifest], *, progress: Progress, force: bool = False
) -> list[Manifest]:
    """The objects as they can be applied; the server is asked about each by a dry run.

    The command ends with one sentence if fields belong to other managers, unless `force` takes them over, or
    if fields would change that cannot: all such objects are told together, and nothing is applied. A number
    of replicas that was set through the scale subresource is left out of what is applied, with a note:
    whoever scales a workload says nothing else about it, and server-side apply asks appliers to give up a
    field that another has taken over.

    What else is wrong with an object is left to be told when it is applied: by then those before it are
    there, which it may need. Raises ParseError and TransportError.
    """
    check = _Check(client, progress, manifests, force=force)
    found = [check.manifest(each) for each in manifests]
    check.close()
    return found


class _Check:
    """Dry runs of many objects, and what they say."""

    def __init__(
        self, client: Client, progress: Progress, manifests: Sequence[Manifest], *, force: bool
    ) -> None:
        self._client: Final = client
        self._progress: Final = progress
        self._force: Final = force
        self._absent: Final[set[str]] = set()
        """Namespaces that are not there, or are being deleted: nothing is in them that could conflict."""
        self._undefined: Final = {defined_kind(each) for each in manifests if each.gvk == DEFINITION}
        """Kinds whose definitions were not seen in the cluster; to ask for them would take time."""
        self._conflicts: Final[list[str]] = []
        self._immutable: Final[dict[str, str]] = {}
        """What is told of objects whose fields cannot change, and the command that deletes each."""

    def manifest(self, manifest: Manifest) -> Manifest:
        """An object as it can be applied."""
        if manifest.gvk.group_kind in self._undefined:
            return manifest
        try:
            place = place_of(self._client, manifest)
            if place.namespace in self._absent:
                return manifest
            with naming(shown(manifest), lambda error: error.status.message):
                answer = place.api.apply(manifest.data, manager=MANAGER, force=self._force, dry_run=True)
        except Conflict as error:
            return self._conflicting(place, manifest, error)
        except Invalid as error:
            self._invalid(place, manifest, error)
        except NotFound as error:
            if error.status.details is not None and error.status.details.kind == "namespaces":
                self._absent.add(error.status.details.name)
        except ApiError:
            return manifest  # also from webhooks that know no dry runs
        else:
            self._seen(manifest, answer)
        return manifest

    def _seen(self, manifest: Manifest, answer: Unstructured) -> None:
        """Remember of what is there, and stays, that it is, for the objects that need it."""
        # What a dry run would create has no revision.
        stays = bool(answer.metadata.resource_version) and answer.metadata.deletion_timestamp is None
        if manifest.gvk == DEFINITION and stays:
            self._undefined.discard(defined_kind(manifest))
        elif manifest.gvk.group_kind == _NAMESPACE and not stays:
            self._absent.add(manifest.name)

    def close(self) -> None:
        """End the command if anything was found."""
        if self._conflicts:
            self._progress.details["conflicts"] = self._conflicts
        told = "; ".join(_listed(texts) for texts in (self._conflicts, list(self._immutable)) if texts)
        remedies: list[str] = []
        if self._conflicts:
            remedies.append("give --force-conflicts to install or deploy, to take them over")
        if self._immutable:
            remedies.append(f"undo these changes, or delete the objects first ({_delete(self._immutable)})")
        if told:
            raise click.ClickException(f"{told}; nothing was applied: {', and '.join(remedies)}")

    def _conflicting(self, place: Place, manifest: Manifest, error: Conflict) -> Manifest:
        fields = conflicting_fields(error)
        present = _present(place, manifest.name)
        if not fields or present is None or present.metadata.deletion_timestamp is not None:
            return manifest  # no conflict of managers, or with what will not be there
        if {field for field, _ in fields} == {_REPLICAS} and (scalers := _scalers(present)):
            return self._without_replicas(manifest, present, scalers)
        self._conflicts.append(f"{shown(manifest)}: {conflicts_told(fields)}")
        return manifest

    def _without_replicas(
        self, manifest: Manifest, present: Unstructured, scalers: Sequence[str]
    ) -> Manifest:
        spec = dict(manifest.data["spec"])
        wanted = spec.pop("replicas")
        self._progress.note(
            f"{shown(manifest)} keeps its number of replicas, {_replicas(present)}, which was set by "
            f"{' and '.join(scalers)} through the scale subresource; with --force-conflicts, `deploy` "
            f"makes it {wanted}"
        )
        return structs.replace(manifest, data={**manifest.data, "spec": spec})

    def _invalid(self, place: Place, manifest: Manifest, error: Invalid) -> None:
        details = error.status.details
        fields = [
            each.field
            for each in (details.causes if details is not None else None) or ()
            if _IMMUTABLE.search(each.message)
        ]
        if not fields:
            return
        present = _present(place, manifest.name)
        if present is not None and present.metadata.deletion_timestamp is None:
            # Of some kinds the server says which fields may change, and not which may not.
            names = ("some fields of spec" if field == "spec" else field for field in fields)
            listed = " and ".join(dict.fromkeys(names))
            kind = ".".join(part for part in (manifest.gvk.kind.lower(), manifest.gvk.group) if part)
            where = f" -n {place.namespace}" if place.namespace else ""
            told = f"{shown(manifest)}: {listed} cannot be changed"
            self._immutable[told] = f"kubectl delete {kind} {manifest.name}{where}"


def _present(place: Place, name: str) -> Unstructured | None:
    try:
        return place.api.get(name)
    except NotFound:
        return None


def _scalers(present: Unstructured) -> list[str]:
    """The managers of the number of replicas; empty when one of them set it otherwise than by scaling."""
    owners = [
        each
        for each in present.metadata.managed_fields
        if each.manager != MANAGER and "f:replicas" in _members((each.fields_v1 or {}).get("f:spec"))
    ]
    if not all(each.subresource == "scale" for each in owners):
        return []
    return list(dict.fromkeys(each.manager for each in owners))


def _members(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _replicas(present: Unstructured) -> object:
    return _members(present.get("spec")).get("replicas")


def _delete(immutable: Mapping[str, str]) -> str:
    """The command that deletes the first of these objects."""
    return next(iter(immutable.values()))


def _listed(texts: Sequence[str]) -> str:
    more = f"; and {len(texts) - _MOST_OBJECTS} more objects" if len(texts) > _MOST_OBJECTS else ""
    return f"{'; '.join(texts[:_MOST_OBJECTS])}{more}"
