"""The status of services: where load balancers are."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import forbidden, invalid, not_supported, required
from kubewright.machinery.names import is_dns1123_subdomain
from kubewright.server.kinds.core.ip_rules import ip_warnings, parse_ip, validate_legacy_ip
from kubewright.server.kinds.kind import Context, Errors, Object, Subresource

__all__ = ["SERVICE_STATUS", "validate_load_balancer_status"]

_IP_MODES: Final = ("Proxy", "VIP")


def _prepare(obj: Object, old: Object, context: Context) -> None:
    obj["spec"] = old.get("spec") or {}


def _validate(obj: Object, old: Object) -> Errors:
    status, old_status = _load_balancer(obj), _load_balancer(old)
    path = "status.loadBalancer"
    if (obj.get("spec") or {}).get("type") != "LoadBalancer" and status.get("ingress"):
        return [forbidden(f"{path}.ingress", "may only be used when `spec.type` is 'LoadBalancer'")]
    return validate_load_balancer_status(status, old_status, path)


def _load_balancer(obj: Object) -> Object:
    found: Object = (obj.get("status") or {}).get("loadBalancer") or {}
    return found


def validate_load_balancer_status(status: Object, old: Object | None, path: str) -> Errors:
    """All that is wrong with the ingress points of a load balancer; addresses that `old` has pass."""
    errors: Errors = []
    accepted = {ingress.get("ip") or "" for ingress in (old or {}).get("ingress") or ()} - {""}
    for index, ingress in enumerate(status.get("ingress") or ()):
        place = f"{path}.ingress[{index}]"
        ip, mode, hostname = ingress.get("ip"), ingress.get("ipMode"), ingress.get("hostname")
        if ip:
            errors += validate_legacy_ip(ip, f"{place}.ip", accepted)
        if mode is None:
            if ip:
                errors.append(required(f"{place}.ipMode", "must be specified when `ip` is set"))
        elif not ip:
            errors.append(forbidden(f"{place}.ipMode", "may not be specified when `ip` is not set"))
        elif mode not in _IP_MODES:
            errors.append(not_supported(f"{place}.ipMode", mode, _IP_MODES))
        if hostname:
            errors += [
                invalid(f"{place}.hostname", hostname, message) for message in is_dns1123_subdomain(hostname)
            ]
            if parse_ip(hostname) is not None:
                detail = "must be a DNS name, not an IP address"
                errors.append(invalid(f"{place}.hostname", hostname, detail))
    return errors


def _warnings(obj: Object, old: Object | None) -> list[str]:
    warnings: list[str] = []
    for index, ingress in enumerate(_load_balancer(obj).get("ingress") or ()):
        if ingress.get("ip"):
            warnings += ip_warnings(ingress["ip"], f"status.loadBalancer.ingress[{index}]")
    return warnings


SERVICE_STATUS: Final = Subresource(
    prepare=_prepare, validate=_validate, warnings=_warnings, resets=("spec",)
)
