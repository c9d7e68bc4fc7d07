"""Rules that are written for one version of a kind, applied to another."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import msgspec

from kubewright.machinery.field_errors import invalid
from kubewright.server.kinds.kind import Context, Kind, Object, Subresource
from kubewright.server.registry.converted import converted_rules
from kubewright.server.registry.create import create
from kubewright.server.registry.registry import Registry
from kubewright.server.storage import MemoryStorage
from tests.server.registry.objects import write

CONTEXT = Context(now=datetime(2026, 1, 1, tzinfo=UTC), user="me")


def to_stored(obj: Object) -> Object:
    """`old` is called `new` in the stored version."""
    return {("new" if name == "old" else name): value for name, value in obj.items()}


def from_stored(obj: Object) -> Object:
    return {("old" if name == "new" else name): value for name, value in obj.items()}


def stored_rules() -> Kind:
    def prepare(obj: Object, *rest: Any) -> None:
        assert "old" not in obj
        obj["new"] = [*obj.get("new", []), "prepared"]

    def prepare_update(obj: Object, old: Object, context: Context) -> None:
        obj["new"] = [*obj["new"], *old["new"]]

    return Kind(
        default=lambda obj: obj.setdefault("new", ["default"]) and None,
        prepare_create=prepare,
        prepare_update=prepare_update,
        validate=lambda obj: [invalid("new", obj["new"], "no")],
        validate_update=lambda obj, old: [invalid("new", [obj["new"], old["new"]], "no")],
        warnings=lambda obj, old: [f"{obj['new']} {old and old['new']}"],
        generation=lambda obj, old: bool(obj["new"] != old["new"]),
        fields=lambda obj: {"new": str(obj.get("new"))},
        subresources={
            "status": Subresource(
                prepare=prepare_update,
                validate=lambda obj, old: [invalid("new", obj["new"] + old["new"], "no")],
                warnings=lambda obj, old: [str(obj["new"])],
            )
        },
    )


RULES = converted_rules(stored_rules(), to_stored=to_stored, from_stored=from_stored)


def test_what_the_rules_change_is_converted_back() -> None:
    obj: Object = {"a": 1}
    RULES.default(obj)
    assert obj == {"a": 1, "old": ["default"]}
    RULES.prepare_create(obj, CONTEXT)
    assert obj == {"a": 1, "old": ["default", "prepared"]}
    RULES.prepare_update(obj, {"old": ["before"]}, CONTEXT)
    assert obj == {"a": 1, "old": ["default", "prepared", "before"]}


def test_what_the_rules_read_is_converted() -> None:
    one, two = {"old": [1]}, {"old": [2]}
    assert RULES.validate(one) == [invalid("new", [1], "no")]
    assert RULES.validate_update(one, two) == [invalid("new", [[1], [2]], "no")]
    assert RULES.warnings(one, None) == ["[1] None"]
    assert RULES.warnings(one, two) == ["[1] [2]"]
    assert RULES.generation is not None
    assert RULES.generation(one, two)
    assert not RULES.generation(one, {"old": [1]})
    assert RULES.fields is not None
    assert RULES.fields(one) == {"new": "[1]"}


def test_subresources() -> None:
    status = RULES.subresources["status"]
    obj: Object = {"old": [1]}
    status.prepare(obj, {"old": [2]}, CONTEXT)
    assert obj == {"old": [1, 2]}
    assert status.validate(obj, {"old": [3]}) == [invalid("new", [1, 2, 3], "no")]
    assert status.warnings(obj, None) == ["[1, 2]"]


def test_rules_that_there_are_not_stay_away() -> None:
    bare = msgspec.structs.replace(stored_rules(), generation=None, fields=None, subresources={})
    rules = converted_rules(bare, to_stored=to_stored, from_stored=from_stored)
    assert (rules.generation, rules.fields, rules.subresources) == (None, None, {})


def test_autoscalers_of_v1_are_stored_in_v2() -> None:
    async def check() -> None:
        registry = Registry(MemoryStorage())
        stores = {
            version: registry.find("autoscaling", version, "horizontalpodautoscalers")
            for version in ("v1", "v2")
        }
        first, second = stores["v1"], stores["v2"]
        assert first is not None
        assert second is not None
        body = {
            "apiVersion": "autoscaling/v1",
            "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": "a", "namespace": "ns"},
            "spec": {
                "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"},
                "maxReplicas": 3,
                "targetCPUUtilizationPercentage": 50,
            },
        }
        await create(first, first.type.read_object(body, strict=True).obj, write())
        value = first.get("ns", "a").value
        assert second.get("ns", "a").value == value
        shown = await first.load(value)
        assert shown["apiVersion"] == "autoscaling/v1"
        assert shown["spec"]["targetCPUUtilizationPercentage"] == 50
        stored = await second.load(value)
        assert stored["apiVersion"] == "autoscaling/v2"
        target = {"type": "Utilization", "averageUtilization": 50}
        assert stored["spec"]["metrics"] == [
            {"type": "Resource", "resource": {"name": "cpu", "target": target}}
        ]
        assert stored["spec"]["minReplicas"] == 1

    asyncio.run(check())
