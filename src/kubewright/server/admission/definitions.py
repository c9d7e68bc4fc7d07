"""No custom resource is created while its definition is being deleted, or the deletion would never end."""

from __future__ import annotations

from collections.abc import Awaitable

from kubewright.server.admission.attributes import NOTHING, Attributes
from kubewright.server.errors import forbidden

__all__ = ["DefinitionLifecycle"]


class DefinitionLifecycle:
    """Refuses creates below a definition that is on its way out, as upstream does before all plugins."""

    def admit(self, attributes: Attributes) -> Awaitable[None]:
        """Raises Forbidden."""
        served = attributes.type.served
        if attributes.operation == "CREATE" and served.custom and "create" not in served.verbs:
            raise forbidden(
                attributes.type.group_resource,
                attributes.name,
                "create not allowed while custom resource definition is terminating",
            )
        return NOTHING

    def validate(self, attributes: Attributes) -> Awaitable[None]:
        """Everything was said in `admit`."""
        return NOTHING
