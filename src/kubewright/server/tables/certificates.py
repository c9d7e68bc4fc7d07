"""CertificateSigningRequests."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from kubewright.server.kinds.kind import Object
from kubewright.server.tables.durations import age, human_duration
from kubewright.server.tables.fields import NONE, items, name_of, part
from kubewright.server.tables.printer import AGE, NAME, Printer, columns

__all__ = ["PRINTERS"]


def _request(obj: Object, now: datetime) -> list[Any]:
    spec = part(obj, "spec")
    seconds = spec.get("expirationSeconds")
    return [
        name_of(obj),
        age(obj, now),
        spec.get("signerName") or NONE,
        spec.get("username") or "",
        NONE if seconds is None else human_duration(timedelta(seconds=seconds)),
        _status(part(obj, "status")),
    ]


def _status(status: Object) -> str:
    kinds = {condition.get("type") for condition in items(status, "conditions")}
    told = "Denied" if "Denied" in kinds else ("Approved" if "Approved" in kinds else "Pending")
    if "Failed" in kinds:
        told += ",Failed"
    return f"{told},Issued" if status.get("certificate") else told


PRINTERS: Final[Mapping[str, Printer]] = {
    "certificatesigningrequests": Printer(
        columns(NAME, AGE, "SignerName", "Requestor", "RequestedDuration", "Condition"), _request
    )
}
