"""The plugins that judge and change writes by policies. They cost next to nothing while there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubewright.server.admission.attributes import Attributes
from kubewright.server.admission.policies.source import PolicySource
from kubewright.server.admission.policies.status import PolicyStatus
from kubewright.server.authorization import Authorizer
from kubewright.server.registry.registry import Registry

if TYPE_CHECKING:
    from kubewright.server.admission.policies.surroundings import Surroundings
    from kubewright.server.openapi.documents import OpenAPI

__all__ = ["AdmissionPolicies", "MutatingPolicies", "ValidatingPolicies"]

_EXEMPT: Final = {
    "admissionregistration.k8s.io": frozenset(
        {
            "validatingadmissionpolicies",
            "validatingadmissionpolicybindings",
            "mutatingadmissionpolicies",
            "mutatingadmissionpolicybindings",
        }
    ),
    "authentication.k8s.io": frozenset({"selfsubjectreviews", "tokenreviews"}),
    "authorization.k8s.io": frozenset(
        {
            "localsubjectaccessreviews",
            "selfsubjectaccessreviews",
            "selfsubjectrulesreviews",
            "subjectaccessreviews",
        }
    ),
}
"""What policies are never asked about: themselves, and reviews that clusters depend on; upstream's lists."""


def _is_exempt(attributes: Attributes) -> bool:
    served = attributes.type.served
    return served.resource in _EXEMPT.get(served.group, ())


class AdmissionPolicies:
    """Both plugins, and what they share. Close it with `close`."""

    def __init__(self, registry: Registry, authorizer: Authorizer) -> None:
        self._registry: Final = registry
        self._authorizer: Final = authorizer
        self._made: Surroundings | None = None
        self._mutating: Final = PolicySource(
            registry, "mutatingadmissionpolicies", "mutatingadmissionpolicybindings"
        )
        self._validating: Final = PolicySource(
            registry, "validatingadmissionpolicies", "validatingadmissionpolicybindings"
        )
        self.mutating: Final = MutatingPolicies(self._mutating, self)
        self.validating: Final = ValidatingPolicies(self._validating, self)

    @property
    def surroundings(self) -> Surroundings:
        """What policies need, made with the first of them."""
        if self._made is None:
            from kubewright.server.admission.policies.params import Params  # noqa: PLC0415 - on use
            from kubewright.server.admission.policies.surroundings import Surroundings  # noqa: PLC0415

            self._made = Surroundings(self._registry, Params(self._registry), self._authorizer)
        return self._made

    async def keep_status(self, openapi: OpenAPI) -> None:
        """Write what is wrong with the types of policies into their status, until cancelled."""

        def document(name: str) -> bytes | None:
            found = openapi.v3(name)
            return None if found is None else found.body

        await PolicyStatus(self._registry, document).run()

    def close(self) -> None:
        """Follow the policies no more."""
        self._mutating.close()
        self._validating.close()


class MutatingPolicies:
    """The plugin of MutatingAdmissionPolicies."""

    def __init__(self, source: PolicySource, policies: AdmissionPolicies) -> None:
        self._source: Final = source
        self._policies: Final = policies

    async def admit(self, attributes: Attributes) -> None:
        """Raises what a policy refuses with, or fails with when it may not fail."""
        hooks = self._source.hooks()
        if hooks and attributes.operation != "DELETE" and not _is_exempt(attributes):
            from kubewright.server.admission.policies.mutating import dispatch  # noqa: PLC0415 - on use

            await dispatch(self._policies.surroundings, hooks, attributes)

    async def validate(self, attributes: Attributes) -> None:
        """These policies act in `admit`."""


class ValidatingPolicies:
    """The plugin of ValidatingAdmissionPolicies."""

    def __init__(self, source: PolicySource, policies: AdmissionPolicies) -> None:
        self._source: Final = source
        self._policies: Final = policies

    async def admit(self, attributes: Attributes) -> None:
        """These policies judge in `validate`."""

    async def validate(self, attributes: Attributes) -> None:
        """Raises what a policy denies with."""
        hooks = self._source.hooks()
        if hooks and not _is_exempt(attributes):
            from kubewright.server.admission.policies.validating import dispatch  # noqa: PLC0415 - on use

            await dispatch(self._policies.surroundings, hooks, attributes)
