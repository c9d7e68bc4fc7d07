"""All objects of a deployment applied, in an order in which each finds what it needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from kubewright.cli.deployment.applying import DEFINITION, apply_manifest, pauses, place_of, shown
from kubewright.cli.deployment.checking import checked, defined_kind
from kubewright.cli.deployment.definition_changes import find_definition
from kubewright.cli.deployment.definitions import apply_definitions, refuse_harm
from kubewright.cli.deployment.rollout import await_rollout
from kubewright.client.manifests import Manifest, in_install_order
from kubewright.machinery.errors import DecodeError, NotFound, ParseError, WaitTimeout
from kubewright.machinery.gvk import GroupKind, GroupVersionKind

if TYPE_CHECKING:
    from kubewright.cli.deployment.progress import Progress
    from kubewright.machinery.resource import Resource
    from kubewright.sync import Client

__all__ = ["DEPLOYMENT", "NAMESPACE", "WEBHOOKS", "blocks_rollout", "deploy_manifests"]

NAMESPACE: Final = GroupKind("", "Namespace")
DEPLOYMENT: Final = GroupKind("apps", "Deployment")
WEBHOOKS: Final = frozenset(
    GroupKind("admissionregistration.k8s.io", kind)
    for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
)

_NEEDED: Final = {
    "": {"*", "endpoints", "events", "pods", "pods/*", "secrets", "serviceaccounts", "services"},
    "apps": {"*", "deployments", "deployments/*", "replicasets"},
    "coordination.k8s.io": {"*", "leases"},
    "discovery.k8s.io": {"*", "endpointslices"},
}
"""Resources by group that are written before an operator's pods answer."""


def deploy_manifests(
    client: Client,
    manifests: Sequence[Manifest],
    *,
    progress: Progress,
    force: bool,
    force_conflicts: bool,
    wait: bool,
    dry_run: bool,
    timeout: float,
) -> None:
    """Apply all objects, and with `wait` see to it that the Deployments among them are rolled out.

    Webhook configurations come last. One that would have to let pass what the operator's own pods need is
    applied when they run. Before anything is applied, kinds that the cluster does not know, definitions that
    harm its objects, and fields of other managers are refused; see `checked`. Raises ApiError,
    TransportError, ParseError, WaitTimeout and NotRolledOut.
    """
    ordered = in_install_order(manifests)
    _refuse_malformed(ordered)
    definitions = [each for each in ordered if each.gvk == DEFINITION]
    _refuse_unknown(client, ordered, definitions)
    refuse_harm(client, definitions, progress=progress, force=force)
    ordered = checked(client, ordered, progress=progress, force=force_conflicts)
    definitions = [each for each in ordered if each.gvk == DEFINITION]
    webhooks = [each for each in ordered if each.gvk.group_kind in WEBHOOKS]
    blocking = [each for each in webhooks if blocks_rollout(each.data)]
    late = blocking if wait and not dry_run else []
    if blocking and not wait:
        progress.note(
            f"{' and '.join(each.name for each in blocking)} would have to let the operator's own pods pass; "
            "see whether they come up, or deploy without --no-wait"
        )
    namespaces = [each for each in ordered if each.gvk.group_kind == NAMESPACE]
    apart = [*definitions, *webhooks, *namespaces]
    rest = [each for each in ordered if not any(each is other for other in apart)]

    applier = _Applier(client, progress, force=force_conflicts, dry_run=dry_run)
    for each in namespaces:
        applier.namespace(each, timeout=timeout)
    if not dry_run:
        _drop_local_conversions(client, definitions, progress=progress)
    apply_definitions(
        client, definitions, progress=progress, force=force_conflicts, dry_run=dry_run, timeout=timeout
    )
    applier.objects(rest, defined=_defined_kinds(definitions))
    applier.objects([each for each in webhooks if not any(each is other for other in late)])
    applier.close()
    progress.details["rolledOut"] = False
    if dry_run or not wait:
        return
    for each in rest:
        if each.gvk.group_kind == DEPLOYMENT:
            namespace = place_of(client, each).namespace
            await_rollout(client, each.name, namespace, progress=progress, timeout=timeout)
    progress.details["rolledOut"] = True
    applier.objects(late)
    _note_bundles(client, [*definitions, *webhooks], progress=progress)


class _Applier:
    """Applies objects one by one; in a dry run, those whose namespace is not there yet are left out."""

    def __init__(self, client: Client, progress: Progress, *, force: bool, dry_run: bool) -> None:
        self._client: Final = client
        self._progress: Final = progress
        self._force: Final = force
        self._dry_run: Final = dry_run
        self._absent: Final[set[str]] = set()
        """Namespaces that a dry run would have made."""
        self._unchecked = 0

    def namespace(self, manifest: Manifest, *, timeout: float) -> None:
        """Apply a namespace; one that is being deleted is waited for, and made anew."""
        api = self._client.dynamic("v1", "Namespace")
        told = False
        for _ in pauses(timeout):
            try:
                present = api.get(manifest.name)
            except NotFound:
                if self._dry_run:
                    self._absent.add(manifest.name)
                break
            if present.metadata.deletion_timestamp is None:
                break
            if self._dry_run:
                self._absent.add(manifest.name)  # it is gone by the time of a real one
                break
            if not told:
                self._progress.say(f"namespace/{manifest.name} is being deleted; waiting until it is gone")
                told = True
        else:
            raise WaitTimeout(
                f"the namespace {manifest.name} is still being deleted after {timeout:g} seconds; see what "
                f"is in it with kubectl get namespace {manifest.name} -o yaml"
            )
        self._apply(manifest)

    def objects(self, manifests: Iterable[Manifest], *, defined: frozenset[GroupKind] = frozenset()) -> None:
        """Apply objects; `defined` are the kinds whose definitions were applied a moment ago."""
        for each in manifests:
            unknown = self._dry_run and each.gvk.group_kind in defined
            if unknown or each.namespace in self._absent:
                self._unchecked += 1
                self._progress.done(each.gvk, each.name, each.namespace, "created")
            else:
                self._apply(each, defined=each.gvk.group_kind in defined)

    def close(self) -> None:
        """Tell of what a dry run could not ask the server."""
        if self._unchecked:
            self._progress.note(
                f"the server could not check {self._unchecked} objects, whose namespace or definition is not "
                "there yet"
            )

    def _apply(self, manifest: Manifest, *, defined: bool = False) -> None:
        apply_manifest(
            self._client,
            manifest,
            progress=self._progress,
            force=self._force,
            dry_run=self._dry_run,
            defined=defined,
        )


