"""How custom resources are converted between versions: by nothing, or by a webhook."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import Any, Final

from kubewright.crd.go_urls import parse_url
from kubewright.crd.go_values import invalid
from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import forbidden, not_supported, required
from kubewright.machinery.names import is_dns1035_label, is_dns1123_subdomain, is_valid_port_num
from kubewright.server.kinds.kind import Errors, Object

__all__ = ["ACCEPTED_REVIEW_VERSIONS", "ca_bundle_errors", "conversion_errors", "has_accepted_review_version"]

ACCEPTED_REVIEW_VERSIONS: Final = ("v1", "v1beta1")
"""The versions of ConversionReview that the server speaks."""

_FORM: Final = "; desired format: https://host[/path]"


def has_accepted_review_version(conversion: Object | None) -> bool:
    """Whether a conversion names a version that the server speaks, or none at all."""
    versions = _review_versions(conversion or {})
    return not versions or any(version in ACCEPTED_REVIEW_VERSIONS for version in versions)


def _review_versions(conversion: Object) -> Sequence[str]:
    found: Sequence[str] = (conversion.get("webhook") or {}).get("conversionReviewVersions") or ()
    return found


def conversion_errors(
    conversion: Object | None, path: str, *, require_accepted: bool, allow_invalid_ca: bool
) -> Errors:
    """All that is wrong with a definition's conversion. The paths are those of upstream's internal form."""
    if conversion is None:
        return []
    strategy = conversion.get("strategy") or ""
    found: Errors = []
    if not strategy:
        found.append(required(f"{path}.strategy"))
    elif strategy not in {"None", "Webhook"}:
        found.append(not_supported(f"{path}.strategy", strategy, ("None", "Webhook")))
    client = (conversion.get("webhook") or {}).get("clientConfig")
    versions = _review_versions(conversion)
    if strategy != "Webhook":
        told = "should not be set when strategy is not set to Webhook"
        if client is not None:
            found.append(forbidden(f"{path}.webhookClientConfig", told))
        if versions:
            found.append(forbidden(f"{path}.conversionReviewVersions", told))
        return found
    where = f"{path}.webhookClientConfig"
    if client is None:
        found.append(required(where, "required when strategy is set to Webhook"))
    else:
        found += _client_errors(client, where)
        if client.get("caBundle") and not allow_invalid_ca:
            found += ca_bundle_errors(client["caBundle"], f"{where}.caBundle")
    return found + _version_errors(versions, f"{path}.conversionReviewVersions", require=require_accepted)


def _client_errors(client: Object, path: str) -> Errors:
    url, service = client.get("url"), client.get("service")
    if (url is None) == (service is None):
        return [required(path, "exactly one of url or service is required")]
    if url is not None:
        return _url_errors(url, f"{path}.url")
    return _service_errors(service or {}, f"{path}.service")


def _url_errors(text: str, path: str) -> Errors:
    try:
        url = parse_url(text)
    except ParseError as error:
        return [required(path, f"url must be a valid URL: {error}{_FORM}")]
    found: Errors = []
    if url.scheme != "https":
        found.append(invalid(path, url.scheme, f"'https' is the only allowed URL scheme{_FORM}"))
    if not url.host:
        found.append(invalid(path, url.host, f"host must be specified{_FORM}"))
    if url.user is not None:
        found.append(invalid(path, url.user, "user information is not permitted in the URL"))
    if url.fragment:
        found.append(invalid(path, url.fragment, "fragments are not permitted in the URL"))
    if url.query:
        found.append(invalid(path, url.query, "query parameters are not permitted in the URL"))
    return found


def _service_errors(service: Object, path: str) -> Errors:
    found: Errors = []
    # Upstream hands name and namespace over in the wrong order, and so names the other field.
    if not service.get("namespace"):
        found.append(required(f"{path}.name"))
    if not service.get("name"):
        found.append(required(f"{path}.namespace"))
    port = service.get("port", 443)
    wrong = is_valid_port_num(port)
    if wrong:
        found.append(invalid(f"{path}.port", port, f"port is not valid: {', '.join(wrong)}"))
    url_path = service.get("path")
    if url_path in {None, "", "/"}:
        return found
    if url_path == "//":
        return [*found, invalid(f"{path}.path", url_path, "segment[0] may not be empty")]
    return found + _path_errors(url_path or "", f"{path}.path")


def _path_errors(url_path: str, path: str) -> Errors:
    found: Errors = []
    if not url_path.startswith("/"):
        found.append(invalid(path, url_path, "must start with a '/'"))
    for index, step in enumerate(url_path[1:].removesuffix("/").split("/")):
        if not step:
            found.append(invalid(path, url_path, f"segment[{index}] may not be empty"))
            continue
        found += [invalid(path, url_path, f"segment[{index}]: {told}") for told in is_dns1123_subdomain(step)]
    return found


def _version_errors(versions: Sequence[str], path: str, *, require: bool) -> Errors:
    if not versions:
        return [required(path)]
    found: Errors = []
    seen: set[str] = set()
    for index, version in enumerate(versions):
        if version in seen:
            found.append(invalid(f"{path}[{index}]", version, "duplicate version"))
            continue
        seen.add(version)
        found += [invalid(f"{path}[{index}]", version, told) for told in is_dns1035_label(version)]
    if require and not seen & set(ACCEPTED_REVIEW_VERSIONS):
        told = f"must include at least one of {', '.join(ACCEPTED_REVIEW_VERSIONS)}"
        found.append(invalid(path, list(versions), told))
    return found


def ca_bundle_errors(bundle: Any, path: str) -> Errors:
    """What is wrong with a bundle of certificates, in base64."""
    if not bundle:
        return []
    told = "unable to load root certificates: unable to parse bytes as PEM block"
    try:
        text = base64.b64decode(bundle, validate=True)
    except (binascii.Error, ValueError, TypeError):
        return [invalid(path, bundle, told)]
    begin = text.find(b"-----BEGIN CERTIFICATE-----")
    if begin < 0 or text.find(b"-----END CERTIFICATE-----", begin) < 0:
        return [invalid(path, bundle, told)]
    return _certificate_errors(text, bundle, path)


def _certificate_errors(text: bytes, bundle: str, path: str) -> Errors:
    from cryptography.x509 import load_pem_x509_certificates  # noqa: PLC0415 - heavy, and rarely needed

    try:
        load_pem_x509_certificates(text)
    except ValueError as error:
        told = f"unable to load root certificates: failed to parse certificate: {error}"
        return [invalid(path, bundle, told)]
    return []
