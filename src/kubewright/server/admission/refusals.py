"""How a plugin refuses a write, in upstream's words."""

from __future__ import annotations

from kubewright.machinery.errors import ApiError
from kubewright.server.admission.attributes import Attributes
from kubewright.server.errors import forbidden

__all__ = ["forbidden_by_plugin"]


def forbidden_by_plugin(attributes: Attributes, why: str) -> ApiError:
    """Forbidden, with the name of the object, or with what the name will start with."""
    metadata = (attributes.obj or {}).get("metadata") or {}
    name = attributes.name or metadata.get("name") or metadata.get("generateName") or "Unknown"
    return forbidden(attributes.type.group_resource, name, why)
