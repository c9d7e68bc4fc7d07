"""How webhooks are reached: the rules of URLs and of services that stand for them.

The causes are those of k8s.io/apiserver/pkg/util/webhook.
"""

from __future__ import annotations

from typing import Final

from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import invalid, required
from kubewright.machinery.names import is_dns1123_subdomain, is_valid_port_num
from kubewright.server.kinds.kind import Errors, Object

__all__ = ["DEFAULT_PORT", "validate_webhook_client"]

DEFAULT_PORT: Final = 443
"""The port of a service that names none."""

_FORM: Final = "; desired format: https://host[/path]"


def validate_webhook_client(client: Object, path: str) -> Errors:
    """What is wrong with the `clientConfig` of a webhook at `path`."""
    url, service = client.get("url"), client.get("service")
    if (url is None) == (service is None):
        return [required(path, "exactly one of url or service is required")]
    if url is not None:
        return _validate_url(url, f"{path}.url")
    return _validate_service(service or {}, f"{path}.service")


def _validate_url(text: str, path: str) -> Errors:
    from kubewright.crd.go_urls import parse_url  # noqa: PLC0415 - most webhooks are services

    try:
        url = parse_url(text)
    except ParseError as error:
        return [required(path, f"url must be a valid URL: {error}{_FORM}")]
    errors: Errors = []
    if url.scheme != "https":
        errors.append(invalid(path, url.scheme, f"'https' is the only allowed URL scheme{_FORM}"))
    if not url.host:
        errors.append(invalid(path, url.host, f"host must be specified{_FORM}"))
    if url.user is not None:
        errors.append(invalid(path, url.user, "user information is not permitted in the URL"))
    if url.fragment:
        errors.append(invalid(path, url.fragment, "fragments are not permitted in the URL"))
    if url.query:
        errors.append(invalid(path, url.query, "query parameters are not permitted in the URL"))
    return errors


def _validate_service(service: Object, path: str) -> Errors:
    errors: Errors = []
    # Upstream hands name and namespace over in the wrong order, and so names the other field.
    if not service.get("namespace"):
        errors.append(required(f"{path}.name"))
    if not service.get("name"):
        errors.append(required(f"{path}.namespace"))
    port = service.get("port", DEFAULT_PORT)
    wrong = is_valid_port_num(port)
    if wrong:
        errors.append(invalid(f"{path}.port", port, f"port is not valid: {', '.join(wrong)}"))
    url_path = service.get("path")
    if not url_path or url_path == "/":
        return errors
    if url_path == "//":
        return [*errors, invalid(f"{path}.path", url_path, "segment[0] may not be empty")]
    return errors + _validate_path(url_path, f"{path}.path")


def _validate_path(url_path: str, path: str) -> Errors:
    errors: Errors = []
    if not url_path.startswith("/"):
        errors.append(invalid(path, url_path, "must start with a '/'"))
    for index, step in enumerate(url_path[1:].removesuffix("/").split("/")):
        if not step:
            errors.append(invalid(path, url_path, f"segment[{index}] may not be empty"))
        else:
            messages = is_dns1123_subdomain(step)
            errors += [invalid(path, url_path, f"segment[{index}]: {message}") for message in messages]
    return errors
