"""What those are told who may not, in upstream's words."""

from __future__ import annotations

from kubewright.machinery.errors import ApiError
from kubewright.machinery.field_errors import go_quote
from kubewright.machinery.gvk import GroupResource
from kubewright.server.authorization.attributes import Attributes
from kubewright.server.errors import forbidden, refusal

__all__ = ["refused"]


def refused(attributes: Attributes) -> ApiError:
    """Forbidden: who wanted which verb on what."""
    user = go_quote(attributes.user.name)
    if not attributes.is_resource_request:
        return refusal(
            403,
            "Forbidden",
            f"forbidden: User {user} cannot {attributes.verb} path {go_quote(attributes.path)}",
        )
    resource = attributes.resource
    if attributes.subresource:
        resource = f"{resource}/{attributes.subresource}"
    where = (
        f"in the namespace {go_quote(attributes.namespace)}"
        if attributes.namespace
        else "at the cluster scope"
    )
    return forbidden(
        GroupResource(attributes.group, attributes.resource),
        attributes.name,
        f"User {user} cannot {attributes.verb} resource {go_quote(resource)} "
        f"in API group {go_quote(attributes.group)} {where}",
    )
