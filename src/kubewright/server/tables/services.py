"""Services and Endpoints: where they are reached."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from kubewright.server.kinds.kind import Object
from kubewright.server.tables.durations import UNKNOWN, age
from kubewright.server.tables.fields import NONE, items, labels_text, name_of, part, with_more
from kubewright.server.tables.printer import AGE, NAME, Printer, columns, wide

__all__ = ["ENDPOINTS", "SERVICES", "load_balancer_text"]

_SHOWN_ENDPOINTS: Final = 3
"""As many as upstream shows."""


def load_balancer_text(status: Object) -> str:
    """The addresses and host names under which a load balancer listens."""
    found = {
        one.get("ip") or one.get("hostname") or "" for one in items(part(status, "loadBalancer"), "ingress")
    }
    return ",".join(sorted(found - {""}))


def _service_cells(service: Object, now: datetime) -> list[Any]:
    spec = part(service, "spec")
    addresses = items(spec, "clusterIPs")
    return [
        name_of(service),
        spec.get("type") or "",
        addresses[0] if addresses else spec.get("clusterIP") or NONE,
        _external_ip(spec, part(service, "status")),
        ",".join([_port(port) for port in items(spec, "ports")]) or NONE,
        age(service, now),
        labels_text(spec.get("selector")),
    ]


def _external_ip(spec: Object, status: Object) -> str:
    kind = spec.get("type")
    external = ",".join(items(spec, "externalIPs"))
    if kind in {"ClusterIP", "NodePort"}:
        return external or NONE
    if kind == "LoadBalancer":
        return ",".join(filter(None, (load_balancer_text(status), external))) or "<pending>"
    return (spec.get("externalName") or "") if kind == "ExternalName" else UNKNOWN


def _port(port: Object) -> str:
    node = port.get("nodePort") or 0
    number = f"{port.get('port') or 0}:{node}" if node > 0 else f"{port.get('port') or 0}"
    return f"{number}/{port.get('protocol') or ''}"


def _endpoints_cells(endpoints: Object, now: datetime) -> list[Any]:
    return [name_of(endpoints), _endpoints_text(endpoints), age(endpoints, now)]


def _endpoints_text(endpoints: Object) -> str:
    subsets = items(endpoints, "subsets")
    if not subsets:
        return NONE
    shown: list[str] = []
    count = 0
    for subset in subsets:
        addresses, ports = items(subset, "addresses"), items(subset, "ports")
        for port in ports or (None,):
            count += len(addresses)
            first = addresses[: _SHOWN_ENDPOINTS - len(shown)]
            shown += [_host_port(address.get("ip") or "", port) for address in first]
    return with_more(shown, count)


def _host_port(ip: str, port: Object | None) -> str:
    if port is None:
        return ip
    return f"{f'[{ip}]' if ':' in ip else ip}:{port.get('port') or 0}"


SERVICES: Final = Printer(
    columns(NAME, "Type", "Cluster-IP", "External-IP", "Port(s)", AGE, *wide("Selector")), _service_cells
)
ENDPOINTS: Final = Printer(columns(NAME, "Endpoints", AGE), _endpoints_cells)
