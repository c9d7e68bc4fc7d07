"""Kept objects: readers share nothing with each other, nothing is lost, and the buffers are let go."""

from __future__ import annotations

import gc
import json
import sys
import tracemalloc
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.client.forms import METADATA, Form, form_of
from kubewright.machinery.kept import (
    SharedValues,
    decode_labels,
    keep,
    labels_of,
    private,
    revision_of,
    share_values,
    uid_of,
)
from kubewright.machinery.meta import OwnerReference
from kubewright.machinery.shapes import slots_of
from kubewright.machinery.twins import Unknown
from kubewright.machinery.unstructured import Unstructured
from kubewright.models.core_v1 import ConfigMap, Container, Pod

WORDS = st.text('abcxyz-é"\\', min_size=1, max_size=8)
MAPS = st.dictionaries(WORDS, WORDS, min_size=1, max_size=3)
PLAIN: Any = st.recursive(
    st.one_of(st.integers(-9, 9), st.booleans(), WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
OWNERS = st.fixed_dictionaries({"apiVersion": WORDS, "kind": WORDS, "name": WORDS, "uid": WORDS})
MANAGED = st.lists(
    st.fixed_dictionaries({"manager": WORDS, "fieldsV1": st.just({"f:data": {}})}), min_size=1, max_size=2
)
METADATA_DATA = st.fixed_dictionaries(
    {"name": WORDS, "uid": WORDS, "resourceVersion": st.integers(1, 99).map(str)},
    optional={
        "namespace": WORDS,
        "labels": MAPS,
        "annotations": MAPS,
        "finalizers": st.lists(WORDS, min_size=1, max_size=3),
        "ownerReferences": st.lists(OWNERS, min_size=1, max_size=2),
        "managedFields": MANAGED,
        "creationTimestamp": st.just("2026-01-02T03:04:05Z"),
        "unknownOfMetadata": PLAIN,
    },
)
POD_SPEC = st.fixed_dictionaries(
    {"containers": st.lists(st.fixed_dictionaries({"name": WORDS, "image": WORDS}), min_size=1, max_size=2)},
    optional={"nodeName": WORDS, "unknownOfSpec": PLAIN, "nodeSelector": MAPS},
)
POD_STATUS = st.fixed_dictionaries(
    {"phase": WORDS}, optional={"podIPs": st.lists(st.fixed_dictionaries({"ip": WORDS}), min_size=1)}
)


def _objects(api_version: str, kind: str, optional: dict[str, Any], **always: Any) -> Any:
    header = {"apiVersion": st.just(api_version), "kind": st.just(kind), "metadata": METADATA_DATA}
    return st.fixed_dictionaries({**header, **always}, optional=optional)


KINDS: list[tuple[Form[Any], Any]] = [
    (form_of(Pod), _objects("v1", "Pod", {"status": POD_STATUS, "unknownOfPod": PLAIN}, spec=POD_SPEC)),
    (form_of(ConfigMap), _objects("v1", "ConfigMap", {"data": MAPS, "immutable": st.booleans()})),
    (
        form_of(Unstructured),
        _objects("example.com/v1", "Widget", {"spec": PLAIN, "status": PLAIN, "x": PLAIN}),
    ),
    (METADATA, _objects("meta.k8s.io/v1", "PartialObjectMetadata", {"unknownOfAll": PLAIN})),
]
EVERY_KIND = st.sampled_from(KINDS).flatmap(lambda kind: st.tuples(st.just(kind[0]), kind[1]))


def without_managed_fields(data: dict[str, Any]) -> dict[str, Any]:
    metadata = {name: value for name, value in data["metadata"].items() if name != "managedFields"}
    return {**data, "metadata": metadata}


def decoded(form: Form[Any], data: dict[str, Any], *, listed: bool) -> Any:
    """An object as a list or a watch brings it."""
    if not listed:
        return form.read(json.dumps(data).encode())
    kind = f"{data['kind']}List"
    body = {"apiVersion": data["apiVersion"], "kind": kind, "metadata": {}, "items": [data]}
    (item,) = form.read_list(json.dumps(body).encode()).items
    return item


def change_all(value: Any) -> None:
    """Change in place whatever is in a value that can be."""
    if isinstance(value, dict):
        for member in value.values():
            change_all(member)
        value["changed"] = "yes"
    elif isinstance(value, list):
        for member in value:
            change_all(member)
        value.append("changed")
    elif isinstance(value, Unknown):
        change_all(value.fields)
    elif isinstance(value, msgspec.Struct):
        for name in slots_of(type(value)):
            change_all(getattr(value, name))


def change_object(obj: Any) -> None:
    """What a reader might do to its object, and then worse."""
    meta = obj.metadata
    meta.labels["mine"] = "yes"
    meta.annotations["mine"] = "yes"
    meta.finalizers.append("mine")
    for owner in meta.owner_references:
        owner.name = "mine"
    meta.owner_references.append(OwnerReference(api_version="v1", kind="Pod", name="p", uid="u"))
    meta.resource_version = meta.uid = meta.name = "mine"
    if isinstance(obj, Pod):
        obj.spec.node_name = "mine"
        obj.spec.containers[:0] = [Container(name="mine")]
        obj.status.phase = "Unknown"
    if isinstance(obj, Unstructured):
        for name in list(obj):
            change_all(obj[name])
            obj[name] = "mine"
        obj["more"] = "mine"
        obj.api_version = obj.kind = "mine"
        change_all(meta)
    else:
        change_all(obj)


def mutable_parts(value: Any) -> Iterator[int]:
    """Where in memory those parts of an object are that somebody could change."""
    if isinstance(value, dict):
        yield id(value)
        for member in value.values():
            yield from mutable_parts(member)
    elif isinstance(value, list):
        yield id(value)
        for member in value:
            yield from mutable_parts(member)
    elif isinstance(value, Unknown):
        yield from mutable_parts(value.fields)
    elif isinstance(value, Unstructured):
        yield id(value)
        yield from mutable_parts(value._members)
        yield from mutable_parts(value._metadata)
    elif isinstance(value, msgspec.Struct):
        yield id(value)
        for slot in slots_of(type(value)).values():
            yield from mutable_parts(slot.__get__(value))


@given(EVERY_KIND, st.booleans(), st.booleans())
def test_what_a_reader_does_to_its_object_nobody_else_sees(kind: Any, managed: bool, listed: bool) -> None:
    form, data = kind
    expected = data if managed else without_managed_fields(data)
    kept = keep(decoded(form, data, listed=listed), managed_fields=managed)
    assert uid_of(kept) == data["metadata"]["uid"]
    assert revision_of(kept) == data["metadata"]["resourceVersion"]
    assert decode_labels(labels_of(kept)) == data["metadata"].get("labels", {})
    before, changed = private(kept), private(kept)
    change_object(changed)
    after = private(kept)
    assert json.loads(before.to_json()) == expected
    assert json.loads(after.to_json()) == expected
    assert after.to_dict() == expected
    assert after == before
    assert type(after) is type(before)
    assert json.loads(kept.to_json()) == expected
    assert decode_labels(labels_of(kept)) == data["metadata"].get("labels", {})


@given(EVERY_KIND, st.booleans())
def test_no_two_of_them_share_anything_that_can_be_changed(kind: Any, listed: bool) -> None:
    form, data = kind
    kept = keep(decoded(form, data, listed=listed), managed_fields=True)
    one, two = private(kept), private(kept)
    for reader in (one, two):
        repr(reader)  # Reads all fields.
        _ = reader.metadata.annotations, reader.metadata.owner_references, reader.metadata.managed_fields
    parts = [set(mutable_parts(obj)) for obj in (kept, one, two)]
    assert all(parts)
    assert not parts[0] & parts[1]
    assert not parts[0] & parts[2]
    assert not parts[1] & parts[2]


@pytest.mark.parametrize("managed", [True, False])
@pytest.mark.parametrize(
    "form", [form_of(Pod), form_of(Unstructured), METADATA], ids=lambda form: form.kind.__name__
)
def test_a_kept_object_lets_go_of_the_buffer_it_came_in(form: Form[Any], managed: bool) -> None:
    api_version, kind = (
        ("v1", "Pod") if form.kind is not METADATA.kind else ("meta.k8s.io/v1", METADATA.kind.__name__)
    )
    meta = {
        "name": "a",
        "labels": {"a": "b"},
        "annotations": {"a": "b"},
        "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}],
        "finalizers": ["x"],
        "managedFields": [{"manager": "m"}],
    }
    item = {"apiVersion": api_version, "kind": kind, "metadata": meta}
    if form.kind is not METADATA.kind:
        item |= {"spec": {"containers": []}, "status": {"phase": "Running"}}
    body = {"apiVersion": api_version, "kind": f"{kind}List", "metadata": {}, "items": [item]}
    buffer = json.dumps(body).encode()
    before = sys.getrefcount(buffer)
    (item_read,) = form.read_list(buffer).items
    assert sys.getrefcount(buffer) > before, "nothing is lazy any more, and this test of no use"
    kept = keep(item_read, managed_fields=managed)
    assert sys.getrefcount(buffer) == before
    assert json.loads(private(kept).to_json()) == (item if managed else without_managed_fields(item))


@pytest.mark.parametrize(
    "form", [form_of(ConfigMap), form_of(Unstructured)], ids=lambda form: form.kind.__name__
)
@pytest.mark.parametrize("unknown", [{}, {"unknownOfMetadata": 1}], ids=["plain", "twin"])
def test_managed_fields_that_nobody_wants_take_no_memory(form: Form[Any], unknown: dict[str, Any]) -> None:
    managed = [{"manager": "m", "fieldsV1": {"f:" + "x" * 1_000_000: {}}}]
    meta = {"name": "a", "labels": {"a": "b"}, "managedFields": managed, **unknown}
    data = json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta}).encode()
    keep(form.read(data), managed_fields=False)  # What is made once only is made here.
    gc.collect()
    tracemalloc.start()
    try:
        kept = keep(form.read(data), managed_fields=False)
        gc.collect()
        used, _ = tracemalloc.get_traced_memory()
        own = private(kept)
        with_private, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert used < 100_000
    assert with_private < 100_000
    assert own.metadata.managed_fields == []
    assert b"managedFields" not in own.to_json()


