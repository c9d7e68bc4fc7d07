"""The rules of metadata: against a real kube-apiserver, and by hand where it lets nobody come that far."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery.names import is_path_segment_name, name_is_dns_label, name_is_dns_subdomain
from kubewright.server.kinds.metadata_rules import (
    byte_length,
    validate_annotations,
    validate_conditions,
    validate_immutable,
    validate_kube_finalizers,
    validate_label_selector,
    validate_labels,
    validate_non_negative,
    validate_object_meta,
    validate_object_meta_update,
)
from tests.server.kinds.harness import Case, Json
from tests.server.kinds.metadata_cases import ANSWERS, CREATES, UPDATES, deleted

RECORDED: Json = json.loads(ANSWERS.read_text())


def of_config_map(metadata: Json) -> list[Any]:
    errors = validate_object_meta(metadata, namespaced=True, name_rule=name_is_dns_subdomain)
    return errors + validate_kube_finalizers(metadata.get("finalizers"))


@pytest.mark.parametrize("case", CREATES, ids=[case.name for case in CREATES])
def test_creates_as_the_real_server(case: Case) -> None:
    found = of_config_map({"namespace": "default", **case.obj["metadata"]})
    assert [list(error) for error in found] == RECORDED[case.name]


def any_segment(name: str, *, prefix: bool = False) -> list[str]:
    return is_path_segment_name(name)


@pytest.mark.parametrize("case", UPDATES, ids=[case.name for case in UPDATES])
def test_updates_as_the_real_server(case: Case) -> None:
    assert case.old is not None
    system = {
        "namespace": "default",
        "uid": "u",
        "resourceVersion": "1",
        "creationTimestamp": "2024-01-01T00:00:00Z",
    }
    old = {**case.old["metadata"], **system}
    # What the server does itself before it validates.
    new = {**system, **case.obj["metadata"], "creationTimestamp": old["creationTimestamp"]}
    new.pop("generation", None)
    if deleted(case):
        going = {"deletionTimestamp": "2024-01-01T00:00:00Z", "deletionGracePeriodSeconds": 0}
        old, new = old | going, new | going
    update = validate_object_meta_update(new, old)
    # The server's own check comes before that of the kind, and the kind's includes that of a create.
    errors = validate_object_meta(new, namespaced=True, name_rule=any_segment) + update
    errors += update + validate_kube_finalizers(new.get("finalizers")) + of_config_map(new)
    assert [list(error) for error in errors] == RECORDED[case.name]


GOOD = {"name": "a", "namespace": "b", "uid": "u", "resourceVersion": "1"}


def told(errors: list[Any]) -> list[str]:
    return [str(error) for error in errors]


@pytest.mark.parametrize(
    ("metadata", "namespaced", "expected"),
    [
        ({}, False, ["metadata.name: Required value: name or generateName is required"]),
        ({"name": "a"}, True, ["metadata.namespace: Required value"]),
        ({"name": "a", "namespace": "x"}, False, ["metadata.namespace: Forbidden: not allowed on this type"]),
        (
            {"name": "a", "namespace": "a.b"},
            True,
            ['metadata.namespace: Invalid value: "a.b": must not contain dots'],
        ),
        (
            {**GOOD, "generation": -1},
            True,
            ["metadata.generation: Invalid value: -1: must be greater than or equal to 0"],
        ),
        ({**GOOD, "generation": 1, "managedFields": []}, True, []),
    ],
)
def test_what_requests_cannot_reach(metadata: Json, namespaced: bool, expected: list[str]) -> None:
    assert (
        told(validate_object_meta(metadata, namespaced=namespaced, name_rule=name_is_dns_label)) == expected
    )


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"operation": "Update", "manager": "m"}, []),
        ({"operation": "Apply", "fieldsType": "FieldsV1", "subresource": "s" * 256}, []),
        ({"manager": "m"}, ['operation: Invalid value: "": must be `Apply` or `Update`']),
        ({"operation": "x"}, ['operation: Invalid value: "x": must be `Apply` or `Update`']),
        (
            {"operation": "Update", "fieldsType": "FieldsV2"},
            ['fieldsType: Invalid value: "FieldsV2": must be `FieldsV1`'],
        ),
        ({"operation": "Update", "manager": "m" * 128}, []),
        (
            {"operation": "Update", "manager": "m" * 129},
            ["manager: Too long: may not be more than 128 bytes"],
        ),
        ({"operation": "Update", "manager": "ä" * 65}, ["manager: Too long: may not be more than 128 bytes"]),
        ({"operation": "Update", "manager": "ä"}, []),
        (
            {"operation": "Update", "manager": "ä\tb\u2028"},
            [
                'manager: Invalid value: "ä\\tb\\u2028": invalid character U+0009 (at position 2)',
                'manager: Invalid value: "ä\\tb\\u2028": invalid character U+2028 (at position 4)',
            ],
        ),
        (
            {"operation": "Update", "subresource": "s" * 257},
            ["subresource: Too long: may not be more than 256 bytes"],
        ),
    ],
)
def test_managed_fields(entry: Json, expected: list[str]) -> None:
    metadata = {**GOOD, "managedFields": [{"operation": "Apply"}, entry]}
    found = told(validate_object_meta(metadata, namespaced=True, name_rule=name_is_dns_subdomain))
    assert found == [f"metadata.managedFields[1].{text}" for text in expected]
    assert told(validate_object_meta_update(metadata, GOOD)) == found


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, []),
        (
            {"resourceVersion": ""},
            ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
        ),
        ({"generation": 1}, ["metadata.generation: Invalid value: 1: must not be decremented"]),
        ({"name": "x"}, ['metadata.name: Invalid value: "x": field is immutable']),
        ({"namespace": None}, ['metadata.namespace: Invalid value: "": field is immutable']),
        ({"uid": "x"}, ['metadata.uid: Invalid value: "x": field is immutable']),
        (
            {"creationTimestamp": "2025-01-01T00:00:00Z"},
            ['metadata.creationTimestamp: Invalid value: "2025-01-01T00:00:00Z": field is immutable'],
        ),
        (
            {"creationTimestamp": None},
            ["metadata.creationTimestamp: Invalid value: null: field is immutable"],
        ),
        # Finalizers are not looked at here, but by what the kind checks of a create.
        ({"finalizers": ["a b"]}, []),
    ],
)
def test_what_an_update_may_not_change(change: Json, expected: list[str]) -> None:
    old = {**GOOD, "generation": 2, "creationTimestamp": "2024-01-01T00:00:00Z"}
    assert told(validate_object_meta_update({**old, **change}, old)) == expected


def test_immutable_fields() -> None:
    assert validate_immutable("a", "a", "p") == []
    assert validate_immutable(None, [], "p") == []
    assert validate_immutable([], None, "p") == []
    assert told(validate_immutable({}, None, "p")) == ["p: Invalid value: {}: field is immutable"]
    assert told(validate_immutable(None, 0, "p")) == ["p: Invalid value: null: field is immutable"]
    assert told(validate_immutable(0, "", "p")) == ["p: Invalid value: 0: field is immutable"]
    assert validate_non_negative(0, "p") == []
    assert told(validate_non_negative(-1, "p")) == [
        "p: Invalid value: -1: must be greater than or equal to 0"
    ]


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        (None, []),
        ({}, []),
        ({"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "a", "operator": "Exists"}]}, []),
        (
            {"matchExpressions": [{"key": "a", "operator": "In"}]},
            ["s.matchExpressions[0].values: Required value", "specified when `operator` is 'In' or 'NotIn'"],
        ),
        (
            {"matchExpressions": [{"key": "a", "operator": "DoesNotExist", "values": ["b"]}]},
            ["s.matchExpressions[0].values: Forbidden", "when `operator` is 'Exists' or 'DoesNotExist'"],
        ),
        (
            {"matchExpressions": [{"key": "a", "operator": "x"}]},
            ['s.matchExpressions[0].operator: Invalid value: "x": not a valid selector operator'],
        ),
        (
            {"matchExpressions": [{"operator": "Exists"}]},
            ["s.matchExpressions[0].key", "name part must be non-empty"],
        ),
        ({"matchLabels": {"a": "b c"}}, ["s.matchLabels", '"b c": a valid label must be']),
    ],
)
def test_label_selectors(selector: Json | None, expected: list[str]) -> None:
    found = told(validate_label_selector(selector, "s"))
    assert len(found) >= bool(expected)
    assert all(text in "; ".join(found) for text in expected)
    assert bool(found) == bool(expected)


def test_stored_label_selectors_may_have_values_that_no_label_can_have() -> None:
    selector = {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b", "c d"]}]}
    found = validate_label_selector(selector, "s")
    assert [error.field for error in found] == ["s.matchExpressions[0].values[1]"]
    assert validate_label_selector(selector, "s", allow_invalid_values=True) == []


CONDITION = {"type": "A", "status": "True", "lastTransitionTime": "2024-01-01T00:00:00Z", "reason": "R"}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, []),
        ({"type": ""}, ["c[0].type: Invalid value"]),
        (
            {"status": "x"},
            ['c[0].status: Unsupported value: "x": supported values: "False", "True", "Unknown"'],
        ),
        (
            {"observedGeneration": -1},
            ["c[0].observedGeneration: Invalid value: -1: must be greater than or equal to zero"],
        ),
        ({"lastTransitionTime": None}, ["c[0].lastTransitionTime: Required value"]),
        ({"reason": ""}, ["c[0].reason: Required value"]),
        ({"reason": "A:"}, ["c[0].reason: Invalid value", "'[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')"]),
        ({"reason": "a" * 1025}, ["c[0].reason: Too long: may not be more than 1024 bytes"]),
        ({"message": "a" * 32769}, ["c[0].message: Too long: may not be more than 32768 bytes"]),
    ],
)
def test_conditions(change: Json, expected: list[str]) -> None:
    found = told(validate_conditions([{**CONDITION, **change}], "c"))
    assert bool(found) == bool(expected)
    assert all(text in "; ".join(found) for text in expected)


def test_conditions_of_the_same_type() -> None:
    found = told(validate_conditions([CONDITION, CONDITION, {**CONDITION, "type": "B"}], "c"))
    assert found == ['c[1].type: Duplicate value: "A"']
    assert validate_conditions(None, "c") == []


TEXTS = st.text(st.sampled_from("aZ0-_./ ä\n\ud800"), max_size=70) | st.text(max_size=5)


@given(st.dictionaries(TEXTS, TEXTS, max_size=3))
def test_the_short_way_finds_what_the_long_way_finds(labels: dict[str, str]) -> None:
    from kubewright.machinery.names import is_qualified_name, is_valid_label_value

    bad_keys = [key for key in labels if is_qualified_name(key)]
    bad_values = [value for value in labels.values() if is_valid_label_value(value)]
    assert bool(validate_labels(labels, "l")) == bool(bad_keys or bad_values)
    # No text makes it fail, whatever it holds.
    validate_annotations(labels, "a")
    for text in labels:
        assert byte_length(text) >= len(text)


def test_large_metadata_makes_no_huge_answers() -> None:
    owners = [
        {"apiVersion": "v1", "kind": "Pod", "name": f"p{n}", "uid": "u", "controller": True}
        for n in range(9000)
    ]
    managers = [{"operation": "Update", "manager": "\x01" * 100_000}]
    metadata = {**GOOD, "ownerReferences": owners, "managedFields": managers}
    errors = validate_object_meta(metadata, namespaced=True, name_rule=name_is_dns_subdomain)
    assert [error.field for error in errors].count("metadata.ownerReferences") == 10
    assert sum(len(error.message) for error in errors) < 60_000_000
