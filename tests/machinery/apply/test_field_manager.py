"""Writes by several managers, with their managedFields."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery.apply import (
    LAST_APPLIED_ANNOTATION,
    ApplyConflict,
    FieldConflict,
    FieldManager,
    FieldSet,
    Manager,
    MissingVersion,
    Ownership,
    to_field_set,
)
from kubewright.machinery.errors import ParseError
from kubewright.machinery.schema import ANY
from tests.machinery.apply.things import FEW, SCHEMA, SPEC, values, without_empty

V1 = "example.com/v1"
NOW, LATER = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)
THINGS = FieldManager(SCHEMA, api_version=V1, kind="Thing")


def thing(spec: dict[str, Any] | None = None, **metadata: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"apiVersion": V1, "kind": "Thing", "metadata": {"name": "x", **metadata}}
    return made if spec is None else {**made, "spec": spec}


def apply(live: Any, spec: dict[str, Any], manager: str, *, force: bool = False) -> dict[str, Any]:
    return THINGS.apply(live, thing(spec), manager=manager, force=force, now=NOW)


def update(live: Any, spec: dict[str, Any], manager: str) -> dict[str, Any]:
    return THINGS.update(live, thing(spec), manager=manager, now=NOW)


def owned(obj: dict[str, Any]) -> dict[str, Any]:
    """The fields of spec that each manager owns."""
    return {
        f"{entry['manager']} {entry['operation']}": entry["fieldsV1"].get("f:spec")
        for entry in obj["metadata"].get("managedFields", [])
    }


def test_creating_makes_the_writer_the_owner() -> None:
    made = update(None, {"replicas": 1, "labels": {"a": "x"}}, "ann")
    assert made["metadata"]["managedFields"] == [
        {
            "manager": "ann",
            "operation": "Update",
            "apiVersion": V1,
            "time": "2026-01-01T00:00:00Z",
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:spec": {".": {}, "f:labels": {".": {}, "f:a": {}}, "f:replicas": {}}},
        }
    ]


def test_what_is_always_there_is_owned_by_nobody() -> None:
    things = FieldManager(SCHEMA, api_version=V1, kind="Thing", empty={"spec": {"set": None}, "status": {}})
    made = things.update(None, thing({"set": ["a"], "replicas": 1}), manager="ann", now=NOW)
    assert owned(made) == {"ann Update": {"f:replicas": {}, "f:set": {'v:"a"': {}}}}
    assert "status" not in made
    later = things.update(made, {**made, "status": {"phase": "p"}}, manager="bob", now=NOW)
    assert later["metadata"]["managedFields"][1]["fieldsV1"] == {"f:status": {"f:phase": {}}}


def test_an_update_takes_what_it_changes_and_frees_what_it_removes() -> None:
    live = update(None, {"replicas": 1, "text": "a", "flag": True}, "ann")
    live = update(live, {"replicas": 2, "text": "a"}, "bob")
    assert owned(live) == {"ann Update": {".": {}, "f:text": {}}, "bob Update": {"f:replicas": {}}}


def test_an_update_that_changes_nothing_leaves_the_times() -> None:
    live = update(None, {"replicas": 1}, "ann")
    again = THINGS.update(live, thing({"replicas": 1}), manager="ann", now=LATER)
    assert again == live
    changed = THINGS.update(live, thing({"replicas": 2}), manager="ann", now=LATER)
    assert changed["metadata"]["managedFields"][0]["time"] == "2026-01-02T00:00:00Z"


def test_conflicts_name_managers_and_fields() -> None:
    live = update(None, {"replicas": 1}, "ann")
    with pytest.raises(ApplyConflict) as one:
        apply(live, {"replicas": 2}, "bob")
    assert str(one.value) == (f'Apply failed with 1 conflict: conflict with "ann" using {V1}: .spec.replicas')
    assert one.value.conflicts == [FieldConflict(f'"ann" using {V1}', ".spec.replicas")]
    assert one.value.causes == [
        {
            "reason": "FieldManagerConflict",
            "message": f'conflict with "ann" using {V1}',
            "field": ".spec.replicas",
        }
    ]
    live = apply(live, {"containers": [{"name": "a", "image": "x"}], "text": "t"}, "cid")
    with pytest.raises(ApplyConflict) as many:
        apply(live, {"replicas": 2, "text": "u", "containers": [{"name": "a", "image": "y"}]}, "bob")
    assert str(many.value) == (
        f'Apply failed with 3 conflicts: conflicts with "ann" using {V1}:\n'
        "- .spec.replicas\n"
        'conflicts with "cid":\n'
        "- .spec.text\n"
        '- .spec.containers[name="a"].image'
    )
    assert str(pickle.loads(pickle.dumps(many.value))) == str(many.value)  # noqa: S301


def test_force_takes_over() -> None:
    live = apply(None, {"replicas": 1, "text": "t"}, "ann")
    live = apply(live, {"replicas": 2}, "bob", force=True)
    assert live["spec"] == {"replicas": 2, "text": "t"}
    assert owned(live) == {"ann Apply": {"f:text": {}}, "bob Apply": {"f:replicas": {}}}


def test_equal_values_are_shared() -> None:
    live = apply(None, {"replicas": 1}, "ann")
    shared = apply(live, {"replicas": 1}, "bob")
    assert owned(shared) == {"ann Apply": {"f:replicas": {}}, "bob Apply": {"f:replicas": {}}}
    # The object did not change, so there is no time at which the new manager changed it.
    assert "time" not in shared["metadata"]["managedFields"][0]
    left = apply(shared, {}, "ann")
    assert left["spec"] == {"replicas": 1}
    assert owned(left) == {"bob Apply": {"f:replicas": {}}, "ann Apply": {}}


def test_what_is_not_applied_any_more_goes() -> None:
    live = apply(
        None, {"replicas": 1, "labels": {"a": "x"}, "containers": [{"name": "a"}, {"name": "b"}]}, "ann"
    )
    live = update(live, {**live["spec"], "text": "t"}, "bob")
    live = apply(live, {"containers": [{"name": "b"}]}, "ann")
    assert live["spec"] == {"containers": [{"name": "b"}], "text": "t"}


def test_an_element_stays_while_another_owns_something_in_it() -> None:
    live = apply(None, {"containers": [{"name": "a", "image": "x"}]}, "ann")
    live = apply(live, {"containers": [{"name": "a", "args": ["v"]}]}, "bob")
    live = apply(live, {"containers": []}, "ann")
    assert live["spec"] == {"containers": [{"name": "a", "args": ["v"]}]}


def test_what_nobody_owns_stays_in_an_element_that_stays() -> None:
    live = apply(None, {"containers": [{"name": "a", "image": "x"}, {"name": "b"}]}, "ann")
    live["spec"]["containers"][0]["limits"] = {"cpu": "1"}
    live = apply(live, {"containers": [{"name": "a"}]}, "ann")
    assert live["spec"] == {"containers": [{"name": "a", "limits": {"cpu": "1"}}]}


def test_metadata_that_the_server_sets_is_never_owned() -> None:
    body = thing(None, uid="u", resourceVersion="1", generation=1, namespace="n", labels={"a": "b"})
    made = THINGS.update(None, body, manager="ann", now=NOW)
    assert made["metadata"]["managedFields"][0]["fieldsV1"] == {
        "f:metadata": {"f:labels": {".": {}, "f:a": {}}}
    }
    assert "managedFields" not in THINGS.update(None, thing(), manager="ann", now=NOW)["metadata"]


def test_managers_without_a_name_are_unknown() -> None:
    assert owned(update(None, {"replicas": 1}, "")) == {"unknown Update": {".": {}, "f:replicas": {}}}


def test_an_object_without_managers_gets_them_with_its_first_apply() -> None:
    live = thing({"replicas": 1}, uid="u")
    untracked = THINGS.update(live, thing({"replicas": 2}, uid="u"), manager="ann", now=NOW)
    assert untracked == thing({"replicas": 2}, uid="u")
    with pytest.raises(ApplyConflict, match=r'conflict with "before-first-apply" using'):
        apply(untracked, {"replicas": 3}, "bob")
    tracked = apply(untracked, {"text": "t"}, "bob")
    assert owned(tracked) == {
        "bob Apply": {"f:text": {}},
        "before-first-apply Update": {".": {}, "f:replicas": {}},
    }


def test_clients_can_edit_managers_but_not_lose_them_by_accident() -> None:
    live = update(None, {"replicas": 1}, "ann")
    live["metadata"]["uid"] = "u"
    renamed = copy.deepcopy(live)
    renamed["metadata"]["managedFields"][0]["manager"] = "eve"
    assert owned(THINGS.update(live, renamed, manager="bob", now=NOW)).keys() == {"eve Update"}
    for forgetful in (None, [{"manager": "x", "operation": "Nonsense"}], "nonsense"):
        sent = thing({"replicas": 1}, managedFields=forgetful)
        assert owned(THINGS.update(live, sent, manager="bob", now=NOW)).keys() == {"ann Update"}
    resets: list[list[dict[str, Any]]] = [[], [{}]]
    for empty in resets:
        sent = thing({"replicas": 1}, managedFields=empty, uid="u")
        assert THINGS.update(live, sent, manager="bob", now=NOW) == thing({"replicas": 1}, uid="u")


def test_managers_sent_to_a_subresource_are_ignored() -> None:
    status = FieldManager(
        SCHEMA,
        api_version=V1,
        kind="Thing",
        subresource="status",
        ignore={V1: FieldSet.from_json({"f:spec": {}})},
    )
    live = update(None, {"replicas": 1}, "ann")
    sent = {
        **live,
        "metadata": {"name": "x", "managedFields": []},
        "status": {"phase": "p"},
        "spec": {"replicas": 9},
    }
    after = status.update(live, sent, manager="kubelet", now=NOW)
    assert [entry.get("subresource") for entry in after["metadata"]["managedFields"]] == [None, "status"]
    assert owned(after) == {"ann Update": {".": {}, "f:replicas": {}}, "kubelet Update": None}


def test_invalid_objects_are_refused_or_left_untracked() -> None:
    live = update(None, {"replicas": 1}, "ann")
    bad = thing({"nope": 1})
    with pytest.raises(
        ParseError, match=r"\(/x; example.com/v1, Kind=Thing\): .spec.nope: field not declared"
    ):
        THINGS.update(live, bad, manager="bob", now=NOW)
    assert THINGS.update_no_errors(live, bad, manager="bob", now=NOW) == bad
    with pytest.raises(ParseError, match=r"failed to create typed patch object .*\.spec\.nope"):
        THINGS.apply(live, bad, manager="bob", now=NOW)
    with pytest.raises(ParseError, match="duplicate entries"):
        apply(live, {"set": ["a", "a"]}, "bob")


def test_configs_must_be_of_the_kind_and_without_managers() -> None:
    with pytest.raises(ParseError, match="invalid object type: /v1, Kind=Pod"):
        THINGS.apply(None, {"apiVersion": "v1", "kind": "Pod"}, manager="a", now=NOW)
    with pytest.raises(ParseError, match=r"metadata\.managedFields must be nil"):
        THINGS.apply(None, thing({}, managedFields=[]), manager="a", now=NOW)


def test_deep_nesting_is_a_clear_error() -> None:
    deep: Any = 1
    for _ in range(3000):
        deep = {"a": deep}
    with pytest.raises(ParseError, match="nested too deeply"):
        update(thing({"free": {}}), {"free": deep}, "ann")
    assert THINGS.update_no_errors(None, thing({"free": deep}), manager="a", now=NOW)["kind"] == "Thing"


def test_kubectl_takes_over_from_its_client_side_apply() -> None:
    annotation = (
        '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"x"},"spec":{"replicas":1}}'
    )
    annotations = {LAST_APPLIED_ANNOTATION: annotation}
    live = THINGS.update(
        None, thing({"replicas": 1}, annotations=annotations), manager="kubectl-client-side-apply", now=NOW
    )
    with pytest.raises(ApplyConflict):
        apply(live, {"replicas": 2}, "somebody")
    after = apply(live, {"replicas": 2}, "kubectl")
    assert after["spec"] == {"replicas": 2}
    assert after["metadata"]["annotations"][LAST_APPLIED_ANNOTATION] == (
        '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"x"},"spec":{"replicas":2}}\n'
    )
    changed = update(live, {"replicas": 5}, "bob")
    changed["metadata"]["annotations"] = annotations
    with pytest.raises(ApplyConflict, match='"bob"'):
        apply(changed, {"replicas": 2}, "kubectl")


def test_managers_of_versions_that_are_gone_are_dropped() -> None:
    def convert(obj: dict[str, Any], version: str) -> dict[str, Any]:
        raise MissingVersion(version)

    ownership = Ownership(ANY, "v2", convert=convert)
    gone = Manager("ann", "Update", "v1", to_field_set({"a": 1}, ANY))
    live = {"apiVersion": "v2", "a": 1}
    bob = Manager("bob", "Update", "v2", FieldSet(), time="t")
    assert ownership.update(live, {**live, "a": 2}, {gone.key: gone}, bob) == {
        bob.key: bob.owning(to_field_set({"a": 2}, ANY))
    }
    cid = Manager("cid", "Apply", "v2", FieldSet(), time="t")
    merged, managers = ownership.apply(live, {"apiVersion": "v2", "a": 3}, {gone.key: gone}, cid)
    assert merged == {"apiVersion": "v2", "a": 3}
    assert list(managers) == [cid.key]


CONFIGS = values(SPEC).filter(lambda value: value is not None)


@FEW
@given(live=values(SPEC, duplicates=True), config=CONFIGS)
def test_applying_twice_is_applying_once(live: Any, config: Any) -> None:
    start = THINGS.update(None, {**thing(), "spec": live}, manager="ann", now=NOW)
    before = copy.deepcopy((start, config))
    once = apply(start, config, "bob", force=True)
    assert (start, config) == before
    twice = THINGS.apply(once, thing(config), manager="bob", now=LATER)
    assert twice == once


@FEW
@given(first=CONFIGS, second=CONFIGS, force=st.booleans())
def test_applying_nothing_removes_only_what_is_ones_own(first: Any, second: Any, force: bool) -> None:
    # Empty containers are owned by nobody, and go with what upstream removes around them.
    first, second = without_empty(first), without_empty(second)
    alone = apply(None, first, "ann")
    try:
        both = apply(alone, second, "bob", force=force)
    except ApplyConflict:
        assert not force
        return
    left = THINGS.apply(both, thing(), manager="bob", now=LATER)
    named = {
        entry["manager"]: FieldSet.from_json(entry["fieldsV1"]) for entry in both["metadata"]["managedFields"]
    }
    kept = named.get("ann", FieldSet())
    assert not kept.leaves() - to_field_set(left, SCHEMA)
    own = named.get("bob", FieldSet()) - kept
    assert not own.leaves() & to_field_set(left, SCHEMA).leaves() - kept
    assert "bob" not in {entry["manager"] for entry in left["metadata"].get("managedFields", [])}
