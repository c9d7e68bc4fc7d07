"""EndpointSlices."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from kubewright.server.kinds.kind import Object
from kubewright.server.tables.durations import age
from kubewright.server.tables.fields import UNSET, items, name_of, with_more
from kubewright.server.tables.printer import AGE, NAME, Printer, columns

__all__ = ["PRINTERS"]

_SHOWN: Final = 3
"""As many ports, and as many addresses, as upstream shows."""


def _endpoint_slice(obj: Object, now: datetime) -> list[Any]:
    ports = items(obj, "ports")
    addresses = [address for one in items(obj, "endpoints") for address in items(one, "addresses")]
    return [
        name_of(obj),
        obj.get("addressType") or "",
        with_more([_port(port) for port in ports[:_SHOWN]], len(ports), empty=UNSET),
        with_more(addresses[:_SHOWN], len(addresses), empty=UNSET),
        age(obj, now),
    ]


def _port(port: Object) -> str:
    for name in ("port", "name"):
        if port.get(name) is not None:
            return str(port[name])
    return "*"


PRINTERS: Final[Mapping[str, Printer]] = {
    "endpointslices": Printer(columns(NAME, "AddressType", "Ports", "Endpoints", AGE), _endpoint_slice)
}
