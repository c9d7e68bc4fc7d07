"""Who a client certificate is for. That an authority of ours has signed it, TLS has seen to."""

from __future__ import annotations

import hashlib
import ssl
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubewright.server.authentication.authenticator import CREDENTIAL_ID, InvalidCredentials
from kubewright.server.registry.write import User

if TYPE_CHECKING:
    from ssl import SSLObject

__all__ = ["Certificate", "certificate_of", "certificate_user"]

_UID: Final = "1.3.6.1.4.1.57683.2"
"""The attribute of a subject that has the user's uid, registered for Kubernetes."""


class Certificate(NamedTuple):
    """What a connection's certificate says."""

    user: User | None
    """None when it names nobody."""
    expires: float
    """Seconds since 1970. Connections may outlive their certificates; who sends requests on them may not."""
    problem: str = ""
    """Why it is no good, if it is not."""


def certificate_of(connection: SSLObject) -> Certificate | None:
    """The certificate that was shown when a connection began; None without one."""
    fields = connection.getpeercert()
    if not fields:
        return None
    encoded = connection.getpeercert(binary_form=True) or b""
    expires = ssl.cert_time_to_seconds(str(fields["notAfter"]))
    try:
        return Certificate(certificate_user(fields, encoded), expires)
    except InvalidCredentials as error:
        return Certificate(None, expires, str(error))


def certificate_user(fields: dict[str, Any], encoded: bytes) -> User | None:
    """The user that a certificate names: the common name, each organization as a group, and the uid.

    `fields` is what `ssl.SSLObject.getpeercert` gives, `encoded` the certificate itself. None without a
    common name. Raises InvalidCredentials for a uid that is empty or there more than once.
    """
    pairs = [pair for group in fields.get("subject", ()) for pair in group]
    # Of several common names upstream takes the last.
    name = next((value for kind, value in reversed(pairs) if kind == "commonName"), "")
    if not name:
        return None
    groups = tuple(value for kind, value in pairs if kind == "organizationName")
    uids = [value for kind, value in pairs if kind == _UID]
    if len(uids) > 1:
        raise InvalidCredentials("expected 1 UID, but found multiple")
    if uids == [""]:
        raise InvalidCredentials("UID cannot be an empty string")
    extra = {CREDENTIAL_ID: [f"X509SHA256={hashlib.sha256(encoded).hexdigest()}"]}
    return User(name=name, uid=uids[0] if uids else "", groups=groups, extra=extra)
