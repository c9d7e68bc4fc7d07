"""Which webhooks a write is for: rules, equivalent versions, selectors and conditions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from kubewright.machinery.gvk import GroupResource
from kubewright.machinery.label_selectors import Selector
from kubewright.server.admission.attributes import Attributes
from kubewright.server.admission.webhooks.conditions import Conditions, authorizer_for
from kubewright.server.admission.webhooks.reviews import admission_request
from kubewright.server.admission.webhooks.rules import Request
from kubewright.server.admission.webhooks.versions import Versioned
from kubewright.server.admission.webhooks.webhook import Webhook
from kubewright.server.authorization import Authorizer
from kubewright.server.errors import forbidden, internal_error, not_found
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.resource_type import REGISTRY_ROOT, ResourceType
from kubewright.server.registry.stored import read_meta

__all__ = ["Invocation", "find_invocation", "is_selected", "matched_type", "request_of"]


class Invocation(NamedTuple):
    """A webhook that is to be asked, and the version of the resource in which it is."""

    webhook: Webhook
    type: ResourceType


async def find_invocation(
    webhook: Webhook, versioned: Versioned, registry: Registry, authorizer: Authorizer
) -> Invocation | None:
    """How a webhook is asked about a write; None when it is not.

    Converts the objects when its conditions are about another version. Raises ApiError: Forbidden when the
    conditions cannot be judged, NotFound when the namespace is gone, InternalError.
    """
    attributes = versioned.attributes
    rules = [rule.matches for rule in webhook.rules]
    target = matched_type(rules, attributes, registry, takes_equivalent=webhook.takes_equivalent)
    if target is None or not is_selected(
        webhook.namespaces, webhook.objects, attributes, versioned.obj, registry
    ):
        return None
    if webhook.conditions is not None:
        await versioned.to(target)
        if not await _conditions_hold(webhook.conditions, versioned, authorizer):
            return None
    return Invocation(webhook, target)


async def _conditions_hold(conditions: Conditions, versioned: Versioned, authorizer: Authorizer) -> bool:
    from kubewright.server.admission.policies.conditions import ConditionError  # noqa: PLC0415 - with CEL

    attributes = versioned.attributes
    # Upstream tells conditions the resource of the request, and the kind of what they look at.
    request = admission_request(attributes, attributes.type, kind=versioned.kind(versioned.type))
    try:
        return await conditions.hold(
            versioned.obj, versioned.old, request, lambda: authorizer_for(attributes, authorizer)
        )
    except ConditionError as error:
        raise forbidden(attributes.type.group_resource, attributes.name, str(error)) from None


def matched_type(
    rules: Sequence[Callable[[Request], bool]],
    attributes: Attributes,
    registry: Registry,
    *,
    takes_equivalent: bool,
) -> ResourceType | None:
    """The version of the resource that rules name, its own first; None when they name none.

    With `takes_equivalent` the other versions of the same resource count too.
    """
    own = request_of(attributes, attributes.type)
    if any(matches(own) for matches in rules):
        return attributes.type
    if not takes_equivalent:
        return None
    others = registry.versions_of(attributes.type)
    if len(others) < 2:
        return None
    subresource = attributes.write.subresource
    requests = [
        (other, request_of(attributes, other))
        for other in others
        if other is not attributes.type and (not subresource or subresource in other.served.subresources)
    ]
    # Earlier rules count first, whatever version they name.
    return next((other for matches in rules for other, request in requests if matches(request)), None)


def request_of(attributes: Attributes, resource: ResourceType) -> Request:
    """What rules look at of a write, as if it were in another version of the resource."""
    served = resource.served
    is_namespace = served.resource == "namespaces" and not served.group
    return Request(
        operation=attributes.operation,
        group=served.group,
        version=served.version,
        resource=served.resource,
        subresource=attributes.write.subresource,
        namespaced=bool(attributes.namespace) and not is_namespace,
    )


def is_selected(
    namespaces: Selector | str,
    objects: Selector | str,
    attributes: Attributes,
    obj: Object | None,
    registry: Registry,
) -> bool:
    """Whether the selectors of a webhook or policy pick the namespace and the object, new or old.

    Raises NotFound when the namespace is gone, and InternalError for a selector that is none.
    """
    for selector in (namespaces, objects):
        if isinstance(selector, str):
            raise internal_error(selector)
    assert isinstance(namespaces, Selector)  # noqa: S101 - just looked
    assert isinstance(objects, Selector)  # noqa: S101 - just looked
    if not objects.empty:
        labels = [_labels(each) for each in (obj, attributes.old)]
        if not any(each is not None and objects.matches(each) for each in labels):
            return False
    return namespaces.empty or _is_in_namespace(namespaces, attributes, obj, registry)


def _is_in_namespace(
    selector: Selector, attributes: Attributes, obj: Object | None, registry: Registry
) -> bool:
    served, name = attributes.type.served, attributes.namespace
    is_namespace = served.resource == "namespaces"
    if not name and not is_namespace:
        # What is in no namespace is never left out.
        return True
    if is_namespace and not attributes.write.subresource and attributes.operation in {"CREATE", "UPDATE"}:
        return selector.matches(_labels(obj) or {})
    entry = registry.storage.get(f"{REGISTRY_ROOT}namespaces/{name}")
    if entry is None:
        raise not_found(GroupResource("", "namespaces"), name)
    return selector.matches(read_meta(entry.value).labels or {})


def _labels(obj: Object | None) -> Mapping[str, str] | None:
    metadata: Any = None if obj is None else obj.get("metadata")
    if not isinstance(metadata, dict):
        return None
    labels: Mapping[str, str] = metadata.get("labels") or {}
    return labels