@pytest.mark.parametrize("kind", [ConfigMap, Unstructured])
@pytest.mark.parametrize(
    ("labels", "read"),
    [(None, {}), ({"a": None}, {"a": ""}), ({"a": 1}, {}), ("text", {}), ({}, {}), ({"a": "b"}, {"a": "b"})],
    ids=["null", "null inside", "a number", "no object", "empty", "labels"],
)
def test_labels_are_read_as_go_reads_them_and_never_fail(
    kind: Any, labels: Any, read: dict[str, str]
) -> None:
    data = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "labels": labels}}
    kept = keep(kind.from_json(json.dumps(data)), managed_fields=False)
    assert decode_labels(labels_of(kept)) == read
    assert uid_of(kept) == revision_of(kept) == ""


def test_no_labels_are_empty_ones_whether_they_were_read_or_not() -> None:
    data = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    kept = keep(ConfigMap.from_dict(data), managed_fields=False)
    assert decode_labels(labels_of(kept)) == {}
    assert labels_of(kept) == labels_of(keep(Unstructured.from_dict(data), managed_fields=True))


def test_broken_bytes_in_labels_are_no_labels() -> None:
    assert decode_labels(b'{"a":"\xff"}') == {}
    assert decode_labels(b"{") == {}


def test_what_many_have_in_common_is_shared() -> None:
    read = [
        Pod.from_json(b'{"metadata":{"name":"a","namespace":"%b"}}' % ns) for ns in (b"one", b"two", b"one")
    ]
    read.append(Pod.from_json(b'{"metadata":{"name":"a"}}'))
    share_values(read)
    assert [pod.metadata.namespace for pod in read] == ["one", "two", "one", ""]
    assert read[0].metadata.namespace is read[2].metadata.namespace
    assert read[3].to_dict()["metadata"] == {"name": "a"}


