"""certificates.k8s.io/v1 of the Kubernetes API. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Annotated, Literal

from kubewright.machinery.field import EMPTY, Field, OpenEnum
from kubewright.machinery.resource import Resource, ResourceList
from kubewright.machinery.struct import Struct
from kubewright.machinery.time import Time

__all__ = [
    "CertificateSigningRequest",
    "CertificateSigningRequestCondition",
    "CertificateSigningRequestList",
    "CertificateSigningRequestSpec",
    "CertificateSigningRequestStatus",
]


class CertificateSigningRequest(
    Resource,
    api_version="certificates.k8s.io/v1",
    kind="CertificateSigningRequest",
    plural="certificatesigningrequests",
    namespaced=False,
):
    """Served cluster-wide as `certificatesigningrequests`."""

    spec: CertificateSigningRequestSpec
    status: CertificateSigningRequestStatus = EMPTY


class CertificateSigningRequestCondition(Struct):
    status: str
    type: str
    last_transition_time: Time | None = None
    last_update_time: Time | None = None
    message: str = ""
    reason: str = ""


class CertificateSigningRequestList(
    ResourceList[CertificateSigningRequest],
    api_version="certificates.k8s.io/v1",
    kind="CertificateSigningRequestList",
):
    """A list of CertificateSigningRequest."""


class CertificateSigningRequestSpec(Struct):
    request: bytes
    signer_name: str
    expiration_seconds: int | None = None
    extra: dict[str, list[str]] = {}
    groups: list[str] = []
    uid: str = ""
    usages: list[
        OpenEnum[
            Literal[
                "any",
                "cert sign",
                "client auth",
                "code signing",
                "content commitment",
                "crl sign",
                "data encipherment",
                "decipher only",
                "digital signature",
                "email protection",
                "encipher only",
                "ipsec end system",
                "ipsec tunnel",
                "ipsec user",
                "key agreement",
                "key encipherment",
                "microsoft sgc",
                "netscape sgc",
                "ocsp signing",
                "s/mime",
                "server auth",
                "signing",
                "timestamping",
            ]
        ]
    ] = []
    username: str = ""


class CertificateSigningRequestStatus(Struct):
    certificate: bytes = b""
    conditions: Annotated[
        list[CertificateSigningRequestCondition], Field(list_type="map", map_keys=("type",))
    ] = []
