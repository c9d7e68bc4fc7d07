"""What goes away with an operator's namespace and is not the operator's."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from kubewright.cli.deployment.applying import shown
from kubewright.machinery.errors import (
    DecodeError,
    Forbidden,
    KubewrightError,
    NotFound,
    ParseError,
    TransportError,
    Unauthorized,
)
from kubewright.machinery.gvk import GroupKind, GroupResource

if TYPE_CHECKING:
    from kubewright.client.client import Client as AsyncClient
    from kubewright.client.manifests import Manifest
    from kubewright.client.served import ServedResource
    from kubewright.config import Config
    from kubewright.machinery.label_selectors import Selector
    from kubewright.machinery.meta import ObjectMeta
    from kubewright.sync import Client

__all__ = ["lost_with_namespace"]

_MOST_NAMED: Final = 5
"""How many objects, and how many kinds, a sentence names."""

_PAGE: Final = 250
_MOST_PAGES: Final = 4
"""Objects per page, and pages per kind, that are read: an operator's namespace has a few dozen objects."""

_AT_ONCE: Final = 8
"""Lists that are asked for at the same time: there may be hundreds of kinds, each with a list of its own."""

_UNMISSED: Final = frozenset(
    [
        GroupKind("", "Endpoints"),
        GroupKind("", "Event"),
        GroupKind("coordination.k8s.io", "Lease"),
        GroupKind("discovery.k8s.io", "EndpointSlice"),
        GroupKind("events.k8s.io", "Event"),
    ]
)
"""What the cluster and running programs make by themselves, and make again wherever they run."""

_OF_CLUSTER: Final = frozenset(
    [(GroupKind("", "ConfigMap"), "kube-root-ca.crt"), (GroupKind("", "ServiceAccount"), "default")]
)
"""Objects that controllers of the cluster put into every namespace."""

_DEPLOYMENT: Final = GroupKind("apps", "Deployment")
_ROLES: Final = frozenset(GroupKind("rbac.authorization.k8s.io", kind) for kind in ("ClusterRole", "Role"))

_ACCOUNT: Final = "kubernetes.io/service-account.name"
"""The annotation of a token's Secret that says whose it is: upstream's."""

_CERTIFICATE: Final = "cert-manager.io/certificate-name"
"""The annotation of a Secret that cert-manager made for a Certificate."""

_WRITING: Final = frozenset({"*", "patch", "update"})
"""Verbs of a rule with resourceNames by which an operator keeps an object of its own."""


@dataclass(frozen=True, slots=True)
class _Found:
    """An object in a namespace."""

    kind: GroupKind
    resource: GroupResource
    metadata: ObjectMeta

    def __str__(self) -> str:
        return f"{self.kind.kind} {self.metadata.name}"


@dataclass(slots=True)
class _Contents:
    """The objects in a namespace, and what is not known of them."""

    told: frozenset[GroupKind]
    objects: list[_Found] = field(default_factory=list)
    unread: dict[str, KubewrightError] = field(default_factory=dict)
    """The kinds that cannot be listed, with the reason."""
    partly: list[str] = field(default_factory=list)
    """The kinds that have more objects than were read."""


def lost_with_namespace(
    client: Client, namespace: str, manifests: Sequence[Manifest], *, told: Collection[GroupKind] = ()
) -> list[str]:
    """What goes away with a namespace and is not the operator's, in words; kinds in `told` are left out.

    The operator's are the objects of its manifests, those that its roles name and let it write, and what
    belongs to any of these. An object that belongs to another one is not named besides it. Only metadata is
    read, of a bounded number of objects; kinds that cannot be listed are told as well. Raises ParseError,
    ApiError and TransportError.
    """
    contents = asyncio.run(_read(client.config, namespace, told))
    own = _Own(client.config, namespace, manifests)
    uids = {each.metadata.uid for each in contents.objects}
    others = [
        each
        for each in contents.objects
        if each.kind not in told
        and each not in own
        and not any(owner.uid in uids for owner in each.metadata.owner_references)
    ]
    return [*_others_told(others, contents, namespace), *_unread_told(contents, namespace)]


def _others_told(others: Sequence[_Found], contents: _Contents, namespace: str) -> Iterator[str]:
    named = sorted(map(str, others))
    if named:
        yield f"{_listed(named, 'more')} in the namespace {namespace}"
    if contents.partly:
        yield f"what more there is of {_listed(contents.partly, 'other kinds')} in the namespace {namespace}"


def _unread_told(contents: _Contents, namespace: str) -> Iterator[str]:
    if not contents.unread:
        return
    kinds = _listed(sorted(contents.unread), "other kinds")
    reasons = [each for each in contents.unread.values() if not isinstance(each, Forbidden)]
    why = f"cannot be listed ({' '.join(str(reasons[0]).split())})" if reasons else "you may not list"
    yield f"what there is of {kinds} in the namespace {namespace}, which {why},"


