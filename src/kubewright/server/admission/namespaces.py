"""Nothing is created in namespaces that do not exist or are on their way out, as upstream's
NamespaceLifecycle plugin has it."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Final

from kubewright.machinery.gvk import GroupResource
from kubewright.machinery.status import StatusCause
from kubewright.server.admission.attributes import NOTHING, Attributes
from kubewright.server.errors import forbidden, not_found
from kubewright.server.registry.resource_type import REGISTRY_ROOT
from kubewright.server.registry.stored import read_meta
from kubewright.server.storage import Storage

__all__ = ["NamespaceLifecycle"]

_NAMESPACES: Final = GroupResource("", "namespaces")

_IMMORTAL: Final = frozenset({"default", "kube-system", "kube-public"})
"""The namespaces that upstream does not let anybody delete."""

_REVIEWS: Final = frozenset({"localsubjectaccessreviews"})
"""Resources that may be created wherever, since nothing is kept of them."""


class NamespaceLifecycle:
    """Refuses creates where there is no namespace for them, and the deletion of the system's namespaces."""

    def __init__(self, storage: Storage) -> None:
        self._storage: Final = storage

    async def admit(self, attributes: Attributes) -> None:
        """Raises Forbidden and NotFound."""
        served, name = attributes.type.served, attributes.name
        is_namespace = served.resource == "namespaces" and not served.group
        if attributes.operation == "DELETE":
            if is_namespace and name in _IMMORTAL:
                raise forbidden(_NAMESPACES, name, "this namespace may not be deleted")
            return
        if attributes.operation != "CREATE" or is_namespace or not served.namespaced:
            return
        if served.resource not in _REVIEWS:
            self._check_accepts(attributes)

    def validate(self, attributes: Attributes) -> Awaitable[None]:
        """Everything was said in `admit`."""
        return NOTHING

    def _check_accepts(self, attributes: Attributes) -> None:
        namespace = attributes.write.namespace
        entry = self._storage.get(f"{REGISTRY_ROOT}namespaces/{namespace}")
        if entry is None:
            raise not_found(_NAMESPACES, namespace)
        if b'"deletionTimestamp"' in entry.value and read_meta(entry.value).deletion_timestamp:
            error = forbidden(
                attributes.type.group_resource,
                attributes.name,
                f"unable to create new content in namespace {namespace} because it is being terminated",
            )
            details = error.status.details
            if details is not None:
                details.causes = [
                    StatusCause(
                        reason="NamespaceTerminating",
                        message=f"namespace {namespace} is being terminated",
                        field="metadata.namespace",
                    )
                ]
            raise error
