"""The groups of the Kubernetes community, and the annotation that says that an API in one is approved."""

from __future__ import annotations

from typing import Any, Final

from kubewright.crd.go_urls import parse_url
from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import go_quote

__all__ = ["APPROVED_ANNOTATION", "approval_state", "is_protected_group"]

APPROVED_ANNOTATION: Final = "api-approved.kubernetes.io"
_SEE: Final = "see https://github.com/kubernetes/enhancements/pull/1111"


def is_protected_group(group: str) -> bool:
    """Whether definitions of the group need the approval annotation."""
    return group in {"k8s.io", "kubernetes.io"} or group.endswith((".k8s.io", ".kubernetes.io"))


def approval_state(crd: dict[str, Any]) -> tuple[str, str]:
    """The state of a definition's approval (`Missing`, `Bypassed`, `Approved` or `Invalid`), with upstream's
    reason for it."""
    annotations = (crd.get("metadata") or {}).get("annotations") or {}
    value = annotations.get(APPROVED_ANNOTATION) or ""
    name = go_quote(APPROVED_ANNOTATION)
    if not value:
        return "Missing", f"protected groups must have approval annotation {name}, {_SEE}"
    if value.startswith("unapproved"):
        return "Bypassed", f"not approved: {go_quote(value)}"
    if _is_address(value):
        return "Approved", f"approved in {value}"
    return "Invalid", (
        f"protected groups must have approval annotation {name} with either a URL or a reason starting with "
        f'"unapproved", {_SEE}'
    )


def _is_address(text: str) -> bool:
    try:
        url = parse_url(text)
    except ParseError:
        return False
    return bool(url.host and url.scheme)
