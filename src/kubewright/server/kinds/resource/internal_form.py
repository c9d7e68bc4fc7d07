"""Claims as upstream's internal types show them, in messages about what may not change."""

from __future__ import annotations

from kubewright.server.kinds.kind import Object

__all__ = ["allocation_as_go", "claim_spec_as_go"]


def claim_spec_as_go(spec: Object) -> Object:
    """What a claim asks for, with Go's names."""
    devices = spec.get("devices") or {}
    return {
        "Devices": {
            "Requests": [_request(each) for each in devices.get("requests") or ()] or None,
            "Constraints": [
                {
                    "Requests": each.get("requests") or None,
                    "MatchAttribute": each.get("matchAttribute"),
                    "DistinctAttribute": each.get("distinctAttribute"),
                }
                for each in devices.get("constraints") or ()
            ]
            or None,
            "Config": [
                {"Requests": each.get("requests") or None, "Opaque": _opaque(each)}
                for each in devices.get("config") or ()
            ]
            or None,
        }
    }


def _request(request: Object) -> Object:
    exactly = request.get("exactly")
    alternatives = request.get("firstAvailable") or ()
    return {
        "Name": request.get("name") or "",
        "Exactly": None if exactly is None else _exact(exactly, admin=True),
        "FirstAvailable": [
            {"Name": each.get("name") or "", **_exact(each, admin=False)} for each in alternatives
        ]
        or None,
    }


def _exact(request: Object, *, admin: bool) -> Object:
    capacity = request.get("capacity")
    shown = {
        "DeviceClassName": request.get("deviceClassName") or "",
        "Selectors": [
            {"CEL": None if each.get("cel") is None else {"Expression": each["cel"].get("expression") or ""}}
            for each in request.get("selectors") or ()
        ]
        or None,
        "AllocationMode": request.get("allocationMode") or "",
        "Count": request.get("count") or 0,
    }
    if admin:
        shown["AdminAccess"] = request.get("adminAccess")
    shown["Tolerations"] = _tolerations(request)
    shown["Capacity"] = None if capacity is None else {"Requests": _sorted(capacity.get("requests"))}
    return shown


def _tolerations(request: Object) -> list[Object] | None:
    return [
        {
            "Key": each.get("key") or "",
            "Operator": each.get("operator") or "",
            "Value": each.get("value") or "",
            "Effect": each.get("effect") or "",
            "TolerationSeconds": each.get("tolerationSeconds"),
        }
        for each in request.get("tolerations") or ()
    ] or None


def _opaque(configuration: Object) -> Object | None:
    opaque = configuration.get("opaque")
    if opaque is None:
        return None
    return {"Driver": opaque.get("driver") or "", "Parameters": opaque.get("parameters")}


def _sorted(amounts: Object | None) -> Object | None:
    return dict(sorted(amounts.items())) if amounts else None


def allocation_as_go(allocation: Object) -> Object:
    """What was allocated to a claim, with Go's names."""
    from kubewright.server.kinds.core.internal_json import internal_json  # noqa: PLC0415 - rarely needed

    devices, selector = allocation.get("devices") or {}, allocation.get("nodeSelector")
    return {
        "Devices": {
            "Results": [_result(each) for each in devices.get("results") or ()] or None,
            "Config": [
                {
                    "Source": each.get("source") or "",
                    "Requests": each.get("requests") or None,
                    "Opaque": _opaque(each),
                }
                for each in devices.get("config") or ()
            ]
            or None,
        },
        "NodeSelector": None if selector is None else internal_json(selector, "NodeSelector"),
        "AllocationTimestamp": allocation.get("allocationTimestamp"),
    }


def _result(result: Object) -> Object:
    return {
        "Request": result.get("request") or "",
        "Driver": result.get("driver") or "",
        "Pool": result.get("pool") or "",
        "Device": result.get("device") or "",
        "AdminAccess": result.get("adminAccess"),
        "Tolerations": _tolerations(result),
        "BindingConditions": result.get("bindingConditions") or None,
        "BindingFailureConditions": result.get("bindingFailureConditions") or None,
        "ShareID": result.get("shareID"),
        "ConsumedCapacity": _sorted(result.get("consumedCapacity")),
    }
