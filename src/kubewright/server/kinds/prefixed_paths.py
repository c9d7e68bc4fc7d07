"""Domain-prefixed paths, such as acme.io/foo: by them upstream names controllers, managers and extras."""

from __future__ import annotations

import re
from typing import Final

from kubewright.machinery.field_errors import FieldError, invalid, required
from kubewright.machinery.names import is_dns1123_subdomain

__all__ = ["validate_domain_prefixed_path"]

_HTTP_PATH: Final = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"
"""What may stand after the domain: the path characters of RFC 3986, as upstream's httpPathFmt has them."""

_is_http_path: Final = re.compile(_HTTP_PATH).fullmatch


def validate_domain_prefixed_path(value: str, path: str) -> list[FieldError]:
    """What is wrong with a text, at the path of a field, that should be like acme.io/foo."""
    if not value:
        return [required(path)]
    domain, _, rest = value.partition("/")
    if not domain or not rest:
        return [invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')]
    errors = [invalid(path, domain, message) for message in is_dns1123_subdomain(domain)]
    if _is_http_path(rest) is None:
        errors.append(invalid(path, rest, f"Invalid path (regex used for validation is '{_HTTP_PATH}')"))
    return errors
