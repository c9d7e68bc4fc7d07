"""The rules of the kinds in certificates.k8s.io: requests for certificates, approved and issued."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubewright.server.kinds.certificates.signing_request import CERTIFICATE_SIGNING_REQUEST
from kubewright.server.kinds.kind import Kind

__all__ = ["KINDS"]

KINDS: Final[Mapping[str, Kind]] = {"certificatesigningrequests": CERTIFICATE_SIGNING_REQUEST}
