"""Sequences of writes by several managers against kube-apiserver's own field manager."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery.apply import ApplyConflict, FieldManager, FieldSet, MissingVersion
from kubewright.machinery.errors import ParseError
from kubewright.machinery.schema import ANY
from tests.conftest import Oracle
from tests.machinery.apply.things import DEFINITIONS, FREE, SCHEMA, SPEC, values

pytestmark = pytest.mark.oracle

V1, V2, GONE = "example.com/v1", "example.com/v2", "example.com/v0"
START = datetime(2001, 1, 1, tzinfo=UTC)
RENAMED = {"replicas": "count", "set": "strings", "labels": "points"}


def wire_time(step: int) -> str:
    return (START + timedelta(days=step)).strftime("%Y-%m-%dT%H:%M:%SZ")


def normal(obj: dict[str, Any], now: str) -> dict[str, Any]:
    """An object and its managers as the oracle shows them."""
    metadata = dict(obj.get("metadata") or {})
    entries = [
        {
            "manager": entry.get("manager", ""),
            "operation": entry["operation"],
            "apiVersion": entry["apiVersion"],
            "subresource": entry.get("subresource", ""),
            "fieldsType": entry["fieldsType"],
            "time": "NOW" if entry.get("time") == now else entry.get("time", ""),
            "fieldsV1": entry["fieldsV1"],
        }
        for entry in metadata.pop("managedFields", [])
    ]
    bare = {**obj, "metadata": metadata} if "metadata" in obj and obj["metadata"] is not None else obj
    return {"object": bare, "managedFields": entries}


def check_write(
    oracle: Oracle,
    managers: dict[str, FieldManager],
    step: int,
    live: dict[str, Any] | None,
    question: dict[str, Any],
) -> dict[str, Any] | None:
    """Asks both for one write; the object after it, None when both refuse."""
    now = START + timedelta(days=step)
    version = question["apiVersion"]
    answer = oracle.ask("apply.write", {"kind": "Thing", "live": live, **question})
    mine: dict[str, Any] = {}
    result: dict[str, Any] | None = None
    refusal = ""
    writer = managers[version + question.get("subresource", "")]
    before = json.dumps([live, question["object"]])
    try:
        if question["op"] == "apply":
            result = writer.apply(
                live, question["object"], manager=question["manager"], force=question["force"], now=now
            )
        else:
            result = writer.update(live, question["object"], manager=question["manager"], now=now)
        mine = normal(result, wire_time(step))
    except ApplyConflict as conflict:
        mine = {"conflict": str(conflict), "causes": conflict.causes}
        answer["causes"] = sorted(answer["causes"], key=lambda cause: (cause["message"], cause["field"]))
        mine["causes"] = sorted(mine["causes"], key=lambda cause: (cause["message"], cause["field"]))
    except ParseError as error:
        refusal = str(error)
    if refusal:
        assert "refused" in answer, f"{refusal} but upstream answers {answer}"
        return None
    assert json.dumps([live, question["object"]]) == before, "the arguments were changed"
    for entry in answer.get("managedFields", []):
        entry["fieldsV1"] = json.loads(entry["fieldsV1"])
    assert mine == answer
    return result


def thing(spec: Any, version: str = V1, **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": version, "kind": "Thing", "metadata": {"name": "x", **metadata}, "spec": spec}


MANAGERS = st.sampled_from(["ann", "bob", "kubectl", "cid"])


@st.composite
def writes(draw: st.DrawFn) -> dict[str, Any]:
    op = draw(st.sampled_from(["apply", "apply", "update"]))
    body = thing(draw(values(SPEC, op == "update")))
    for name in ("labels", "annotations"):
        if draw(st.booleans()):
            body["metadata"][name] = draw(st.dictionaries(st.sampled_from("ab"), st.sampled_from("xy")))
    if draw(st.sampled_from([True, False, False])):
        body["status"] = {"phase": draw(st.sampled_from("xy"))}
    if draw(st.sampled_from([True] + [False] * 9)):
        del body["spec"]
    return {
        "op": op,
        "object": body,
        "manager": draw(MANAGERS),
        "force": draw(st.booleans()),
        "subresource": draw(st.sampled_from(["", "", "", "status"])),
    }


def following(live: dict[str, Any], question: dict[str, Any], keep: bool) -> dict[str, Any]:
    """A write as a client makes it that read the object: with its managedFields, and most of its fields."""
    if question["op"] != "update":
        return question
    body = question["object"]
    metadata = {**live["metadata"], **body["metadata"]}
    if not keep:
        metadata.pop("managedFields", None)
    spec = body.get("spec")
    if isinstance(spec, dict) and isinstance(live.get("spec"), dict):
        spec = {**live["spec"], **spec}
    return {**question, "object": {**live, **body, "metadata": metadata, "spec": spec}}


@given(sequence=st.lists(writes(), min_size=2, max_size=6), keep=st.booleans())
def test_writes_leave_what_they_leave_upstream(
    oracle: Oracle, sequence: list[dict[str, Any]], keep: bool
) -> None:
    managers = {
        V1: FieldManager(SCHEMA, api_version=V1, kind="Thing"),
        V1 + "status": FieldManager(SCHEMA, api_version=V1, kind="Thing", subresource="status"),
    }
    live: dict[str, Any] | None = None
    for step, write in enumerate(sequence):
        question = {**write, "apiVersion": V1, "definitions": DEFINITIONS}
        if live is not None:
            question = following(live, question, keep)
        result = check_write(oracle, managers, step, live, question)
        if result is not None:
            metadata = {**(result.get("metadata") or {}), "uid": "u"}
            live = {**result, "metadata": metadata}


@given(
    sequence=st.lists(
        st.tuples(st.sampled_from(["apply", "update"]), FREE, MANAGERS, st.booleans()), min_size=2, max_size=6
    )
)
def test_writes_without_schema_leave_what_they_leave_upstream(
    oracle: Oracle, sequence: list[tuple[str, Any, str, bool]]
) -> None:
    managers = {V1: FieldManager(ANY, api_version=V1, kind="Thing")}
    live = None
    for step, (op, spec, manager, force) in enumerate(sequence):
        question = {"op": op, "object": thing(spec), "manager": manager, "force": force, "apiVersion": V1}
        live = check_write(oracle, managers, step, live, question) or live


@given(
    sequence=st.lists(
        st.tuples(values(SPEC), st.sampled_from(["ann", "bob"]), st.sampled_from(["same", "more", "other"])),
        min_size=3,
        max_size=7,
    )
)
def test_appliers_that_mostly_repeat_themselves(oracle: Oracle, sequence: list[tuple[Any, str, str]]) -> None:
    managers = {V1: FieldManager(SCHEMA, api_version=V1, kind="Thing")}
    live: dict[str, Any] | None = None
    said: dict[str, Any] = {}
    for step, (drawn, manager, how) in enumerate(sequence):
        spec = drawn
        before = said.get(manager)
        if isinstance(before, dict) and isinstance(drawn, dict):
            spec = before if how == "same" else {**before, **drawn} if how == "more" else drawn
        said[manager] = spec
        question = {"op": "apply", "object": thing(spec), "manager": manager, "force": step % 3 == 0}
        question |= {"apiVersion": V1, "definitions": DEFINITIONS}
        live = check_write(oracle, managers, step, live, question) or live
        if live is not None and step % 2 and isinstance(live.get("spec"), dict):
            # Somebody writes past the field manager, so that there is something that nobody owns.
            live = {**live, "spec": {**live["spec"], "free": {"dangling": {"a": []}}}}


def convert(obj: dict[str, Any], version: str) -> dict[str, Any]:
    """Between versions that differ in the names of some fields of spec."""
    if version not in (V1, V2):
        raise MissingVersion(version)
    names = RENAMED if version == V2 else {new: old for old, new in RENAMED.items()}
    spec = obj.get("spec")
    if isinstance(spec, dict):
        spec = {names.get(name, name): member for name, member in spec.items()}
        obj = {**obj, "spec": spec}
    return {**obj, "apiVersion": version}


@st.composite
def versioned(draw: st.DrawFn) -> dict[str, Any]:
    version = draw(st.sampled_from([V1, V2]))
    spec: dict[str, Any] = {}
    first, second, third = ("replicas", "set", "labels") if version == V1 else ("count", "strings", "points")
    if draw(st.booleans()):
        spec[first] = draw(st.integers(0, 2))
    if draw(st.booleans()):
        spec[second] = draw(st.lists(st.sampled_from("abc"), unique=True, max_size=3))
    if draw(st.booleans()):
        spec[third] = draw(st.dictionaries(st.sampled_from("abc"), st.integers(0, 2), max_size=3))
    return {
        "op": draw(st.sampled_from(["apply", "update"])),
        "object": thing(spec, version),
        "manager": draw(st.sampled_from(["ann", "bob"])),
        "force": draw(st.booleans()),
        "apiVersion": version,
    }


@given(sequence=st.lists(versioned(), min_size=2, max_size=6), drop=st.integers(0, 6))
def test_managers_of_other_versions_are_converted_or_dropped_as_upstream_does(
    oracle: Oracle, sequence: list[dict[str, Any]], drop: int
) -> None:
    managers = {
        version: FieldManager(ANY, api_version=version, kind="Thing", convert=convert) for version in (V1, V2)
    }
    live: dict[str, Any] | None = None
    for step, write in enumerate(sequence):
        version = write["apiVersion"]
        if live is not None:
            live = convert(live, version)
            if step == drop:  # a manager whose version is served no more
                for entry in live["metadata"].get("managedFields", [])[:1]:
                    entry["apiVersion"] = GONE
        question = {**write, "versions": {V1: {}, V2: RENAMED}}
        live = check_write(oracle, managers, step, live, question) or live


@given(sequence=st.lists(writes(), min_size=2, max_size=5))
def test_reset_fields_are_ignored_as_upstream_does(oracle: Oracle, sequence: list[dict[str, Any]]) -> None:
    spec_only: dict[str, Any] = {"f:status": {}, "f:metadata": {"f:labels": {}}}
    status_only: dict[str, Any] = {"f:spec": {}, "f:metadata": {"f:annotations": {"f:a": {}}}}
    managers = {
        V1: FieldManager(SCHEMA, api_version=V1, kind="Thing", ignore={V1: FieldSet.from_json(spec_only)}),
        V1 + "status": FieldManager(
            SCHEMA,
            api_version=V1,
            kind="Thing",
            subresource="status",
            ignore={V1: FieldSet.from_json(status_only)},
        ),
    }
    live: dict[str, Any] | None = None
    for step, write in enumerate(sequence):
        reset = status_only if write["subresource"] else spec_only
        question = {**write, "apiVersion": V1, "definitions": DEFINITIONS, "reset": {V1: reset}}
        live = check_write(oracle, managers, step, live, question) or live


@given(count=st.integers(9, 25), versions=st.lists(st.sampled_from([V1, V2]), min_size=25, max_size=25))
def test_update_managers_are_capped_as_upstream_does(oracle: Oracle, count: int, versions: list[str]) -> None:
    managers = {version: FieldManager(ANY, api_version=version, kind="Thing") for version in (V1, V2)}
    live: dict[str, Any] | None = None
    for step in range(count):
        spec = {**(live or {}).get("spec", {}), f"field{step}": step}
        body = {**(live or {}), **thing(spec, versions[step])}
        if live is not None:
            live = {**live, "apiVersion": versions[step]}
        question = {"op": "update", "object": body, "manager": f"m{step % 13}", "apiVersion": versions[step]}
        live = check_write(oracle, managers, step, live, question)
        assert live is not None
        for entry in live["metadata"]["managedFields"]:
            # Several writes in one second make ties, which upstream breaks by name.
            if entry["time"] == wire_time(step):
                entry["time"] = wire_time(step // 3 * 3)


ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"
SMALL_SPECS = st.fixed_dictionaries(
    {},
    optional={
        "replicas": st.integers(0, 1),
        "text": st.sampled_from("xy"),
        "set": st.lists(st.just("a"), max_size=1),
    },
)


@given(
    applied=SMALL_SPECS,
    last=SMALL_SPECS,
    config=SMALL_SPECS,
    other=SMALL_SPECS,
    manager=st.sampled_from(["kubectl", "kubectl", "bob"]),
    broken=st.sampled_from(["", "", "", "{", '{"apiVersion":"v9","kind":"Thing"}']),
    annotated=st.booleans(),
)
def test_kubectl_comes_from_client_side_apply_as_upstream_lets_it(
    oracle: Oracle,
    applied: dict[str, Any],
    last: dict[str, Any],
    config: dict[str, Any],
    other: dict[str, Any],
    manager: str,
    broken: str,
    annotated: bool,
) -> None:
    managers = {V1: FieldManager(SCHEMA, api_version=V1, kind="Thing")}
    common = {"apiVersion": V1, "definitions": DEFINITIONS, "force": False}
    annotations = {ANNOTATION: broken or json.dumps(thing(last)), "note": "<&>"}
    body = thing(applied, annotations=annotations)
    write = {"op": "update", "object": body, "manager": "kubectl-client-side-apply"}
    live = check_write(oracle, managers, 0, None, {**common, **write})
    body = thing({**applied, **other}, annotations=annotations)
    live = check_write(
        oracle, managers, 1, live, {**common, "op": "update", "object": body, "manager": "ann"}
    )
    mine = thing(config, annotations={ANNOTATION: "mine", "more": "é"}) if annotated else thing(config)
    check_write(oracle, managers, 2, live, {**common, "op": "apply", "object": mine, "manager": manager})


@pytest.mark.parametrize("sent", [[], [{}], None, "x", [5], [{"manager": "eve"}], [{"time": "nonsense"}]])
@pytest.mark.parametrize("subresource", ["", "status"])
def test_managers_that_clients_send_are_taken_as_upstream_takes_them(
    oracle: Oracle, sent: object, subresource: str
) -> None:
    managers = {
        V1 + name: FieldManager(ANY, api_version=V1, kind="Thing", subresource=name)
        for name in ("", "status")
    }
    common = {"op": "update", "apiVersion": V1}
    write = {**common, "object": thing({"a": 1}), "manager": "ann"}
    live = check_write(oracle, managers, 0, None, write)
    assert live is not None
    live["metadata"]["uid"] = "u"
    body = thing({"a": 2}, managedFields=sent, uid="u")
    write = {**common, "object": body, "manager": "bob", "subresource": subresource}
    check_write(oracle, managers, 1, live, write)
