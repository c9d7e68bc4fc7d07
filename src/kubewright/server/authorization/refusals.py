"""What those are told who may not, in upstream's words."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.errors import ApiError
from kubewright.machinery.field_errors import go_quote
from kubewright.machinery.gvk import GroupResource
from kubewright.server.authorization.attributes import Attributes
from kubewright.server.errors import forbidden

__all__ = ["refused"]

_SANITIZED: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
"""So that no refusal looks like HTML to a browser."""


def refused(attributes: Attributes, reason: str = "") -> ApiError:
    """Forbidden: who wanted which verb on what; `reason` is what the authorizer says besides."""
    message = _message(attributes).translate(_SANITIZED)
    resource = GroupResource(attributes.group, attributes.resource)
    return forbidden(resource, attributes.name, f"{message}: {reason}" if reason else message)


def _message(attributes: Attributes) -> str:
    wanted = f"User {go_quote(attributes.user.name)} cannot {attributes.verb}"
    if not attributes.is_resource_request:
        return f"{wanted} path {go_quote(attributes.path)}"
    resource = attributes.resource
    if attributes.subresource:
        resource = f"{resource}/{attributes.subresource}"
    where = "at the cluster scope"
    if attributes.namespace:
        where = f"in the namespace {go_quote(attributes.namespace)}"
    return f"{wanted} resource {go_quote(resource)} in API group {go_quote(attributes.group)} {where}"
