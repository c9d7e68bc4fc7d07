"""Webhooks: what an API server asks a program about objects, over HTTPS.

`server` has `WebhookServer`, which owns the socket, the certificates and the paths; `http` makes bodies of
requests and responses of answers, within bounds of size and time. A handler takes a body and gives an answer:
`admission` answers AdmissionReviews with functions that `declaration` marks, and `conversion` answers
ConversionReviews with the conversion functions of custom resources.

Functions get a `Review` (`review`), and what they change becomes a patch (`patches`). Certificates are the
server's own (`certificates`), from files (`certificate_files`), or in a Secret that replicas share
(`certificate_secret`), renewed by the rules of `rotation`, with authorities that `injection` puts where API
servers look. `installation` writes the webhook configurations that `configurations` makes, and `development`
does so for as long as a program runs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubewright.webhooks.certificate_secret import CertificateSecret as CertificateSecret
    from kubewright.webhooks.certificates import CertificateError as CertificateError
    from kubewright.webhooks.declaration import defaulting as defaulting
    from kubewright.webhooks.declaration import validating as validating
    from kubewright.webhooks.development import install_while_running as install_while_running
    from kubewright.webhooks.injection import Injection as Injection
    from kubewright.webhooks.installation import install as install
    from kubewright.webhooks.installation import uninstall as uninstall
    from kubewright.webhooks.review import Denied as Denied
    from kubewright.webhooks.review import Review as Review
    from kubewright.webhooks.review import UserInfo as UserInfo
    from kubewright.webhooks.rotation import Lifetimes as Lifetimes
    from kubewright.webhooks.server import WebhookServer as WebhookServer

_HOMES: Final = {
    "CertificateError": "certificates",
    "CertificateSecret": "certificate_secret",
    "Denied": "review",
    "Injection": "injection",
    "Lifetimes": "rotation",
    "Review": "review",
    "UserInfo": "review",
    "WebhookServer": "server",
    "defaulting": "declaration",
    "install": "installation",
    "install_while_running": "development",
    "uninstall": "installation",
    "validating": "declaration",
}

__all__ = [*_HOMES]  # noqa: PLE0604 - the names of the table above, which are texts


def __getattr__(name: str) -> object:
    """Load a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'kubewright.webhooks' has no attribute {name!r}")
    value: object = getattr(import_module(f"kubewright.webhooks.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
