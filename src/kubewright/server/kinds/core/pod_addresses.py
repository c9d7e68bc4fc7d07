"""The rules of IP addresses in pods, which today must be in the form that strict parsers take."""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import IPv6Address, ip_address

from kubewright.machinery.field_errors import internal, invalid
from kubewright.server.kinds.core.ip_rules import parse_ip
from kubewright.server.kinds.core.pod_internal import invalid_internal
from kubewright.server.kinds.kind import Errors, Object

__all__ = ["check_address", "check_pod_addresses"]


def check_address(errors: Errors, text: str, path: str, accepted: Collection[str] = ()) -> None:
    """An IP address; those in `accepted`, which are stored already, pass."""
    if text in accepted:
        return
    if parse_ip(text) is None:
        detail = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
        errors.append(invalid(path, text, detail))
        return
    try:
        address = ip_address(text)
    except ValueError:
        errors.append(invalid(path, text, "must not have leading 0s"))
        return
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        errors.append(invalid(path, text, "must not be an IPv4-mapped IPv6 address"))


def check_pod_addresses(errors: Errors, status: Object, old: Object) -> None:
    """The addresses of a pod and of its host in a status: one of each IP family at most."""
    _check_list(errors, status, old, "podIPs", "PodIP")
    hosts = status.get("hostIPs") or ()
    if hosts:
        first = hosts[0].get("ip") or ""
        if (status.get("hostIP") or "") != first:
            errors.append(invalid("status.hostIPs[0].ip", first, "must be equal to `hostIP`"))
        _check_list(errors, status, old, "hostIPs", "HostIP")


def _check_list(errors: Errors, status: Object, old: Object, field: str, type_name: str) -> None:
    addresses = status.get(field) or []
    stored = {each.get("ip") or "" for each in old.get(field) or ()}
    texts = [each.get("ip") or "" for each in addresses]
    for index, text in enumerate(texts):
        check_address(errors, text, f"status.{field}[{index}]", stored)
    if len(texts) < 2:
        return
    parsed = list(map(parse_ip, texts))
    for index, found in enumerate(parsed):
        if found is None:
            detail = f"failed to check for dual stack with error:invalid IP[{index}]: {texts[index]}"
            errors.append(internal(f"status.{field}", detail))
            break
    families = {isinstance(found, IPv6Address) for found in parsed}
    if None in parsed or len(families) != 2 or len(texts) > 2:
        detail = "may specify no more than one IP for each IP family"
        errors.append(invalid_internal(f"status.{field}", type_name, addresses, detail))
