"""What the recorded cases cannot show: sizes, selectable fields, flags, and that nothing raises."""

from __future__ import annotations

import copy
import time
from base64 import b64encode
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubewright.server.kinds import Context, kind_of
from kubewright.server.kinds.core import KINDS
from kubewright.server.kinds.core.go_json_errors import go_object_error, go_syntax_error
from kubewright.server.kinds.core.tls_key_pair import key_pair_error
from tests.cases import check_each
from tests.server.kinds.harness import Case, Json, _resource, cases

CONTEXT = Context(now=datetime(2026, 1, 1, tzinfo=UTC))
MODULES = (
    "core_configmap",
    "core_endpoints",
    "core_event",
    "core_limitrange",
    "core_namespace",
    "core_node",
    "core_persistentvolume",
    "core_persistentvolumeclaim",
    "core_replicationcontroller",
    "core_resourcequota",
    "core_secret",
    "core_service",
    "core_serviceaccount",
    "events",
)
CASES = [case for module in MODULES for case in cases(module)]


def pruned(value: Any, data: st.DataObject) -> Any:
    """The value without some of its fields, at any depth."""
    if isinstance(value, dict):
        return {name: pruned(member, data) for name, member in value.items() if data.draw(st.integers(0, 4))}
    if isinstance(value, list):
        return [pruned(element, data) for element in value]
    return value


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=300)
@given(st.data())
def test_nothing_raises_whatever_is_missing(data: st.DataObject) -> None:
    case = data.draw(st.sampled_from(CASES))
    if len(str(case.obj)) > 10_000:
        return
    kind = kind_of(*_resource(case.obj))
    obj, old = pruned(case.obj, data), pruned(case.old or case.obj, data)
    for each in (obj, old):
        kind.default(each)
    created = copy.deepcopy(obj)
    kind.prepare_create(created, CONTEXT)
    kind.validate(created)
    kind.warnings(created, None)
    if kind.fields is not None:
        assert all(isinstance(value, str) for value in kind.fields(created).values())
    for rules in kind.subresources.values():
        changed = copy.deepcopy(obj)
        rules.prepare(changed, old, CONTEXT)
        rules.validate(changed, old)
        rules.warnings(changed, old)
    kind.prepare_update(obj, old, CONTEXT)
    kind.validate_update(obj, old)
    kind.warnings(obj, old)
    if kind.generation is not None:
        kind.generation(obj, old)


@pytest.mark.parametrize("module", MODULES)
def test_defaults_are_settled_by_one_run(module: str) -> None:
    def check(case: Case) -> None:
        kind = kind_of(*_resource(case.obj))
        obj = copy.deepcopy(case.obj)
        kind.default(obj)
        again = copy.deepcopy(obj)
        kind.default(again)
        assert again == obj

    check_each({case.name: case for case in cases(module)}, check)


def config_map(**fields: Any) -> Json:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, **fields}


MIB = 1024 * 1024


