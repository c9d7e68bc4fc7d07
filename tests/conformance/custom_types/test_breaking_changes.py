"""A server does to stored objects what the check of two definitions says.

All changes of a table stand in one definition, each in a field of its own, with an object that has only that
field. The definition is updated once, and then each object is looked at.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from kubewright.crd.compatibility import BreakingChange, breaking_changes
from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from tests.conformance.client import Client
from tests.conformance.custom_resources import Widgets, define, definition, new_group, version
from tests.conformance.waiting import eventually
from tests.crd.compatibility_cases import BREAKING, Breaking
from tests.crd.harmless_cases import HARMLESS, Harmless
from tests.crd.stored_objects import keeps

Json = dict[str, Any]

FORBIDDEN = "no doubles"
"""A schema with uniqueItems, which no server takes."""
BROKEN = [case for case in BREAKING if case.name != FORBIDDEN]
ALWAYS_ASKED = {
    "an embedded resource",
    "metadata that embedded resources need not have",
    "a rule about changes that is always asked",
}
"""What no server lets pass for being unchanged; unknown fields never are."""
MARK: Json = {"type": "string", "default": "new"}
"""A field that only the new schema has, so that it is seen when the server has taken it up."""


@dataclass(frozen=True)
class Updated:
    """A definition that was updated, and its objects as they were before."""

    widgets: Widgets
    before: dict[str, Json]
    told: list[BreakingChange]

    def path(self, name: str = "") -> str:
        """Where an object is."""
        return f"{self.widgets.path('default')}/{name}".rstrip("/")


def _field(index: int) -> str:
    return f"f{index}"


def _spec(schemas: Sequence[Json], **more: Json) -> Json:
    properties = {_field(index): schema["properties"]["f"] for index, schema in enumerate(schemas)}
    spec = {"type": "object", "properties": {**properties, **more}}
    return {"type": "object", "properties": {"spec": spec}}


def _updated(client: Client, cases: Sequence[Breaking] | Sequence[Harmless]) -> Updated:
    group = new_group()
    old = definition(group, version(schema=_spec([case.old for case in cases])))
    new = definition(group, version(schema=_spec([case.new for case in cases], mark=MARK)))
    widgets = define(client, old)
    before: dict[str, Json] = {}
    for index, case in enumerate(cases):
        body = widgets.widget(_field(index), **{_field(index): case.spec["f"]})
        made = client.post(widgets.path("default"), body)
        assert made.status == 201, f"{case.name}: {made.text}"
        before[_field(index)] = made.json()
    _update(client, widgets, new)
    seen = f"{widgets.path('default')}/{_field(0)}"
    eventually(lambda: "mark" in client.get(seen).json()["spec"], "the new schema is not taken up")
    told = breaking_changes(CustomResourceDefinition.from_dict(old), CustomResourceDefinition.from_dict(new))
    return Updated(widgets, before, told)


def _update(client: Client, widgets: Widgets, new: Json) -> None:
    current = client.get(widgets.definition).json()
    answer = client.put(widgets.definition, {**current, "spec": new["spec"]})
    assert answer.status == 200, answer.text


@pytest.fixture(scope="module")
def broken(client: Client) -> Updated:
    """The definition with all breaking changes."""
    return _updated(client, BROKEN)


@pytest.fixture(scope="module")
def unharmed(client: Client) -> Updated:
    """The definition with all harmless changes."""
    return _updated(client, HARMLESS)


def _touched(obj: Json, **labels: str) -> Json:
    made = copy.deepcopy(obj)
    made["metadata"]["labels"] = labels
    return made


def _renamed(obj: Json) -> Json:
    return {**obj, "metadata": {"name": "another"}}


def test_each_change_is_told_once_and_no_other(broken: Updated, unharmed: Updated) -> None:
    told = [(change.path, change.kind) for change in broken.told]
    assert told == [
        (case.path.replace(".spec.f", f".spec.{_field(index)}"), case.kind)
        for index, case in enumerate(BROKEN)
    ]
    assert unharmed.told == []


@pytest.mark.parametrize(
    ("name", "case"),
    [(_field(index), case) for index, case in enumerate(BROKEN)],
    ids=[case.name for case in BROKEN],
)
def test_the_server_does_as_it_is_told(client: Client, broken: Updated, name: str, case: Breaking) -> None:
    read = client.get(broken.path(name))
    assert read.status == 200
    if case.kind == "lost":
        assert not keeps(read.json()["spec"], broken.before[name]["spec"])
        return
    refused = client.post(broken.path(), broken.widgets.widget("another", **{name: case.spec["f"]}))
    assert refused.status == 422, refused.text
    assert all(
        name in cause["field"] for cause in refused.json()["details"]["causes"] if cause["field"] != "<nil>"
    )
    # What is invalid passes as long as it does not change.
    touched = client.put(broken.path(name), _touched(read.json(), a="b"))
    assert touched.status == (422 if case.name in ALWAYS_ASKED else 200), touched.text


@pytest.mark.parametrize(
    ("name", "case"),
    [(_field(index), case) for index, case in enumerate(HARMLESS)],
    ids=[case.name for case in HARMLESS],
)
def test_what_is_not_told_does_nothing(client: Client, unharmed: Updated, name: str, case: Harmless) -> None:
    stored = unharmed.before[name]
    read = client.get(unharmed.path(name)).json()
    assert keeps(read["spec"], stored["spec"]), case.name
    assert client.post(unharmed.path(), _renamed(stored), dryRun="All").status == 201
    assert client.put(unharmed.path(name), _touched(read, a="b")).status == 200


def _sized(**size: Any) -> Json:
    properties = {"size": {"type": "integer", **size}}
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}


def _told(old: Json, new: Json) -> list[tuple[str, str, str]]:
    changes = breaking_changes(
        CustomResourceDefinition.from_dict(old), CustomResourceDefinition.from_dict(new)
    )
    return [(change.version, change.path, change.kind) for change in changes]


def test_an_update_that_touches_an_invalid_field_is_refused(client: Client) -> None:
    group = new_group()
    old = definition(group, version(schema=_sized(maximum=200)))
    new = definition(group, version(schema=_sized(maximum=100)))
    assert _told(old, new) == [("v1", ".spec.size", "invalid")]
    widgets = define(client, old)
    path = widgets.path("default")
    assert client.post(path, widgets.widget("a", size=150)).status == 201
    _update(client, widgets, new)
    large = widgets.widget("b", size=150)
    eventually(lambda: client.post(path, large, dryRun="All").status == 422, "the new schema is not taken up")
    read = client.get(f"{path}/a").json()
    assert read["spec"] == {"size": 150}
    kept = client.put(f"{path}/a", _touched(read, a="b"))
    assert kept.status == 200
    assert client.put(f"{path}/a", {**kept.json(), "spec": {"size": 151}}).status == 422
    assert client.put(f"{path}/a", {**kept.json(), "spec": {"size": 100}}).status == 200


def test_a_rule_about_changes_refuses_updates_alone(client: Client) -> None:
    group = new_group()
    rule = {"x-kubernetes-validations": [{"rule": "self >= oldSelf"}]}
    old, new = (definition(group, version(schema=_sized(**more))) for more in ({}, rule))
    assert _told(old, new) == [("v1", ".spec.size", "updates")]
    widgets = define(client, old)
    path = widgets.path("default")
    made = client.post(path, widgets.widget("a", size=5)).json()
    _update(client, widgets, new)
    lower = {**made, "spec": {"size": 4}}
    eventually(
        lambda: client.put(f"{path}/a", lower, dryRun="All").status == 422, "the new schema is not taken up"
    )
    assert client.post(path, widgets.widget("b", size=1)).status == 201
    assert client.put(f"{path}/a", {**made, "spec": {"size": 6}}).status == 200


def test_a_scale_subresource_refuses_negative_numbers(client: Client) -> None:
    group = new_group()
    scale = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}
    old = definition(group, version(schema=_sized()))
    new = definition(group, version(schema=_sized(), subresources={"scale": scale}))
    assert _told(old, new) == [("v1", ".spec.size", "invalid")]
    widgets = define(client, old)
    path = widgets.path("default")
    made = client.post(path, widgets.widget("a", size=-1))
    assert made.status == 201
    _update(client, widgets, new)
    eventually(lambda: client.get(f"{path}/a/scale").status != 404, "the subresource is not taken up")
    assert client.put(f"{path}/a", _touched(made.json(), a="b")).status == 422


def test_what_is_told_as_refused_is_refused(client: Client) -> None:
    group = new_group()
    old = definition(group)
    widgets = define(client, old)
    for fields, told in (
        ({"scope": "Cluster"}, ("", "spec.scope", "refused")),
        ({"names": {"plural": "widgets", "kind": "Gadget"}}, ("", "spec.names.kind", "refused")),
        ({"versions": [version(storage=False)]}, ("", "spec.versions", "refused")),
        ({"versions": [version("v2", storage=True)]}, ("v1", "", "refused")),
    ):
        new = definition(group, **fields)
        assert told in _told(old, new)
        current = client.get(widgets.definition).json()
        answer = client.put(widgets.definition, {**current, "spec": {**current["spec"], **new["spec"]}})
        assert answer.status == 422, answer.text


def test_another_storage_version_with_no_conversion_drops_fields(client: Client) -> None:
    group = new_group()
    free = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"count": MARK}}}}
    old = definition(group, version(schema=_sized()), version("v2", free))
    new = definition(group, version(schema=_sized(), storage=False), version("v2", free, storage=True))
    assert _told(old, new) == [("v2", ".spec.size", "lost")]
    widgets = define(client, old)
    path = widgets.path("default")
    assert client.post(path, widgets.widget("a", size=5)).status == 201
    _update(client, widgets, new)
    seen = client.get(f"{path}/a")
    assert seen.json()["spec"] == {"size": 5}
    turn = 0

    def rewritten() -> Json:
        nonlocal turn
        turn += 1
        read = client.get(f"{path}/a").json()
        answer = client.put(f"{path}/a", _touched(read, turn=str(turn)))
        assert answer.status == 200, answer.text
        spec: Json = answer.json()["spec"]
        return spec

    # The first writes may still go to the old storage version; those after that lose the field.
    eventually(lambda: "size" not in rewritten(), "the field is kept")
    assert client.get(f"{path}/a").json()["spec"] == {}
