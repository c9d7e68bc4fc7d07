"""The values of the variables that expressions name, for one write."""

from __future__ import annotations

import asyncio
import threading
from typing import Final

from kubewright.crd.cel.functions.authorization import (
    AuthorizerValue,
    DecisionValue,
    PathCheck,
    ResourceCheck,
)
from kubewright.machinery.gvk import GroupResource
from kubewright.server.admission.attributes import Attributes
from kubewright.server.admission.webhooks.reviews import admission_request
from kubewright.server.admission.webhooks.versions import Versioned
from kubewright.server.authentication.service_accounts import service_account_groups, service_account_name
from kubewright.server.authorization import Attributes as Question
from kubewright.server.authorization import Authorizer, Decision
from kubewright.server.errors import not_found
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.resource_type import REGISTRY_ROOT, ResourceType
from kubewright.server.registry.stored import decode_stored
from kubewright.server.registry.write import User

__all__ = ["authorizer_value", "bindings_of", "namespace_object"]

_HIDDEN: Final = ("managedFields", "ownerReferences", "selfLink")
"""What expressions cannot see of a namespace's metadata."""


def bindings_of(
    versioned: Versioned, target: ResourceType, param: Object | None, uses: frozenset[str]
) -> dict[str, object]:
    """`object`, `oldObject`, `params`, and `request` if it is among those that are used.

    `target` is the resource that the rules of a policy have named.
    """
    bindings: dict[str, object] = {
        "object": versioned.obj,
        "oldObject": versioned.old,
        "namespaceObject": None,
        "params": param,
    }
    if "request" in uses:
        kind = versioned.kind(versioned.type)
        bindings["request"] = admission_request(versioned.attributes, target, kind=kind)
    return bindings


def namespace_object(attributes: Attributes, registry: Registry) -> Object | None:
    """The namespace of a write, as expressions see it; None for what is in none. Raises NotFound."""
    served, name = attributes.type.served, attributes.namespace
    if not name or (served.kind == "Namespace" and not served.group):
        return None
    entry = registry.storage.get(f"{REGISTRY_ROOT}namespaces/{name}")
    if entry is None:
        raise not_found(GroupResource("", "namespaces"), name)
    obj = decode_stored(entry.value)
    for field in _HIDDEN:
        obj["metadata"].pop(field, None)
    return obj


def authorizer_value(attributes: Attributes, authorizer: Authorizer) -> AuthorizerValue:
    """`authorizer`, which asks for who sends the request. It is made on the event loop, where the rights are
    kept, and may be asked from any thread."""
    user = attributes.write.user
    loop, thread = asyncio.get_running_loop(), threading.get_ident()

    def check(
        question: ResourceCheck | PathCheck, verb: str, service_account: tuple[str, str] | None
    ) -> DecisionValue:
        who = user if service_account is None else _service_account(*service_account)
        asked = _question(who, question, verb)
        if threading.get_ident() == thread:
            decision = authorizer.authorize(asked)
        else:
            decision = asyncio.run_coroutine_threadsafe(_authorize(authorizer, asked), loop).result()
        return DecisionValue(decision.allowed, decision.reason)

    def request_resource(value: AuthorizerValue) -> ResourceCheck:
        served = attributes.type.served
        return ResourceCheck(
            value,
            served.group,
            served.resource,
            attributes.write.subresource,
            attributes.namespace,
            attributes.name,
        )

    return AuthorizerValue(check, request_resource=request_resource)


async def _authorize(authorizer: Authorizer, question: Question) -> Decision:
    return authorizer.authorize(question)


def _question(user: User, question: ResourceCheck | PathCheck, verb: str) -> Question:
    if isinstance(question, PathCheck):
        return Question(user=user, verb=verb, is_resource_request=False, path=question.path)
    # Selectors, of which RBAC takes no notice, upstream's neither, are left out.
    return Question(
        user=user,
        verb=verb,
        group=question.group,
        version="*",
        resource=question.resource,
        subresource=question.subresource,
        namespace=question.namespace,
        name=question.name,
    )


def _service_account(namespace: str, name: str) -> User:
    return User(service_account_name(namespace, name), groups=service_account_groups(namespace))