@pytest.mark.parametrize(
    ("fields", "fits"),
    [
        ({"data": {"a": "x" * MIB}}, True),
        ({"data": {"a": "x" * MIB, "b": "x"}}, False),
        ({"data": {"a": "ä" * (MIB // 2)}}, True),
        ({"data": {"a": "ä" * (MIB // 2), "b": "x"}}, False),
        ({"binaryData": {"a": b64encode(b"x" * MIB).decode()}}, True),
        ({"binaryData": {"a": b64encode(b"x" * (MIB + 1)).decode()}}, False),
        ({"binaryData": {"a": b64encode(b"x" * (MIB - 1)).decode()}, "data": {"b": "x"}}, True),
    ],
)
def test_sizes_of_config_maps(fields: Json, fits: bool) -> None:
    errors = KINDS["configmaps"].validate(config_map(**fields))
    assert [error.reason for error in errors] == ([] if fits else ["FieldValueTooLong"])


@pytest.mark.parametrize(("size", "fits"), [(MIB, True), (MIB + 1, False)])
def test_sizes_of_secrets(size: int, fits: bool) -> None:
    secret = {"type": "Opaque", "data": {"a": b64encode(b"x" * size).decode()}}
    assert [str(error) for error in KINDS["secrets"].validate(secret)] == (
        [] if fits else ["data: Too long: may not be more than 1048576 bytes"]
    )


@pytest.mark.parametrize(
    ("resource", "obj", "expected"),
    [
        ("namespaces", {"status": {"phase": "Active"}}, {"status.phase": "Active"}),
        ("nodes", {}, {"spec.unschedulable": "false"}),
        ("nodes", {"spec": {"unschedulable": True}}, {"spec.unschedulable": "true"}),
        ("secrets", {"type": "Opaque"}, {"type": "Opaque"}),
        (
            "services",
            {"spec": {"clusterIP": "None", "type": "ClusterIP"}},
            {"spec.clusterIP": "None", "spec.type": "ClusterIP"},
        ),
        ("replicationcontrollers", {"status": {"replicas": 3}}, {"status.replicas": "3"}),
        ("replicationcontrollers", {}, {"status.replicas": "0"}),
    ],
)
def test_selectable_fields(resource: str, obj: Json, expected: Json) -> None:
    fields = KINDS[resource].fields
    assert fields is not None
    assert fields(obj) == expected


def test_selectable_fields_of_events() -> None:
    involved = {name: name[0] for name in ("kind", "namespace", "name", "uid", "apiVersion")}
    event = {"involvedObject": involved, "reason": "r", "type": "Normal", "reportingComponent": "c"}
    core, events = KINDS["events"].fields, kind_of("events.k8s.io", "events").fields
    assert core is not None
    assert events is not None
    found = core(event)
    assert found["involvedObject.kind"] == "k"
    assert found["involvedObject.fieldPath"] == ""
    assert found["source"] == found["reportingComponent"] == "c"
    assert core({**event, "source": {"component": "s"}})["source"] == "s"
    told = events({"regarding": involved, "reason": "r", "reportingController": "c"})
    assert (told["regarding.uid"], told["reason"], told["reportingController"]) == ("u", "r", "c")
    assert "source" not in told
    assert "involvedObject.kind" not in told


def test_who_may_create_by_update() -> None:
    created_by_update = {name for name, kind in KINDS.items() if kind.allow_create_on_update}
    mine = set(KINDS) - {"pods", "podtemplates"}
    assert created_by_update & mine == {"endpoints", "events", "limitranges", "services"}


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ({"name": "n"}, []),
        ({"name": "n", "kind": "Node"}, []),
        (
            {"name": "n", "kind": "Pod"},
            ['target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"'],
        ),
        ({}, ["target.name: Required value"]),
    ],
)
def test_bindings(target: Json, expected: list[str]) -> None:
    assert [str(error) for error in KINDS["bindings"].validate({"target": target})] == expected


def test_a_limit_range_without_a_name_gets_one() -> None:
    obj: Json = {"metadata": {}}
    KINDS["limitranges"].prepare_create(obj, CONTEXT)
    assert len(obj["metadata"]["name"]) == 36


def test_the_label_of_a_namespace() -> None:
    kind = KINDS["namespaces"]
    label = "kubernetes.io/metadata.name"
    for metadata in ({"name": "a"}, {"name": "a", "labels": {label: "b"}}):
        obj: Json = {"metadata": metadata}
        kind.default(obj)
        assert obj["metadata"]["labels"] == {label: "a"}
    unnamed: Json = {"metadata": {"generateName": "a-"}}
    kind.default(unnamed)
    assert "labels" not in unnamed["metadata"]


def test_a_namespace_that_is_deleted_must_be_terminating() -> None:
    rules = KINDS["namespaces"].subresources["status"]
    metadata = {"deletionTimestamp": "2024-01-01T00:00:00Z"}
    assert rules.validate({"metadata": metadata, "status": {"phase": "Terminating"}}, {}) == []
    (error,) = rules.validate({"metadata": metadata, "status": {"phase": "Active"}}, {})
    assert str(error).startswith('status.Phase: Invalid value: "Active": may only be ')


@pytest.mark.parametrize(
    "text",
    [b"[" * MIB, b'{"a":' * (MIB // 5), b'"' + b"\\" * MIB, b"1" * MIB, b" " * MIB, b'{"a":1,' * (MIB // 7)],
    ids=["arrays", "objects", "escapes", "digits", "spaces", "members"],
)
def test_hostile_json_is_refused_soon(text: bytes) -> None:
    start = time.process_time()
    assert go_syntax_error(text) or go_object_error(text)
    assert time.process_time() - start < 10


def test_deep_json_within_the_limit_is_taken() -> None:
    assert go_object_error(b'{"a":' + b"[" * 9000 + b"]" * 9000 + b"}") == ""
    assert go_object_error(b'{"a":' + b"[" * 10000 + b"]" * 10000 + b"}") == "exceeded max depth"


@pytest.mark.parametrize(
    "text",
    [b"-----BEGIN A-----\n" * 50_000, b"-----BEGIN A-----\n" + b"a:b\n" * 250_000, b"-----BEGIN " * 90_000],
    ids=["begins", "headers", "one line"],
)
def test_hostile_pem_is_refused_soon(text: bytes) -> None:
    start = time.process_time()
    assert key_pair_error(text + b"\n-----END B-----\n", text)
    assert time.process_time() - start < 10


MANY = 20_000
HOSTILE: dict[str, tuple[str, Json]] = {
    "scopes": ("resourcequotas", {"spec": {"scopes": ["x"] * MANY}}),
    "scopes and resources": (
        "resourcequotas",
        {"spec": {"scopes": ["BestEffort"] * MANY, "hard": {f"hugepages-{n}": "1" for n in range(MANY)}}},
    ),
    "selectors": (
        "resourcequotas",
        {
            "spec": {
                "hard": {f"hugepages-{n}": "1" for n in range(MANY)},
                "scopeSelector": {
                    "matchExpressions": [{"scopeName": "BestEffort", "operator": "Exists"}] * MANY
                },
            }
        },
    ),
    "families": ("services", {"spec": {"ipFamilies": [f"x{n}" for n in range(MANY)]}}),
    "external ips": ("services", {"spec": {"externalIPs": [f"x{n}" for n in range(MANY)]}}),
    "ports": ("services", {"spec": {"ports": [{"port": n, "name": f"n{n}"} for n in range(MANY)]}}),
    "taints": ("nodes", {"spec": {"taints": [{"key": "a", "effect": "b"}] * MANY}}),
    "cidrs": ("nodes", {"spec": {"podCIDRs": ["x"] * MANY}}),
    "volume claims": (
        "persistentvolumeclaims",
        {"spec": {"selector": {"matchLabels": {f"a{n}": "b" for n in range(MANY)}}}},
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_large_objects_make_no_huge_answers(name: str) -> None:
    resource, obj = HOSTILE[name]
    kind = kind_of("", resource)
    start = time.process_time()
    kind.default(obj)
    errors = kind.validate(obj) + kind.validate_update(obj, {"spec": {}})
    assert errors
    assert sum(len(error.message) for error in errors) < 60_000_000
    assert time.process_time() - start < 10
