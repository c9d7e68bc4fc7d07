"""The schemas of types."""

import enum
from datetime import datetime
from typing import Annotated, Any, Literal, NewType

import pytest

from kubewright import (
    EMPTY,
    Condition,
    Duration,
    Field,
    Int32,
    IntOrString,
    MicroTime,
    ObjectMeta,
    OpenEnum,
    Quantity,
    Rule,
    Struct,
    Time,
    Unstructured,
    field,
    rule,
)
from kubewright.crd.class_schema import SchemaBuilder
from kubewright.models.core_v1 import ConfigMap, ContainerPort, LocalObjectReference

KEPT = {"x-kubernetes-preserve-unknown-fields": True}
TEXT = {"type": "string"}
INT64 = {"type": "integer", "format": "int64"}

Name = NewType("Name", str)


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Inner(Struct):
    size: int


class Atom(Struct, map_type="atomic"):
    name: str


class Http(Struct, tag="http", tag_field="type"):
    path: str
    port: int = 80


@rule("self.address != ''")
class Tcp(Struct, tag="tcp", tag_field="type"):
    address: str
    port: int = 80
    retries: int = 3


def schema_of(annotation: Any) -> dict[str, Any]:
    return SchemaBuilder().of_type(annotation, "Spec.value")


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (str, TEXT),
        (Name, TEXT),
        (int, INT64),
        (Int32, {"type": "integer", "format": "int32"}),
        (Annotated[Int32, Field(minimum=1)], {"type": "integer", "format": "int32", "minimum": 1}),
        (float, {"type": "number", "format": "double"}),
        (bool, {"type": "boolean"}),
        (bytes, {"type": "string", "format": "byte"}),
        (Time, {"type": "string", "format": "date-time"}),
        (datetime, {"type": "string", "format": "date-time"}),
        (MicroTime, {"type": "string", "format": "date-time"}),
        (IntOrString, {"anyOf": [{"type": "integer"}, TEXT], "x-kubernetes-int-or-string": True}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal[1, 2], {"type": "integer", "enum": [1, 2]}),
        (Color, {"type": "string", "enum": ["red", "blue"]}),
        (Level, {"type": "integer", "enum": [1, 2]}),
        (OpenEnum[Literal["a", "b"]], TEXT),
        (list[str], {"type": "array", "items": TEXT}),
        (list[str | None], {"type": "array", "items": {**TEXT, "nullable": True}}),
        (set[str], {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"}),
        (frozenset[int], {"type": "array", "items": INT64, "x-kubernetes-list-type": "set"}),
        (
            Annotated[list[str], Field(unique_items=True)],
            {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"},
        ),
        (dict[str, int], {"type": "object", "additionalProperties": INT64}),
        (dict[str, Any], {"type": "object", **KEPT}),
        (dict, {"type": "object", **KEPT}),
        (Any, KEPT),
        (list[Any], {"type": "array", "items": KEPT}),
        (Unstructured, {"type": "object", "x-kubernetes-embedded-resource": True, **KEPT}),
        (Inner, {"type": "object", "properties": {"size": INT64}, "required": ["size"]}),
        (
            Annotated[Inner, Field(preserve_unknown_fields=True, max_properties=3)],
            {
                "type": "object",
                "properties": {"size": INT64},
                "required": ["size"],
                "maxProperties": 3,
                **KEPT,
            },
        ),
        (
            Annotated[list[Atom], Field(list_type="set", max_items=3)],
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"name": TEXT},
                    "required": ["name"],
                    "x-kubernetes-map-type": "atomic",
                },
                "x-kubernetes-list-type": "set",
                "maxItems": 3,
            },
        ),
        (
            Annotated[str, Field(min_length=1, max_length=3, pattern="^a", title="T", example="ab")],
            {**TEXT, "minLength": 1, "maxLength": 3, "pattern": "^a", "title": "T", "example": "ab"},
        ),
        (
            Annotated[
                float,
                Field(
                    minimum=0.5, maximum=1, exclusive_minimum=True, exclusive_maximum=True, multiple_of=0.1
                ),
            ],
            {
                "type": "number",
                "format": "double",
                "minimum": 0.5,
                "maximum": 1,
                "exclusiveMinimum": True,
                "exclusiveMaximum": True,
                "multipleOf": 0.1,
            },
        ),
        (
            Annotated[int, Field(rules=(Rule("self > 0", message="m"),), immutable=True)],
            {
                **INT64,
                "x-kubernetes-validations": [
                    {"rule": "self > 0", "message": "m"},
                    {"rule": "self == oldSelf", "message": "is immutable", "reason": "FieldValueForbidden"},
                ],
            },
        ),
    ],
)
def test_types(annotation: Any, expected: dict[str, Any]) -> None:
    assert schema_of(annotation) == expected