def _refuse_malformed(manifests: Iterable[Manifest]) -> None:
    """Raises ParseError for objects that are looked into here and are not what they say, with the field."""
    from kubewright.models.admissionregistration_v1 import (  # noqa: PLC0415 - the help needs none of it
        MutatingWebhookConfiguration,
        ValidatingWebhookConfiguration,
    )
    from kubewright.models.apiextensions_v1 import CustomResourceDefinition  # noqa: PLC0415 - as above

    types = (CustomResourceDefinition, MutatingWebhookConfiguration, ValidatingWebhookConfiguration)
    by_kind: dict[GroupVersionKind, type[Resource]] = {each.gvk: each for each in types}
    for each in manifests:
        if each.gvk in by_kind:
            try:
                made = by_kind[each.gvk].from_dict(each.data)
                for member in ("spec", "webhooks"):  # which are not decoded before they are asked for
                    getattr(made, member, None)
            except DecodeError as error:
                raise ParseError(f"{shown(each)} cannot be deployed: {error}") from None


def _refuse_unknown(client: Client, manifests: Iterable[Manifest], definitions: Sequence[Manifest]) -> None:
    """Raises NotFound for a kind that neither the cluster knows nor a definition defines."""
    defined = _defined_kinds(definitions)
    for each in manifests:
        if each.gvk.group_kind in defined:
            continue
        try:
            place_of(client, each)
        except NotFound as error:
            status = error.status.copy()
            status.message = f"{shown(each)}: {status.message}; nothing was applied"
            raise NotFound(status) from None


def _defined_kinds(definitions: Iterable[Manifest]) -> frozenset[GroupKind]:
    return frozenset(map(defined_kind, definitions))


def _drop_local_conversions(client: Client, definitions: Iterable[Manifest], *, progress: Progress) -> None:
    """Take the URLs away that an operator on somebody's machine put into definitions, which get a service.

    Server-side apply takes no field away that another manager set, and the server refuses both at once.
    """
    for each in definitions:
        present = find_definition(client, each.name)
        wanted = _client_config(each.data)
        before = _client_config(present.to_dict()) if present is not None else {}
        if "service" not in wanted or "url" not in before:
            continue
        config = {"url": None, "caBundle": None, "service": wanted["service"]}
        patch = {"spec": {"conversion": {"webhook": {"clientConfig": config}}}}
        client.dynamic(DEFINITION.api_version, DEFINITION.kind).patch(each.name, patch)
        progress.note(
            f"objects of {each.name} are no longer converted at {before['url']}, but by the deployed operator"
        )


def _client_config(definition: Mapping[str, Any]) -> dict[str, Any]:
    webhook = (definition["spec"].get("conversion") or {}).get("webhook") or {}
    return dict(webhook.get("clientConfig") or {})


def blocks_rollout(configuration: Mapping[str, Any]) -> bool:
    """Whether webhooks are asked about what is written before the operator's pods can answer."""
    return any(
        _needs(group, resource)
        for webhook in configuration.get("webhooks") or ()
        if webhook.get("failurePolicy", "Fail") == "Fail"
        for rule in webhook.get("rules") or ()
        for group in rule.get("apiGroups") or ()
        for resource in rule.get("resources") or ()
    )


def _needs(group: str, resource: str) -> bool:
    if resource == "*/*":
        resource = "*"
    groups = _NEEDED if group == "*" else [group]
    return any(resource in _NEEDED.get(each, ()) for each in groups)


def _note_bundles(client: Client, manifests: Sequence[Manifest], *, progress: Progress) -> None:
    """Tell of webhooks that no API server can call, because it does not know the authority."""
    # An operator injects its bundle before it says that it is ready.
    missing = [each.name for each in manifests if _lacks_bundle(client, each)]
    if missing:
        progress.note(
            f"there is no CA bundle in {' and '.join(missing)} yet; until the operator or cert-manager "
            "puts it there, requests that ask these webhooks fail"
        )


def _lacks_bundle(client: Client, manifest: Manifest) -> bool:
    found = client.dynamic(manifest.gvk.api_version, manifest.gvk.kind).get(manifest.name)
    configs: list[dict[str, Any]]
    if manifest.gvk == DEFINITION:
        config = _client_config(found.to_dict())
        configs = [config] if config else []
    else:
        configs = [each.get("clientConfig") or {} for each in found.to_dict().get("webhooks") or ()]
    # At a URL it may be one of the authorities that the API server knows by itself.
    return not all(each.get("caBundle") or each.get("url") for each in configs)
