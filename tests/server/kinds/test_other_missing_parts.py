"""No rule of the smaller groups stumbles over a part that an object does not have."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from tests.server.kinds.harness import Case, cases, embedded_answer

GROUPS = (
    "admissionregistration",
    "admissionregistration_policies",
    "apiregistration",
    "authorization",
    "certificates",
    "coordination",
    "discovery",
    "flowcontrol",
    "networking",
    "networking_policies",
    "node",
    "rbac",
    "resource",
    "resource_slices",
    "scheduling",
    "storage",
    "storage_attachments",
)
LARGEST = 4000
"""In characters: larger objects are only longer, not richer."""


def without_each_part(value: Any) -> Iterator[Any]:
    """The value without one of its members, or of the members of its members, for each of them."""
    if not isinstance(value, dict | list):
        return
    for place in list(value) if isinstance(value, dict) else range(len(value)):
        less = copy.copy(value)
        del less[place]
        yield less
        for smaller in without_each_part(value[place]):
            changed = copy.copy(value)
            changed[place] = smaller
            yield changed


def rich(case: Case) -> bool:
    few = bool(case.subresource) or "full" in case.name or "bad" in case.name
    return few and len(str(case.obj)) < LARGEST


@pytest.mark.parametrize("group", GROUPS)
def test_nothing_raises(group: str) -> None:
    for case in filter(rich, cases(group)):
        for obj in without_each_part(case.obj):
            if obj.get("apiVersion") and obj.get("kind"):
                embedded_answer(case._replace(obj=obj))
