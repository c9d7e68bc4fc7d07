"""The rules of the kinds in admissionregistration.k8s.io: webhooks and policies that judge what is written.

That expressions are CEL, and of the right type, is not checked here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubewright.server.kinds.admissionregistration.bindings import (
    MUTATING_POLICY_BINDING,
    VALIDATING_POLICY_BINDING,
)
from kubewright.server.kinds.admissionregistration.policies import MUTATING_POLICY, VALIDATING_POLICY
from kubewright.server.kinds.admissionregistration.webhooks import MUTATING_WEBHOOKS, VALIDATING_WEBHOOKS
from kubewright.server.kinds.kind import Kind

__all__ = ["KINDS"]

KINDS: Final[Mapping[str, Kind]] = {
    "mutatingadmissionpolicies": MUTATING_POLICY,
    "mutatingadmissionpolicybindings": MUTATING_POLICY_BINDING,
    "mutatingwebhookconfigurations": MUTATING_WEBHOOKS,
    "validatingadmissionpolicies": VALIDATING_POLICY,
    "validatingadmissionpolicybindings": VALIDATING_POLICY_BINDING,
    "validatingwebhookconfigurations": VALIDATING_WEBHOOKS,
}
