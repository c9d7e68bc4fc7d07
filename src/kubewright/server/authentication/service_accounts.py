"""How service accounts are called as users."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.names import is_dns1123_label, is_dns1123_subdomain

__all__ = ["service_account_groups", "service_account_name", "split_service_account"]

_PREFIX: Final = "system:serviceaccount:"
_GROUP: Final = "system:serviceaccounts"


def service_account_name(namespace: str, name: str) -> str:
    """The user name of a service account."""
    return f"{_PREFIX}{namespace}:{name}"


def service_account_groups(namespace: str) -> tuple[str, str]:
    """The groups that every service account of a namespace is in."""
    return (_GROUP, f"{_GROUP}:{namespace}")


def split_service_account(user: str) -> tuple[str, str] | None:
    """Namespace and name of the service account that a user is; None for other users."""
    if not user.startswith(_PREFIX):
        return None
    namespace, colon, name = user.removeprefix(_PREFIX).partition(":")
    if not colon or is_dns1123_label(namespace) or is_dns1123_subdomain(name):
        return None
    return namespace, name
