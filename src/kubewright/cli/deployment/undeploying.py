"""What was deployed taken away again: definitions first, while the operator still serves its finalizers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from kubewright.cli.deployment.applying import DEFINITION, pauses, place_of, refusal_told, shown
from kubewright.cli.deployment.definitions import (
    confirm_loss,
    delete_definitions,
    lost_objects,
    present_definitions,
)
from kubewright.cli.deployment.deploying import NAMESPACE, WEBHOOKS
from kubewright.cli.deployment.namespace_contents import lost_with_namespace
from kubewright.client.apply_yaml import naming
from kubewright.client.manifests import Manifest, in_install_order
from kubewright.machinery.errors import NotFound, WaitTimeout
from kubewright.machinery.gvk import GroupKind

if TYPE_CHECKING:
    from kubewright.cli.deployment.progress import Progress
    from kubewright.machinery.unstructured import Unstructured
    from kubewright.sync import Client

__all__ = ["undeploy_manifests"]

_KEPT: Final = frozenset({"default", "kube-node-lease", "kube-public", "kube-system"})
"""Namespaces that every cluster has and that no operator brought."""

_FIRST_WORD: Final = 3.0
"""Seconds after which a namespace that says nothing is told to be waited for."""

_REMEDY: Final = (
    "nothing else was deleted: see whether the operator, which does their work, runs (kubectl get pods "
    "-A -l control-plane)"
)


def undeploy_manifests(
    client: Client,
    manifests: Sequence[Manifest],
    *,
    progress: Progress,
    yes: bool,
    keep_definitions: bool,
    timeout: float,
) -> None:
    """Delete all objects; those that are not there are told.

    Definitions go first, and with them their objects, whose finalizers the operator still serves; then
    webhook configurations, which nobody will answer, the rest in the reverse order of deploying, and
    namespaces last. Raises WaitTimeout, which says what is held by what, ApiError and TransportError.
    """
    backwards = in_install_order(manifests)[::-1]
    definitions = [each.name for each in backwards if each.gvk == DEFINITION]
    namespaces = [each for each in backwards if each.gvk.group_kind == NAMESPACE]
    present = {} if keep_definitions else present_definitions(client, definitions)
    kinds = [GroupKind(each.spec.group, each.spec.names.kind) for each in present.values()]
    lost = lost_objects(client, present.values())
    for each in namespaces:
        if _goes(client, each.name):
            lost += lost_with_namespace(client, each.name, manifests, told=kinds)
    confirm_loss(lost, yes=yes, progress=progress)
    if keep_definitions:
        if definitions:
            progress.note(
                f"{', '.join(definitions)} and all objects in other namespaces stay; objects with finalizers "
                "of the operator can be deleted when it runs again"
            )
    else:
        delete_definitions(client, definitions, progress=progress, timeout=timeout, remedy=_REMEDY)
    rest = [each for each in backwards if each.gvk != DEFINITION and each.gvk.group_kind != NAMESPACE]
    for each in sorted(rest, key=lambda each: each.gvk.group_kind not in WEBHOOKS):
        _delete(client, each, progress=progress)
    for each in namespaces:
        if each.name in _KEPT:
            progress.note(f"the namespace {each.name} stays, since the cluster brought it")
        elif _delete(client, each, progress=progress):
            _await_namespace(client, each.name, progress=progress, timeout=timeout)


def _goes(client: Client, namespace: str) -> bool:
    """Whether a namespace is there, and goes away now: not when it is being deleted already."""
    if namespace in _KEPT:
        return False
    try:
        return client.dynamic("v1", "Namespace").get(namespace).metadata.deletion_timestamp is None
    except NotFound:
        return False


def _delete(client: Client, manifest: Manifest, *, progress: Progress) -> bool:
    """Delete an object; whether there was one."""
    namespace = manifest.namespace
    try:
        with naming(shown(manifest), refusal_told):
            place = place_of(client, manifest)
            namespace = place.namespace
            place.api.delete(manifest.name, propagation="Background")
    except NotFound:  # also for kinds that went with their definitions
        progress.done(manifest.gvk, manifest.name, namespace, "not found")
        return False
    progress.done(manifest.gvk, manifest.name, namespace, "deleted")
    return True


def _await_namespace(client: Client, name: str, *, progress: Progress, timeout: float) -> None:
    """Wait until a namespace is gone. Raises WaitTimeout, which says what is left in it."""
    api = client.dynamic("v1", "Namespace")
    told: str | None = None
    for since in pauses(timeout):
        try:
            why = _why_there(api.get(name))
        except NotFound:
            return
        if why != told and since > (0 if why else _FIRST_WORD):
            progress.say(f"waiting: the namespace {name} is being deleted{why}")
            told = why
    left = ", and it goes when that is gone" if told else f"; see kubectl get namespace {name} -o yaml"
    raise WaitTimeout(
        f"the namespace {name} is still being deleted after {timeout:g} seconds{told or ''}; all else is "
        f"deleted{left}"
    )


def _why_there(namespace: Unstructured) -> str:
    status = namespace.get("status")
    conditions = status.get("conditions") if isinstance(status, dict) else None
    told = [
        str(each.get("message"))
        for each in conditions or ()
        if each.get("status") == "True" and str(each.get("type")).endswith(("Remaining", "Failure"))
    ]
    return f": {'; '.join(told)}" if told else ""
