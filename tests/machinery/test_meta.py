"""Metadata."""

from __future__ import annotations

import pytest

from kubewright.machinery.errors import ParseError
from kubewright.machinery.meta import LabelSelector, LabelSelectorRequirement, ObjectMeta


def test_a_label_selector_matches() -> None:
    expression = LabelSelectorRequirement(key="tier", operator="In", values=["web", "api"])
    selector = LabelSelector(match_labels={"app": "shop"}, match_expressions=[expression]).to_selector()
    assert selector.matches({"app": "shop", "tier": "web"})
    assert not selector.matches({"app": "shop", "tier": "db"})
    assert LabelSelector().to_selector().matches({})


def test_a_bad_label_selector() -> None:
    expression = LabelSelectorRequirement(key="tier", operator="Near", values=["web"])
    with pytest.raises(ParseError, match="Near"):
        LabelSelector(match_expressions=[expression]).to_selector()


def test_managed_fields_are_lazy() -> None:
    wire = '{"name":"a","managedFields":[{"time":"2026-01-02T03:04:05Z","fieldsV1":{"f:spec":{}}}]}'
    meta = ObjectMeta.from_json(wire)
    assert "managed_fields=..." in repr(meta)
    assert meta.to_json().decode() == wire
    assert meta.managed_fields[0].fields_v1 == {"f:spec": {}}
    assert meta.to_json().decode() == wire


def test_generation_zero_and_no_generation_differ() -> None:
    assert ObjectMeta(generation=0).to_dict() == {"generation": 0}
    assert ObjectMeta().to_dict() == {}
