"""managedFields as they are compared: without times."""

from __future__ import annotations

from typing import Any

from tests.conformance.client import Response

__all__ = ["entry", "managers"]


def managers(response: Response) -> list[dict[str, Any]]:
    """The managedFields of the object that came back, without times, which some entries lack.

    They are sorted by operation and manager: upstream sorts by time in between, which is in whole seconds.
    """
    assert response.status < 300, response.text
    found = response.json()["metadata"].get("managedFields", [])
    for each in found:
        each.pop("time", None)
    return sorted(found, key=lambda each: (each["operation"], each["manager"], each.get("subresource", "")))


def entry(
    manager: str,
    operation: str,
    fields: dict[str, Any],
    *,
    version: str = "v1",
    subresource: str | None = None,
) -> dict[str, Any]:
    """One entry of managedFields."""
    made = {
        "manager": manager,
        "operation": operation,
        "apiVersion": version,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }
    return {**made, "subresource": subresource} if subresource else made
