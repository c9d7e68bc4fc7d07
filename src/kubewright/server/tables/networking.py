"""Ingresses, their classes, network policies, and the addresses of services."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from kubewright.server.kinds.kind import Object
from kubewright.server.tables.durations import age
from kubewright.server.tables.fields import NONE, annotation, items, name_of, or_default, part, selector_text
from kubewright.server.tables.printer import AGE, NAME, Printer, columns
from kubewright.server.tables.services import load_balancer_text

__all__ = ["PRINTERS"]

_DEFAULT_CLASS: Final = "ingressclass.kubernetes.io/is-default-class"
_SHOWN_HOSTS: Final = 3
"""As many as upstream shows."""


def _ingress(obj: Object, now: datetime) -> list[Any]:
    spec = part(obj, "spec")
    return [
        name_of(obj),
        or_default(spec.get("ingressClassName"), NONE),
        _hosts(items(spec, "rules")),
        load_balancer_text(part(obj, "status")),
        "80, 443" if items(spec, "tls") else "80",
        age(obj, now),
    ]


def _hosts(rules: Sequence[Object]) -> str:
    shown: list[str] = []
    for rule in rules:
        if len(shown) == _SHOWN_HOSTS:
            # As upstream counts: rules without a host are counted here although they were not shown.
            return f"{','.join(shown)} + {len(rules) - _SHOWN_HOSTS} more..."
        if rule.get("host"):
            shown.append(rule["host"])
    return ",".join(shown) or "*"


def _ingress_class(obj: Object, now: datetime) -> list[Any]:
    name = name_of(obj)
    if annotation(obj, _DEFAULT_CLASS) == "true":
        name += " (default)"
    spec = part(obj, "spec")
    return [name, spec.get("controller") or "", _parameters(spec.get("parameters")), age(obj, now)]


def _parameters(found: Object | None) -> str:
    if found is None:
        return NONE
    group = f".{found['apiGroup']}" if found.get("apiGroup") is not None else ""
    return f"{found.get('kind') or ''}{group}/{found.get('name') or ''}"


def _ip_address(obj: Object, now: datetime) -> list[Any]:
    # Upstream gives a third cell, the age, for which there is no column.
    return [name_of(obj), _parent(part(obj, "spec").get("parentRef")), age(obj, now)]


def _parent(found: Object | None) -> str:
    if found is None:
        return NONE
    resource, group = found.get("resource") or "", found.get("group") or ""
    names = [(f"{resource}.{group}" if group else resource).lower(), found.get("name") or ""]
    if found.get("namespace"):
        names.insert(1, found["namespace"])
    return "/".join(names)


def _network_policy(obj: Object, now: datetime) -> list[Any]:
    return [name_of(obj), selector_text(part(obj, "spec").get("podSelector")), age(obj, now)]


def _service_cidr(obj: Object, now: datetime) -> list[Any]:
    return [name_of(obj), ",".join(items(part(obj, "spec"), "cidrs")), age(obj, now)]


PRINTERS: Final[Mapping[str, Printer]] = {
    "ingressclasses": Printer(columns(NAME, "Controller", "Parameters", AGE), _ingress_class),
    "ingresses": Printer(columns(NAME, "Class", "Hosts", "Address", "Ports", AGE), _ingress),
    "ipaddresses": Printer(columns(NAME, "ParentRef"), _ip_address),
    "networkpolicies": Printer(columns(NAME, "Pod-Selector", AGE), _network_policy),
    "servicecidrs": Printer(columns(NAME, "CIDRs", AGE), _service_cidr),
}
