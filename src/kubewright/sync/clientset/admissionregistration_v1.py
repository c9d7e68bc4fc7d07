"""The kinds of admissionregistration.k8s.io/v1. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Final

from kubewright.models.admissionregistration_v1 import (
    MutatingAdmissionPolicy,
    MutatingAdmissionPolicyBinding,
    MutatingWebhookConfiguration,
    ValidatingAdmissionPolicy,
    ValidatingAdmissionPolicyBinding,
    ValidatingWebhookConfiguration,
)
from kubewright.sync.api import Api
from kubewright.sync.has_api import HasApi

__all__ = ["AdmissionregistrationV1"]


class AdmissionregistrationV1:
    """The kinds of admissionregistration.k8s.io/v1; for namespaced ones no namespace stands for all."""

    def __init__(self, client: HasApi) -> None:
        self._client: Final = client

    def mutating_admission_policies(self) -> Api[MutatingAdmissionPolicy]:
        """`mutatingadmissionpolicies` of the cluster."""
        return self._client.api(MutatingAdmissionPolicy)

    def mutating_admission_policy_bindings(self) -> Api[MutatingAdmissionPolicyBinding]:
        """`mutatingadmissionpolicybindings` of the cluster."""
        return self._client.api(MutatingAdmissionPolicyBinding)

    def mutating_webhook_configurations(self) -> Api[MutatingWebhookConfiguration]:
        """`mutatingwebhookconfigurations` of the cluster."""
        return self._client.api(MutatingWebhookConfiguration)

    def validating_admission_policies(self) -> Api[ValidatingAdmissionPolicy]:
        """`validatingadmissionpolicies` of the cluster."""
        return self._client.api(ValidatingAdmissionPolicy)

    def validating_admission_policy_bindings(self) -> Api[ValidatingAdmissionPolicyBinding]:
        """`validatingadmissionpolicybindings` of the cluster."""
        return self._client.api(ValidatingAdmissionPolicyBinding)

    def validating_webhook_configurations(self) -> Api[ValidatingWebhookConfiguration]:
        """`validatingwebhookconfigurations` of the cluster."""
        return self._client.api(ValidatingWebhookConfiguration)