@pytest.mark.parametrize("text", ["1h30m", "0", "-1.5h", "+2ms", ".5s", "1.s", "3µs", "7us", "9ns"])
def test_what_go_reads_as_a_duration_matches_its_pattern(text: str) -> None:
    import re

    Duration(text)
    assert re.search(schema_of(Duration)["pattern"], text)


def test_quantities_are_as_controller_gen_writes_them() -> None:
    schema = schema_of(Quantity)
    assert schema["anyOf"] == [{"type": "integer"}, {"type": "string"}]
    assert schema["x-kubernetes-int-or-string"] is True
    assert schema["pattern"].startswith(r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))")


def test_the_outer_of_two_marks_wins() -> None:
    short = Annotated[str, Field(max_length=3, pattern="a")]
    assert schema_of(Annotated[short, Field(max_length=5)]) == {**TEXT, "maxLength": 5, "pattern": "a"}
    assert schema_of(Annotated[short | None, Field(max_length=5)])["maxLength"] == 5


def test_a_number_can_be_without_a_format() -> None:
    assert schema_of(Annotated[int, Field(format=None)]) == {"type": "integer"}
    assert schema_of(Annotated[float, Field(format=None, minimum=1)]) == {
        "type": "number",
        "minimum": 1,
    }
    assert schema_of(list[Annotated[int, Field(format=None)]])["items"] == {"type": "integer"}
    assert schema_of(Annotated[Int32, Field(format=None)]) == {"type": "integer"}
    assert (
        schema_of(Annotated[Annotated[int, Field(format=None)], Field(format="int32")])["format"] == "int32"
    )
    assert schema_of(int) == INT64


def test_the_rules_of_all_marks_count() -> None:
    positive = Annotated[int, Field(rules=(Rule("self > 0"),))]
    schema = schema_of(Annotated[positive, Field(rules=(Rule("self < 9"),))])
    assert [each["rule"] for each in schema["x-kubernetes-validations"]] == ["self > 0", "self < 9"]


class Nullable(Struct):
    given: Annotated[str | None, Field(nullable=True)]
    maybe: Annotated[str | None, Field(nullable=True)] = None


def test_null_is_a_value_where_the_field_says_so() -> None:
    assert SchemaBuilder().of_struct(Nullable, "Spec") == {
        "type": "object",
        "properties": {"given": {**TEXT, "nullable": True}, "maybe": {**TEXT, "nullable": True}},
        "required": ["given"],
    }


def properties_of(cls: type[Struct]) -> dict[str, Any]:
    found: dict[str, Any] = SchemaBuilder().of_struct(cls, "Spec")["properties"]
    return found


class WithDefaults(Struct):
    required: int
    zero: int = 0
    one: int = 1
    said: Annotated[int, Field(default=0)] = 0
    text: str = "a"
    none: str | None = None
    empty: list[str] = []
    words: list[str] = field(default_factory=lambda: ["a"])
    color: Color = Color.BLUE
    memory: Quantity = Quantity("1Gi")
    period: Duration = Duration("90s")
    off: bool = False
    on: bool = True


def test_defaults() -> None:
    schema = SchemaBuilder().of_struct(WithDefaults, "Spec")
    assert schema["required"] == ["required"]
    found = {name: member["default"] for name, member in schema["properties"].items() if "default" in member}
    assert found == {
        "one": 1,
        "said": 0,
        "text": "a",
        "words": ["a"],
        "color": "blue",
        "memory": "1Gi",
        "period": "1m30s",
        "on": True,
    }


def test_a_factory_that_gives_something_else_each_time_is_no_default() -> None:
    counter = iter(range(100))

    class Spec(Struct):
        number: int = field(default_factory=lambda: next(counter))

    schema = SchemaBuilder().of_struct(Spec, "Spec")
    assert schema == {"type": "object", "properties": {"number": INT64}}


class Filled(Struct):
    size: int = 3


class Demanding(Struct):
    name: str
    size: int = 3


@rule("self.size > 0")
class Ruled(Struct):
    size: int = 3


class Empties(Struct):
    filled: Filled = EMPTY
    demanding: Demanding = EMPTY
    plain: Atom = EMPTY
    ruled: Ruled = EMPTY
    made: Filled = field(default_factory=Filled)
    annotated: Annotated[Filled, Field(min_properties=2)] = EMPTY


