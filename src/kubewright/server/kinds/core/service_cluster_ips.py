"""The rules of the cluster IPs and IP families of a service."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import duplicate, invalid, not_supported, required
from kubewright.server.kinds.core.ip_rules import is_ipv6, validate_legacy_ip
from kubewright.server.kinds.core.service_types import is_headless
from kubewright.server.kinds.kind import Errors, Object

__all__ = [
    "IP_FAMILY_POLICIES",
    "validate_cluster_ips",
    "validate_cluster_ips_update",
    "validate_ip_families_update",
]

_FAMILIES: Final = ("IPv4", "IPv6")
IP_FAMILY_POLICIES: Final = ("PreferDualStack", "RequireDualStack", "SingleStack")
"""In the order in which messages name them."""

_PATH: Final = "spec.clusterIPs"
_CHANGED: Final = "may not change once set"


def validate_cluster_ips(spec: Object, old: Object | None) -> Errors:
    """All that is wrong with cluster IPs, families and the policy of a service, as they are."""
    if spec.get("type") == "ExternalName":
        return []
    ips: list[str] = spec.get("clusterIPs") or []
    families: list[str] = spec.get("ipFamilies") or []
    errors = _validate_first(spec.get("clusterIP"), ips)
    errors += _validate_families(families)
    policy = spec.get("ipFamilyPolicy")
    if policy is not None and policy not in IP_FAMILY_POLICIES:
        errors.append(not_supported("spec.ipFamilyPolicy", policy, IP_FAMILY_POLICIES))
    known = frozenset((old.get("clusterIPs") or ()) if old is not None else ())
    bad: Errors = []
    for index, ip in enumerate(ips):
        if index == 0 and ip == "None":
            if len(ips) > 1:
                bad.append(invalid(_PATH, ips, "'None' must be the first and only value"))
            continue
        bad += validate_legacy_ip(ip, f"{_PATH}[{index}]", known)
    errors += bad
    if len(ips) > 2:
        errors.append(invalid(_PATH, ips, "may only hold up to 2 values"))
    return errors if bad else errors + _validate_stacks(ips, families, is_headless(spec))


def _validate_first(ip: str | None, ips: list[str]) -> Errors:
    if not ip:
        detail = "must be empty when `clusterIP` is not specified"
        return [invalid(_PATH, ips, detail)] if ips else []
    if not ips:
        return [required(_PATH)]
    return [] if ips[0] == ip else [invalid(_PATH, ips, "first value must match `clusterIP`")]


def _validate_families(families: list[str]) -> Errors:
    errors: Errors = []
    seen: set[str] = set()
    for index, family in enumerate(families):
        path = f"spec.ipFamilies[{index}]"
        if family not in _FAMILIES:
            errors.append(not_supported(path, family, _FAMILIES))
        if family in seen:
            errors.append(duplicate(path, family))
        seen.add(family)
    return errors


def _validate_stacks(ips: list[str], families: list[str], headless: bool) -> Errors:
    errors: Errors = []
    if len(ips) > 1 and len(set(map(is_ipv6, ips))) < 2:
        errors.append(invalid(_PATH, ips, "may specify no more than one IP for each IP family"))
    if headless:
        return errors
    for index, (ip, family) in enumerate(zip(ips, families, strict=False)):
        if family in _FAMILIES and is_ipv6(ip) != (family == "IPv6"):
            detail = f"expected an {family} value as indicated by `ipFamilies[{index}]`"
            errors.append(invalid(f"{_PATH}[{index}]", ip, detail))
    return errors


def validate_cluster_ips_update(spec: Object, old: Object) -> Errors:
    """What is wrong with a change of cluster IPs: the first stays, the second may come and go."""
    if "ExternalName" in {spec.get("type"), old.get("type")} or (is_headless(spec) and is_headless(old)):
        return []
    ips, old_ips = spec.get("clusterIPs") or [], old.get("clusterIPs") or []
    if len(ips) == len(old_ips):
        return [
            invalid(f"{_PATH}[{index}]", ips, _CHANGED)
            for index, (ip, old_ip) in enumerate(zip(ips, old_ips, strict=True))
            if ip != old_ip
        ]
    errors: Errors = []
    if not ips:
        errors.append(invalid(f"{_PATH}[0]", spec.get("clusterIPs"), "primary clusterIP can not be unset"))
    elif old_ips and ips[0] != old_ips[0]:
        errors.append(invalid(f"{_PATH}[0]", ips, _CHANGED))
    if len(ips) == 1 and len(old_ips) > 1 and spec.get("ipFamilyPolicy") != "SingleStack":
        detail = "must be set to 'SingleStack' when releasing the secondary clusterIP"
        errors.append(invalid("spec.ipFamilyPolicy", spec.get("ipFamilyPolicy"), detail))
    return errors


def validate_ip_families_update(spec: Object, old: Object) -> Errors:
    """What is wrong with a change of IP families: the first stays, the second may come and go."""
    if "ExternalName" in {spec.get("type"), old.get("type")} or is_headless(spec) or is_headless(old):
        return []
    families, old_families = spec.get("ipFamilies") or [], old.get("ipFamilies") or []
    path = "spec.ipFamilies[0]"
    if len(families) == len(old_families):
        changed = sum(one != other for one, other in zip(families, old_families, strict=True))
        return [invalid(path, families, _CHANGED)] * changed
    errors: Errors = []
    fewer = len(families) < len(old_families)
    if fewer and not spec.get("clusterIPs"):
        errors.append(invalid(path, spec.get("ipFamilies"), "primary ipFamily can not be unset"))
    if families and old_families and families[0] != old_families[0]:
        # Upstream shows the IPs where the families should be.
        errors.append(invalid(path, spec.get("clusterIPs"), _CHANGED))
    if fewer and len(families) == 1 and spec.get("ipFamilyPolicy") != "SingleStack":
        detail = "must be set to 'SingleStack' when releasing the secondary ipFamily"
        errors.append(invalid("spec.ipFamilyPolicy", spec.get("ipFamilyPolicy"), detail))
    return errors
