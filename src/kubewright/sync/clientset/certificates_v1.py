"""The kinds of certificates.k8s.io/v1. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Final

from kubewright.models.certificates_v1 import CertificateSigningRequest
from kubewright.sync.api import Api
from kubewright.sync.has_api import HasApi

__all__ = ["CertificatesV1"]


class CertificatesV1:
    """The kinds of certificates.k8s.io/v1; for namespaced ones no namespace stands for all."""

    def __init__(self, client: HasApi) -> None:
        self._client: Final = client

    def certificate_signing_requests(self) -> Api[CertificateSigningRequest]:
        """`certificatesigningrequests` of the cluster."""
        return self._client.api(CertificateSigningRequest)