def _listed(texts: Sequence[str], others: str) -> str:
    if len(texts) <= _MOST_NAMED:
        return " and ".join([part for part in (", ".join(texts[:-1]), texts[-1]) if part])
    return f"{', '.join(texts[:_MOST_NAMED])} and {len(texts) - _MOST_NAMED} {others}"


class _Own:
    """Which objects of a namespace are the operator's, or the cluster's."""

    def __init__(self, config: Config, namespace: str, manifests: Sequence[Manifest]) -> None:
        here = [each for each in manifests if (each.namespace or config.namespace) == namespace]
        self._named: Final = _OF_CLUSTER | {(each.gvk.group_kind, each.name) for each in here}
        self._written: Final[set[tuple[GroupResource, str]]] = set()
        self._selectors: Final[list[Selector]] = []
        for each in manifests:
            try:
                if each.gvk.group_kind in _ROLES:
                    self._written.update(_written(each))
                elif each.gvk.group_kind == _DEPLOYMENT and each in here:
                    self._selectors.append(_selector(each))
            except DecodeError as error:
                raise ParseError(f"{shown(each)} cannot be read: {error}; correct its manifest") from None

    def __contains__(self, found: _Found) -> bool:
        kind, metadata = found.kind, found.metadata
        if (kind, metadata.name) in self._named or (found.resource, metadata.name) in self._written:
            return True
        if kind == GroupKind("", "Secret"):
            account = metadata.annotations.get(_ACCOUNT, "")
            certificate = metadata.annotations.get(_CERTIFICATE, "")
            return (GroupKind("", "ServiceAccount"), account) in self._named or (
                GroupKind("cert-manager.io", "Certificate"),
                certificate,
            ) in self._named
        # Whose owner may be gone, or may not be listed.
        if kind in {GroupKind("", "Pod"), GroupKind("apps", "ReplicaSet")}:
            return any(selector.matches(metadata.labels) for selector in self._selectors)
        return False


def _written(role: Manifest) -> Iterator[tuple[GroupResource, str]]:
    """The objects that a role names and lets be written."""
    from kubewright.models.rbac_v1 import ClusterRole, Role  # noqa: PLC0415 - the help needs none of it

    for rule in (Role if role.gvk.kind == "Role" else ClusterRole).from_dict(role.data).rules:
        if not _WRITING.isdisjoint(rule.verbs):
            yield from (
                (GroupResource(group, resource), name)
                for group in rule.api_groups
                for resource in rule.resources
                for name in rule.resource_names
            )


def _selector(deployment: Manifest) -> Selector:
    from kubewright.models.apps_v1 import Deployment  # noqa: PLC0415 - the help needs none of it

    return Deployment.from_dict(deployment.data).spec.selector.to_selector()


async def _read(config: Config, namespace: str, told: Collection[GroupKind]) -> _Contents:
    """The objects of all kinds that can be listed and deleted; those in `told` need not be known."""
    from kubewright.client.client import Client as AsyncClient  # noqa: PLC0415 - the help needs none of it

    contents = _Contents(frozenset(told))
    async with AsyncClient(config) as client:
        served = await client.discovery.served()
        for version, error in served.failed.items():
            contents.unread[f"the kinds of {version}"] = error
        # What cannot be deleted, such as metrics of pods, is not kept, but made up when it is asked for.
        kinds = [
            each
            for each in served.preferred_resources()
            if each.namespaced and {"delete", "list"} <= set(each.verbs)
        ]
        free = asyncio.Semaphore(_AT_ONCE)
        try:
            async with asyncio.TaskGroup() as tasks:
                for each in kinds:
                    if each.gvk.group_kind not in _UNMISSED:
                        tasks.create_task(_list(client, each, namespace, contents, free))
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
    return contents


async def _list(
    client: AsyncClient, kind: ServedResource, namespace: str, contents: _Contents, free: asyncio.Semaphore
) -> None:
    api = client.dynamic(kind.gvk.api_version, kind.gvk.kind, namespace).metadata()
    name = str(kind.gvr.group_resource)
    pages = 0
    async with free:
        try:
            async for page in api.list(page_size=_PAGE).pages():
                contents.objects += [
                    _Found(kind.gvk.group_kind, kind.gvr.group_resource, each.metadata) for each in page.items
                ]
                pages += 1
                if pages == _MOST_PAGES:
                    if page.continue_:
                        contents.partly.append(name)
                    return
        except (TransportError, Unauthorized):
            raise
        except NotFound:
            return  # its definition was deleted, and all objects before that
        except KubewrightError as error:  # no right, or a conversion webhook that does not answer
            if kind.gvk.group_kind not in contents.told:
                contents.unread[name] = error
