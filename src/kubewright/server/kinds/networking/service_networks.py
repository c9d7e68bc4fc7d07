"""The rules of IPAddresses and ServiceCIDRs: the addresses of services, and where they come from."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Network
from typing import Final

from kubewright.machinery.field_errors import go_quote, invalid, required
from kubewright.machinery.names import is_dns1123_subdomain, is_path_segment_name
from kubewright.server.kinds.core.ip_rules import (
    parse_cidr,
    parse_ip,
    validate_legacy_cidr,
    validate_legacy_ip,
)
from kubewright.server.kinds.fields import clear_status, keep_metadata, keep_spec, keep_status
from kubewright.server.kinds.kind import Context, Errors, Kind, Object, Subresource
from kubewright.server.kinds.metadata_rules import FIELD_IMMUTABLE
from kubewright.server.kinds.networking.references import validate_path_segment

__all__ = ["IP_ADDRESS", "SERVICE_CIDR", "name_is_ip_address"]


def name_is_ip_address(name: str, *, prefix: bool = False) -> list[str]:
    """The name of an IPAddress: an address in its usual form, also where it is a generateName."""
    messages = [error.message.partition(f"{go_quote(name)}: ")[2] for error in validate_legacy_ip(name, "")]
    address = parse_ip(name)
    if not messages and str(address) != name:
        messages.append(f"must be in canonical form ({go_quote(str(address))})")
    return messages


def _parent(obj: Object) -> Object | None:
    parent: Object | None = (obj.get("spec") or {}).get("parentRef")
    return parent


def _validate_address(obj: Object) -> Errors:
    parent, path = _parent(obj), "spec.parentRef"
    if parent is None:
        return [required(path)]
    errors: Errors = []
    group, namespace = parent.get("group"), parent.get("namespace")
    if group:
        errors += [invalid(f"{path}.group", group, message) for message in is_dns1123_subdomain(group)]
    errors += validate_path_segment(parent.get("resource") or "", f"{path}.resource")
    errors += validate_path_segment(parent.get("name") or "", f"{path}.name")
    if namespace:
        messages = is_path_segment_name(namespace)
        errors += [invalid(f"{path}.namespace", namespace, message) for message in messages]
    return errors


def _validate_address_update(obj: Object, old: Object) -> Errors:
    errors = _validate_address(obj)
    parent = _parent(obj)
    if parent != _parent(old):
        errors.append(invalid("spec.parentRef", _parent_as_go(parent), FIELD_IMMUTABLE))
    return errors


def _parent_as_go(parent: Object | None) -> Object | None:
    if parent is None:
        return None
    return {
        field.capitalize(): parent.get(field) or "" for field in ("group", "resource", "namespace", "name")
    }


IP_ADDRESS: Final = Kind(
    validate=_validate_address,
    validate_update=_validate_address_update,
    name=name_is_ip_address,
    resets=(),
)


def _ranges(obj: Object) -> Sequence[str]:
    cidrs: Sequence[str] = (obj.get("spec") or {}).get("cidrs") or []
    return cidrs


def _validate_ranges(obj: Object) -> Errors:
    path, cidrs = "spec.cidrs", _ranges(obj)
    if not cidrs:
        return [required(path, "at least one CIDR required")]
    if len(cidrs) > 2:
        return [invalid(path, {"CIDRs": cidrs}, "may only hold up to 2 values")]
    errors: Errors = []
    for index, cidr in enumerate(cidrs):
        errors += _validate_cidr(cidr, f"{path}[{index}]")
    networks = [parsed[1] for parsed in map(parse_cidr, cidrs) if parsed is not None]
    if len(networks) == 2 and isinstance(networks[0], IPv4Network) == isinstance(networks[1], IPv4Network):
        detail = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"
        errors.append(invalid(path, cidrs, detail))
    return errors


def _validate_cidr(cidr: str, path: str) -> Errors:
    errors = validate_legacy_cidr(cidr, path)
    parsed = parse_cidr(cidr)
    if not errors and parsed is not None and str(parsed[1]) != cidr:
        errors.append(invalid(path, cidr, f"must be in canonical form ({go_quote(str(parsed[1]))})"))
    return errors


def _validate_ranges_update(obj: Object, old: Object) -> Errors:
    path, cidrs, before = "spec.cidrs", _ranges(obj), _ranges(old)
    pairs = enumerate(zip(cidrs, before, strict=False))
    changed = [
        invalid(f"{path}[{index}]", cidr, FIELD_IMMUTABLE) for index, (cidr, was) in pairs if cidr != was
    ]
    if len(cidrs) == len(before):
        return changed
    if len(before) == 1 and len(cidrs) == 2:
        return changed + _validate_ranges(obj)
    return [invalid(path, cidrs or None, FIELD_IMMUTABLE)]


def _prepare_status(obj: Object, old: Object, context: Context) -> None:
    keep_spec(obj, old, context)
    keep_metadata(obj, old)


SERVICE_CIDR: Final = Kind(
    prepare_create=clear_status,
    prepare_update=keep_status,
    validate=_validate_ranges,
    validate_update=_validate_ranges_update,
    subresources={"status": Subresource(prepare=_prepare_status, resets=("metadata", "spec"))},
)
