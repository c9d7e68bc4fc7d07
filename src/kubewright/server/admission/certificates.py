"""Who may approve and sign certificates, and which nobody may ask for: upstream's CertificateApproval,
CertificateSigning and CertificateSubjectRestriction plugins."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import go_quote
from kubewright.server.admission.attributes import Attributes
from kubewright.server.admission.refusals import forbidden_by_plugin
from kubewright.server.authorization import Attributes as Question
from kubewright.server.authorization import Authorizer
from kubewright.server.certificates import ADMIN_GROUP
from kubewright.server.kinds.kind import Object

__all__ = ["CertificatePlugins"]

_GROUP: Final = "certificates.k8s.io"
_CLIENT_SIGNER: Final = "kubernetes.io/kube-apiserver-client"
_VERBS: Final = {"approval": "approve", "status": "sign"}
"""The right that it takes to write a subresource of a certificate signing request."""


class CertificatePlugins:
    """The three plugins, which look at certificate signing requests alone."""

    def __init__(self, authorizer: Authorizer) -> None:
        self._authorizer: Final = authorizer

    async def admit(self, attributes: Attributes) -> None:
        """Everything is said in `validate`."""

    async def validate(self, attributes: Attributes) -> None:
        """Raises Forbidden."""
        served = attributes.type.served
        if served.resource != "certificatesigningrequests" or served.group != _GROUP or not attributes.obj:
            return
        subresource = attributes.write.subresource
        if attributes.operation == "UPDATE" and subresource in _VERBS and attributes.old:
            self._check_signer(attributes, attributes.obj, attributes.old, _VERBS[subresource])
        elif attributes.operation == "CREATE" and not subresource:
            _check_subject(attributes, attributes.obj)

    def _check_signer(self, attributes: Attributes, obj: Object, old: Object, verb: str) -> None:
        status, before = obj.get("status") or {}, old.get("status") or {}
        changed = any(status.get(name) != before.get(name) for name in ("certificate", "conditions"))
        if verb == "sign" and not changed:
            return
        signer = (old.get("spec") or {}).get("signerName") or ""
        domain = signer.partition("/")[0]
        for name in (signer, f"{domain}/*"):
            question = Question(
                user=attributes.write.user,
                verb=verb,
                group=_GROUP,
                version="*",
                resource="signers",
                name=name,
            )
            if self._authorizer.authorize(question).allowed:
                return
        why = f"user not permitted to {verb} requests with signerName {go_quote(signer)}"
        raise forbidden_by_plugin(attributes, why)


def _check_subject(attributes: Attributes, obj: Object) -> None:
    """Nobody becomes an administrator by a certificate."""
    spec = obj.get("spec") or {}
    if spec.get("signerName") != _CLIENT_SIGNER:
        return
    from kubewright.server.kinds.certificates.pem import request_organizations  # noqa: PLC0415 - on use

    try:
        organizations = request_organizations(spec.get("request"))
    except ValueError:
        # The rules of the kind have read it before, but not its subject.
        raise forbidden_by_plugin(attributes, "failed to parse CSR: x509: malformed subject") from None
    if ADMIN_GROUP in organizations:
        why = f"use of {_CLIENT_SIGNER} signer with {ADMIN_GROUP} group is not allowed"
        raise forbidden_by_plugin(attributes, why)
