"""The rules of the kinds in resource.k8s.io: devices, and claims to them.

That selectors are CEL, and that a namespace allows its claims admin access, is not checked here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubewright.server.kinds.kind import Kind
from kubewright.server.kinds.resource.claims import RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE
from kubewright.server.kinds.resource.device_class import DEVICE_CLASS
from kubewright.server.kinds.resource.resource_slice import RESOURCE_SLICE

__all__ = ["KINDS"]

KINDS: Final[Mapping[str, Kind]] = {
    "deviceclasses": DEVICE_CLASS,
    "resourceclaims": RESOURCE_CLAIM,
    "resourceclaimtemplates": RESOURCE_CLAIM_TEMPLATE,
    "resourceslices": RESOURCE_SLICE,
}
