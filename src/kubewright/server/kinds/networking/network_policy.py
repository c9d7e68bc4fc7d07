"""The rules of NetworkPolicies."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from ipaddress import IPv6Network
from typing import Final

from kubewright.machinery.field_errors import forbidden, invalid, not_supported, required
from kubewright.machinery.names import is_valid_port_name, is_valid_port_num
from kubewright.server.kinds.core.ip_rules import IPNetwork, cidr_warnings, parse_cidr, validate_legacy_cidr
from kubewright.server.kinds.kind import Errors, Kind, Object, same_spec_generation
from kubewright.server.kinds.metadata_rules import validate_label_selector

__all__ = ["NETWORK_POLICY"]

_PROTOCOLS: Final = ("TCP", "UDP", "SCTP")
_POLICY_TYPES: Final = ("Ingress", "Egress")
_DIRECTIONS: Final = (("ingress", "from"), ("egress", "to"))


def _default(obj: Object) -> None:
    spec = obj.setdefault("spec", {})
    if not spec.get("policyTypes"):
        spec["policyTypes"] = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]
    for direction, _ in _DIRECTIONS:
        for rule in spec.get(direction) or ():
            for port in rule.get("ports") or ():
                if port.get("protocol") is None:
                    port["protocol"] = "TCP"


def _validate(obj: Object) -> Errors:
    return _validate_spec(obj.get("spec") or {}, accepted=(), allow_invalid_values=False)


def _validate_update(obj: Object, old: Object) -> Errors:
    accepted = {cidr for _, cidr in _cidrs(old)}
    allow = bool(validate_label_selector((old.get("spec") or {}).get("podSelector"), ""))
    return _validate_spec(obj.get("spec") or {}, accepted=accepted, allow_invalid_values=allow)


def _validate_spec(spec: Object, *, accepted: Collection[str], allow_invalid_values: bool) -> Errors:
    errors = validate_label_selector(
        spec.get("podSelector"), "spec.podSelector", allow_invalid_values=allow_invalid_values
    )
    for direction, peers in _DIRECTIONS:
        for index, rule in enumerate(spec.get(direction) or ()):
            path = f"spec.{direction}[{index}]"
            for number, port in enumerate(rule.get("ports") or ()):
                errors += _validate_port(port, f"{path}.ports[{number}]")
            for number, peer in enumerate(rule.get(peers) or ()):
                place = f"{path}.{peers}[{number}]"
                errors += _validate_peer(
                    peer, place, accepted=accepted, allow_invalid_values=allow_invalid_values
                )
    types = spec.get("policyTypes") or ()
    if len(types) > len(_POLICY_TYPES):
        errors.append(invalid("spec.policyTypes", types, "may not specify more than two policyTypes"))
        return errors
    for index, kind in enumerate(types):
        if kind not in _POLICY_TYPES:
            errors.append(not_supported(f"spec.policyTypes[{index}]", kind, _POLICY_TYPES))
    return errors


def _validate_port(port: Object, path: str) -> Errors:
    errors: Errors = []
    protocol, number, end = port.get("protocol"), port.get("port"), port.get("endPort")
    if protocol is not None and protocol not in _PROTOCOLS:
        errors.append(not_supported(f"{path}.protocol", protocol, _PROTOCOLS))
    if isinstance(number, str):
        if end is not None:
            errors.append(invalid(f"{path}.endPort", end, "may not be specified when `port` is non-numeric"))
        errors += [invalid(f"{path}.port", number, message) for message in is_valid_port_name(number)]
    elif number is not None:
        errors += [invalid(f"{path}.port", number, message) for message in is_valid_port_num(number)]
        if end is not None:
            if end < number:
                # Upstream shows the port here, not the end.
                detail = "must be greater than or equal to `port`"
                errors.append(invalid(f"{path}.endPort", number, detail))
            errors += [invalid(f"{path}.endPort", end, message) for message in is_valid_port_num(end)]
    elif end is not None:
        errors.append(invalid(f"{path}.endPort", end, "may not be specified when `port` is not specified"))
    return errors


def _validate_peer(
    peer: Object, path: str, *, accepted: Collection[str], allow_invalid_values: bool
) -> Errors:
    errors: Errors = []
    peers = 0
    for field in ("podSelector", "namespaceSelector"):
        selector = peer.get(field)
        if selector is not None:
            peers += 1
            errors += validate_label_selector(
                selector, f"{path}.{field}", allow_invalid_values=allow_invalid_values
            )
    block = peer.get("ipBlock")
    if block is not None:
        errors += _validate_block(block, f"{path}.ipBlock", accepted)
        if peers:
            errors.append(forbidden(path, "may not specify both ipBlock and another peer"))
    elif not peers:
        errors.append(required(path, "must specify a peer"))
    return errors


def _validate_block(block: Object, path: str, accepted: Collection[str]) -> Errors:
    cidr = block.get("cidr") or ""
    if not cidr:
        return [required(f"{path}.cidr")]
    errors = validate_legacy_cidr(cidr, f"{path}.cidr", accepted)
    parsed = parse_cidr(cidr)
    if parsed is None:
        return errors
    for index, text in enumerate(block.get("except") or ()):
        place = f"{path}.except[{index}]"
        errors += validate_legacy_cidr(text, place, accepted)
        part = parse_cidr(text)
        if part is not None and not _is_strict_subset(part[1], parsed[1]):
            errors.append(invalid(place, text, "must be a strict subset of `cidr`"))
    return errors


def _is_strict_subset(part: IPNetwork, whole: IPNetwork) -> bool:
    """Whether a network lies within another, as Go sees it, for which IPv4 in IPv6 form is IPv4."""
    address = part.network_address
    if isinstance(part, IPv6Network) and not isinstance(whole, IPv6Network):
        mapped = part.network_address.ipv4_mapped
        if mapped is None:
            return False
        address = mapped
    return address in whole and whole.prefixlen < part.prefixlen


def _cidrs(obj: Object) -> Iterator[tuple[str, str]]:
    """All CIDRs of a policy, with the paths at which they stand."""
    spec = obj.get("spec") or {}
    for direction, peers in _DIRECTIONS:
        for index, rule in enumerate(spec.get(direction) or ()):
            for number, peer in enumerate(rule.get(peers) or ()):
                block = peer.get("ipBlock")
                if block is None:
                    continue
                path = f"spec.{direction}[{index}].{peers}[{number}].ipBlock"
                yield f"{path}.cidr", block.get("cidr") or ""
                for place, text in enumerate(block.get("except") or ()):
                    yield f"{path}.except[{place}]", text


def _warnings(obj: Object, old: Object | None) -> list[str]:
    return [warning for path, cidr in _cidrs(obj) for warning in cidr_warnings(cidr, path)]


NETWORK_POLICY: Final = Kind(
    default=_default,
    validate=_validate,
    validate_update=_validate_update,
    warnings=_warnings,
    generation=same_spec_generation,
    resets=(),
)
