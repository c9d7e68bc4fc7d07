"""Who may say that an object belongs to another, as upstream's OwnerReferencesPermissionEnforcement has it.

An owner's end is the end of what belongs to it, so changing owner references takes the right to delete the
object; and a reference that keeps its owner from being deleted takes the right to set the owner's finalizers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import go_quote
from kubewright.machinery.gvk import GroupVersion
from kubewright.server.admission.attributes import Attributes
from kubewright.server.admission.refusals import forbidden_by_plugin
from kubewright.server.authorization import Attributes as Question
from kubewright.server.authorization import Authorizer
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.resource import ServedResource

__all__ = ["OwnerReferencesPermissionEnforcement"]


_CANNOT_BLOCK: Final = (
    "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on"
)


class OwnerReferencesPermissionEnforcement:
    """Refuses owner references that their writer has no right to set."""

    def __init__(self, authorizer: Authorizer, registry: Registry) -> None:
        self._authorizer: Final = authorizer
        self._registry: Final = registry

    async def admit(self, attributes: Attributes) -> None:
        """Everything is said in `validate`."""

    async def validate(self, attributes: Attributes) -> None:
        """Raises Forbidden."""
        obj, served, write = attributes.obj, attributes.type.served, attributes.write
        if obj is None or attributes.operation not in {"CREATE", "UPDATE"}:
            return
        if served.resource == "pods" and not served.group and write.subresource == "status":
            # It cannot change them, and old kubelets send them damaged.
            return
        references, before = _references(obj), _references(attributes.old)
        if references == before:
            return
        if attributes.operation != "CREATE":
            self._check(
                attributes,
                Question(
                    user=write.user,
                    verb="delete",
                    group=served.group,
                    version=served.version,
                    resource=served.resource,
                    subresource=write.subresource,
                    namespace=attributes.namespace,
                    name=attributes.name,
                ),
                "cannot set an ownerRef on a resource you can't delete",
            )
        blocking = list(_newly_blocking(references, before))
        if blocking and not self._may_finalize_all(attributes):
            for reference in blocking:
                self._check_finalizers(attributes, reference)

    def _may_finalize_all(self, attributes: Attributes) -> bool:
        everything = Question(
            user=attributes.write.user,
            verb="update",
            group="*",
            version="*",
            resource="*",
            subresource="finalizers",
            name="*",
        )
        return self._authorizer.authorize(everything).allowed

    def _check_finalizers(self, attributes: Attributes, reference: Object) -> None:
        for owner in self._resources(attributes, reference):
            self._check(
                attributes,
                Question(
                    user=attributes.write.user,
                    verb="update",
                    group=owner.group,
                    version=owner.version,
                    resource=owner.resource,
                    subresource="finalizers",
                    # What has a namespace belongs to what is in the same.
                    namespace=attributes.namespace if owner.namespaced else "",
                    name=reference.get("name") or "",
                ),
                _CANNOT_BLOCK,
            )

    def _resources(self, attributes: Attributes, reference: Object) -> list[ServedResource]:
        """The resources of the owner's kind."""
        api_version, kind = reference.get("apiVersion") or "", reference.get("kind") or ""
        try:
            version = GroupVersion.parse(api_version)
        except ParseError:
            reason = f"unexpected GroupVersion string: {api_version}"
        else:
            found = [
                each for each in self._registry.served if each.group_version == version and each.kind == kind
            ]
            if found:
                return found
            reason = f"no matches for kind {go_quote(kind)} in version {go_quote(api_version)}"
        why = f"cannot find RESTMapping for APIVersion {api_version} Kind {kind}: {reason}"
        raise forbidden_by_plugin(attributes, f"cannot set blockOwnerDeletion in this case because {why}")

    def _check(self, attributes: Attributes, question: Question, why: str) -> None:
        decision = self._authorizer.authorize(question)
        if not decision.allowed:
            # Upstream shows an error here that an authorizer never has.
            raise forbidden_by_plugin(attributes, f"{why}: {decision.reason}, <nil>")


def _references(obj: Object | None) -> list[Object]:
    metadata = {} if obj is None else obj.get("metadata") or {}
    return metadata.get("ownerReferences") or []


def _newly_blocking(references: Iterable[Object], before: Iterable[Object]) -> Iterable[Object]:
    """The references that keep their owners from being deleted, and did not before."""
    blocked = {each.get("uid"): bool(each.get("blockOwnerDeletion")) for each in before}
    return (
        each for each in references if each.get("blockOwnerDeletion") and not blocked.get(each.get("uid"))
    )
