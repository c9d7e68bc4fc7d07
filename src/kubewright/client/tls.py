"""TLS as a configuration asks for it."""

from __future__ import annotations

import os
import ssl
import tempfile
from pathlib import Path

from kubewright.config import ClientCertificate, Config, ConfigError
from kubewright.config.verification import make_client_context

__all__ = ["ssl_context"]


def ssl_context(config: Config, certificate: ClientCertificate | None) -> ssl.SSLContext:
    """The context for connections to the server of a configuration, verified unless it says `insecure`.

    Raises ConfigError for certificates that cannot be read.
    """
    try:
        context = make_client_context(config.authority, insecure=config.insecure)
    except (ssl.SSLError, ValueError) as error:
        raise ConfigError(
            f"the certificate-authority of {config.server} has no certificate in PEM: {_reason(error)}"
        ) from None
    if certificate is not None:
        _load(context, certificate, config)
    return context


def _load(context: ssl.SSLContext, certificate: ClientCertificate, config: Config) -> None:
    # OpenSSL reads keys from files only. This one is its owner's alone, and gone when it is read.
    descriptor, name = tempfile.mkstemp(prefix="kubewright-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(certificate.certificate + b"\n" + certificate.key)
        context.load_cert_chain(name)
    except (ssl.SSLError, ValueError) as error:
        raise ConfigError(
            f"the client certificate for {config.server} and its key do not go together or are not in PEM: "
            f"{_reason(error)}"
        ) from None
    finally:
        Path(name).unlink(missing_ok=True)


def _reason(error: Exception) -> str:
    return getattr(error, "reason", None) or type(error).__name__