def test_what_objects_of_a_cache_have_in_common_is_kept_once() -> None:
    shared = SharedValues()
    pods = []
    for name in (b"a", b"b"):
        read = Pod.from_json(
            b'{"metadata":{"name":"%b","namespace":"one","labels":{"app":"web"}},"spec":{"nodeName":"n1"}}'
            % name
        )
        share_values([read], shared)
        pods.append(keep(read, managed_fields=False, shared=shared))
    assert pods[0].metadata.namespace is pods[1].metadata.namespace
    assert slots_of(Pod)["spec"].__get__(pods[0]) is slots_of(Pod)["spec"].__get__(pods[1])
    # Each reader has its own all the same.
    first, second = private(pods[0]), private(pods[1])
    first.metadata.labels["app"] = first.spec.node_name = "another"
    assert second.metadata.labels == private(pods[0]).metadata.labels == {"app": "web"}
    assert second.spec.node_name == private(pods[0]).spec.node_name == "n1"


def test_long_fields_are_not_looked_for_and_little_is_remembered() -> None:
    shared = SharedValues()
    long = ConfigMap.from_dict({"metadata": {"name": "a"}, "data": {"text": "x" * 1000}})
    kept = keep(ConfigMap.from_json(long.to_json()), managed_fields=False, shared=shared)
    assert not shared.fields
    assert private(kept).data == long.data
    for number in range(10_000):
        one = ConfigMap.from_json(b'{"metadata":{"name":"a"},"data":{"n":"%d"}}' % number)
        keep(one, managed_fields=False, shared=shared)
        shared.trim()
    assert len(shared.fields) < 5_000
