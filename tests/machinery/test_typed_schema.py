"""The schema of typed classes, and of the same types in OpenAPI."""

from __future__ import annotations

from typing import Annotated, Any

from kubewright.machinery.field import EMPTY, Field
from kubewright.machinery.intstr import IntOrString
from kubewright.machinery.meta import LabelSelector, ObjectMeta, OwnerReference
from kubewright.machinery.resource import Resource
from kubewright.machinery.schema import ANY, Schema
from kubewright.machinery.struct import Struct
from kubewright.machinery.typed_schema import schema_of


class Port(Struct):
    port: int
    protocol: str = "TCP"


class Node(Struct):
    ports: Annotated[
        list[Port], Field(list_type="map", map_keys=("port", "protocol"), patch_merge_key="port")
    ] = []
    tags: Annotated[list[str], Field(list_type="set", patch_strategy=("merge",))] = []
    args: list[str] = []
    selector: LabelSelector | None = None
    limits: Annotated[dict[str, int], Field(map_type="atomic")] = {}
    children: list[Node] = []
    target: IntOrString | None = None
    anything: Any = None
    mixed: Port | list[Port] | None = None
    port: Annotated[Port | None, Field(map_type="atomic", patch_strategy=("retainKeys",))] = None


class Thing(Resource, api_version="example.com/v1", kind="Thing"):
    spec: Node = EMPTY


def test_fields_by_wire_name() -> None:
    spec = schema_of(Thing).field("spec")
    assert spec.kind == "object"
    ports = spec.field("ports")
    assert (ports.kind, ports.list_type, ports.map_keys, ports.patch_merge_key) == (
        "array",
        "map",
        ("port", "protocol"),
        "port",
    )
    assert ports.items.field("protocol").default == "TCP"
    # Which Go has for a field that must be there, and kube-apiserver states.
    assert ports.items.field("port").default == 0
    tags = spec.field("tags")
    assert (tags.list_type, tags.patch_strategies, tags.items.kind) == ("set", ("merge",), "scalar")
    assert spec.field("args").list_type == "atomic"
    assert spec.field("selector").map_type == "atomic"
    limits = spec.field("limits")
    assert (limits.map_type, limits.field("cpu").kind) == ("atomic", "scalar")
    assert spec.field("target").kind == "scalar"
    assert spec.field("anything") is ANY
    assert spec.field("mixed") is ANY
    assert (spec.field("port").map_type, spec.field("port").patch_strategies) == ("atomic", ("retainKeys",))
    assert spec.field("nobody knows") is ANY


def test_recursive_types() -> None:
    schema: Schema = schema_of(Node)
    for _ in range(50):
        schema = schema.field("children").items
    assert schema.field("tags").list_type == "set"


def test_metadata() -> None:
    metadata = schema_of(Thing).field("metadata")
    assert metadata.field("finalizers").list_type == "set"
    assert metadata.field("ownerReferences").map_keys == ("uid",)
    assert metadata.field("managedFields").list_type == "atomic"
    assert metadata.field("labels").field("a").kind == "scalar"
    assert schema_of(OwnerReference).map_type == "atomic"
    assert schema_of(ObjectMeta) is schema_of(ObjectMeta)


class Sets(Struct):
    names: set[str] = set()
    ports: Annotated[list[Annotated[int, Field(minimum=1)]], Field(max_items=3), Field(list_type="set")] = []


def test_sets_and_lists_with_several_marks_merge_as_sets() -> None:
    fields = schema_of(Sets).fields
    assert (fields["names"].kind, fields["names"].list_type) == ("array", "set")
    assert (fields["ports"].kind, fields["ports"].list_type) == ("array", "set")