def test_an_empty_struct_is_a_default_where_it_has_some_and_is_all_right() -> None:
    found = {
        name: member["default"] for name, member in properties_of(Empties).items() if "default" in member
    }
    # Servers ask the rules of the default as it is written.
    assert found == {"filled": {}, "ruled": {"size": 3}, "made": {}}


class Immutable(Struct):
    region: Annotated[str, Field(immutable=True)] | None = None
    zone: Annotated[str, Field(immutable=True)]
    in_: Annotated[str, Field(immutable=True)] = ""


def test_what_is_immutable_does_not_go_either() -> None:
    schema = SchemaBuilder().of_struct(Immutable, "Spec")
    assert [each["rule"] for each in schema["x-kubernetes-validations"]] == [
        "!has(oldSelf.region) || has(self.region)",
        "!has(oldSelf.__in__) || has(self.__in__)",
    ]


class Keyed(Struct):
    ports: Annotated[list[ContainerPort], Field(list_type="map", map_keys=("containerPort", "protocol"))] = []
    secrets: Annotated[list[LocalObjectReference], Field(list_type="map", map_keys=("name",))] = []


def test_the_keys_of_list_maps_always_have_a_value() -> None:
    found = properties_of(Keyed)
    assert found["ports"]["items"]["properties"]["protocol"] == {**TEXT, "default": "TCP"}
    assert found["secrets"]["items"]["properties"]["name"] == {**TEXT, "default": ""}
    assert "default" not in schema_of(LocalObjectReference)["properties"]["name"]


def test_tagged_unions() -> None:
    schema = schema_of(Http | Tcp)
    assert schema == {
        "type": "object",
        "properties": {
            "type": {"type": "string", "enum": ["http", "tcp"]},
            "path": TEXT,
            "port": {**INT64, "default": 80},
            "address": TEXT,
            "retries": INT64,
        },
        "required": ["type"],
        "x-kubernetes-validations": [
            {"rule": "!has(self.path) || self.type in ['http']", "message": "path is only for type http"},
            {
                "rule": "!(self.type in ['http']) || has(self.path)",
                "message": "path is required for type http",
            },
            {"rule": "!has(self.address) || self.type in ['tcp']", "message": "address is only for type tcp"},
            {
                "rule": "!(self.type in ['tcp']) || has(self.address)",
                "message": "address is required for type tcp",
            },
            {"rule": "!has(self.retries) || self.type in ['tcp']", "message": "retries is only for type tcp"},
            {"rule": "self.type != 'tcp' || (self.address != '')"},
        ],
    }


def test_a_single_struct_with_a_tag_has_it() -> None:
    schema = schema_of(Http)
    assert schema["properties"]["type"] == {"type": "string", "enum": ["http"]}
    assert schema["required"] == ["type", "path"]
    assert "x-kubernetes-validations" not in schema


def test_whole_objects_and_their_metadata() -> None:
    schema = schema_of(ConfigMap)
    assert schema["x-kubernetes-embedded-resource"] is True
    assert schema["required"] == ["apiVersion", "kind"]
    assert schema["properties"]["kind"] == {"type": "string", "enum": ["ConfigMap"]}
    assert schema["properties"]["metadata"] == {"type": "object"}
    template = schema_of(ObjectMeta)
    assert set(template["properties"]) == {
        *("annotations", "creationTimestamp", "finalizers", "generateName", "labels", "name", "namespace")
    }


def test_conditions_are_as_upstream_marks_them() -> None:
    schema = schema_of(Condition)
    assert schema["required"] == ["type", "status", "lastTransitionTime", "reason", "message"]
    assert schema["properties"]["status"] == {"type": "string", "enum": ["True", "False", "Unknown"]}
    assert schema["properties"]["type"]["maxLength"] == 316
    assert schema["properties"]["observedGeneration"] == {**INT64, "minimum": 0}


def test_rules_of_bases_are_kept_and_stand_in_order() -> None:
    @rule("self.size > 0")
    class Base(Struct):
        size: int = 1

    @rule("self.size > 1")
    @rule(
        "self.size > 2",
        message="m",
        reason="FieldValueForbidden",
        field_path=".size",
        message_expression="'a'",
    )
    class Derived(Base):
        pass

    assert [each["rule"] for each in SchemaBuilder().of_struct(Base, "")["x-kubernetes-validations"]] == [
        "self.size > 0"
    ]
    assert SchemaBuilder().of_struct(Derived, "")["x-kubernetes-validations"] == [
        {"rule": "self.size > 1"},
        {
            "rule": "self.size > 2",
            "message": "m",
            "messageExpression": "'a'",
            "reason": "FieldValueForbidden",
            "fieldPath": ".size",
        },
        {"rule": "self.size > 0"},
    ]
