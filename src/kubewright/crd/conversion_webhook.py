"""What a definition says of the webhook that converts its objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from kubewright.models.apiextensions_v1 import CustomResourceConversion, WebhookClientConfig

__all__ = ["CONVERSION_PATH", "webhook_conversion"]

CONVERSION_PATH: Final = "/convert"
"""Where the webhook server converts; controller-runtime has the same path."""

_HTTPS_PORT: Final = 443
"""The port of a service unless it is said; upstream's default."""

_REVIEW_VERSIONS: Final = ["v1"]
"""The versions of a ConversionReview that `conversion_review` answers."""


def webhook_conversion(
    *,
    url: str = "",
    service_name: str = "",
    service_namespace: str = "",
    service_port: int = _HTTPS_PORT,
    path: str = CONVERSION_PATH,
    ca_bundle: bytes = b"",
) -> CustomResourceConversion:
    """The conversion of a definition by a webhook: `App.crd(conversion=webhook_conversion(...))`.

    The webhook is at a URL, which begins with https://, or behind a service of the cluster, at `path` there.
    `ca_bundle` are the certificates in PEM that the server trusts for it; without any it trusts what its
    machine trusts. Raises ValueError for what a server would refuse.
    """
    from kubewright.models.apiextensions_v1 import (  # noqa: PLC0415 - large, and few programs need it
        CustomResourceConversion,
        ServiceReference,
        WebhookClientConfig,
        WebhookConversion,
    )

    if bool(url) == bool(service_name or service_namespace):
        raise ValueError(
            "a webhook is at a URL or behind a service; give url=, or service_name= and service_namespace="
        )
    config = WebhookClientConfig()
    if url:
        _check_url(url)
        config.url = url
    else:
        _check_service(service_name, service_namespace, service_port, path)
        config.service = ServiceReference(
            name=service_name, namespace=service_namespace, path=path, port=service_port
        )
    _add_bundle(config, ca_bundle)
    webhook = WebhookConversion(conversion_review_versions=list(_REVIEW_VERSIONS), client_config=config)
    return CustomResourceConversion(strategy="Webhook", webhook=webhook)


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        good = parts.scheme == "https" and parts.hostname and parts.port != 0
    except ValueError:
        good = False
    if not good:
        raise ValueError(f"url={url!r} is no address of a webhook; write https://HOST:PORT{CONVERSION_PATH}")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError("url has a user, a query or a fragment, which servers refuse; leave them out")


def _check_service(name: str, namespace: str, port: int, path: str) -> None:
    if not name or not namespace:
        missing = "service_namespace" if name else "service_name"
        raise ValueError(f"a service has a name and a namespace; give {missing}= as well")
    if not 0 < port < 1 << 16:
        raise ValueError(f"service_port={port} is no port; give one from 1 to 65535")
    if not path.startswith("/"):
        raise ValueError(f"path={path!r} does not begin with a slash; write {'/' + path!r}")


def _add_bundle(config: WebhookClientConfig, bundle: bytes) -> None:
    if not bundle:
        return
    if b"-----BEGIN CERTIFICATE-----" not in bundle:
        raise ValueError(
            "ca_bundle has no certificate in PEM; give the bytes of the file, not base64 of them"
        )
    config.ca_bundle = bundle
