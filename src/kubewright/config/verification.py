"""TLS whose peers are verified as Go's clients and servers verify them, the same with every Python.

All connections that this package opens, and the client certificates that its server takes, are verified by
contexts from here. OpenSSL has other defaults than Go's `crypto/x509`, which Kubernetes is written with:

- Each certificate of a bundle is trusted by itself, also an intermediate authority or a serving certificate.
- An authority need not have a key usage, and its basic constraints need not be critical. Python 3.13 made
  OpenSSL's strict checks of these a default of `ssl.create_default_context`.
- The common name of a certificate is never taken for the name of a host.
- Clients pass over what they cannot read in a bundle, as long as it has one certificate.
"""

from __future__ import annotations

import re
import ssl
from typing import Final

__all__ = ["load_authorities", "make_client_context", "verify_like_go"]

_BLOCK: Final = re.compile("-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL)


def make_client_context(authorities: bytes | None, *, insecure: bool = False) -> ssl.SSLContext:
    """The context of a client that trusts the certificates of a bundle in PEM, or with None the system's.

    With `insecure` it does not verify its peer. Raises ValueError or ssl.SSLError for a bundle without a
    certificate.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # RFC 9325: older versions of TLS are not to be used.
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.hostname_checks_common_name = False
    verify_like_go(context)
    if insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif authorities is None:
        context.load_default_certs()
    else:
        load_authorities(context, authorities, skip_unreadable=True)
    return context


def verify_like_go(context: ssl.SSLContext) -> None:
    """Trust each certificate of the context's bundle by itself, and accept authorities that Go accepts."""
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT


def load_authorities(context: ssl.SSLContext, authorities: bytes, *, skip_unreadable: bool = False) -> None:
    """Trust the certificates of a bundle in PEM, or with `skip_unreadable` those that can be read.

    Raises ValueError or ssl.SSLError if one cannot be read, or if there is none.
    """
    # OpenSSL takes only ASCII, but bundles have comments in any language.
    text = authorities.decode("ascii", "backslashreplace")
    try:
        context.load_verify_locations(cadata=text)
    except ssl.SSLError:
        blocks = _BLOCK.findall(text) if skip_unreadable else []
        if sum(_is_loaded(context, block) for block in blocks) == 0:
            raise


def _is_loaded(context: ssl.SSLContext, block: str) -> bool:
    try:
        context.load_verify_locations(cadata=block)
    except (ssl.SSLError, ValueError):
        return False
    return True
