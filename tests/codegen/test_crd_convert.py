"""Definitions of v1beta1, as older tutorials and operators have them, as v1 ones that servers take."""

from __future__ import annotations

from typing import Any

import pytest

from kubewright.codegen.crd_convert import convert_definition
from kubewright.machinery import yaml
from kubewright.machinery.errors import ParseError
from tests.codegen.crd_definitions import server_errors

PRESERVE = "x-kubernetes-preserve-unknown-fields"

OLD = """
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata:
  name: projects.example.com
  creationTimestamp: null
spec:
  group: example.com
  version: v1
  names:
    kind: Project
    plural: projects
    shortNames: [prj]
  preserveUnknownFields: false
  additionalPrinterColumns:
  - {name: Replicas, type: integer, JSONPath: .spec.replicas}
  subresources:
    status: {}
    scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
  validation:
    openAPIV3Schema:
      properties:
        spec:
          required: [replicas]
          properties:
            replicas: {type: integer, minimum: 1}
        status:
          properties:
            replicas: {type: integer}
status:
  conditions: []
  storedVersions: []
"""


def old(**spec: Any) -> dict[str, Any]:
    """The definition above with other parts of the spec; None leaves one out."""
    made = yaml.load(OLD)
    made["spec"] |= spec
    made["spec"] = {name: value for name, value in made["spec"].items() if value is not None}
    return dict(made)


def converted(crd: dict[str, Any], *, prune: bool = False) -> tuple[dict[str, Any], list[str]]:
    """The definition of v1, which a server takes, and what was said."""
    notes: list[str] = []
    made = convert_definition(crd, prune=prune, note=notes.append)
    assert server_errors(made) == []
    return made, notes


def with_schema(schema: dict[str, Any]) -> dict[str, Any]:
    return old(
        validation={"openAPIV3Schema": {"properties": {"spec": schema}}},
        subresources=None,
        additionalPrinterColumns=None,
    )


def schema_of(crd: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return found


def test_everything_finds_its_place_in_the_version() -> None:
    made, notes = converted(old())
    assert notes == []
    assert made == yaml.load("""
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: projects.example.com}
spec:
  group: example.com
  names: {kind: Project, plural: projects, shortNames: [prj]}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [replicas]
            properties:
              replicas: {type: integer, minimum: 1}
          status:
            type: object
            properties:
              replicas: {type: integer}
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
    additionalPrinterColumns:
    - {name: Replicas, type: integer, jsonPath: .spec.replicas}
""")


def test_each_version_has_its_own_or_what_was_said_for_all() -> None:
    own = {"openAPIV3Schema": {"type": "object", "properties": {"data": {"type": "string"}}}}
    made, notes = converted(
        old(
            version="v1",
            versions=[
                {"name": "v1", "served": True, "storage": True},
                {"name": "v1beta1", "served": False, "storage": False, "schema": own, "deprecated": True},
            ],
        )
    )
    assert notes == []
    first, second = made["spec"]["versions"]
    assert first["schema"]["openAPIV3Schema"]["properties"].keys() == {"spec", "status"}
    assert second["schema"] == own
    assert (second["served"], second["storage"], second["deprecated"]) == (False, False, True)
    assert first["subresources"] == second["subresources"]


def test_unknown_fields_that_were_kept_are_kept_and_that_is_said() -> None:
    made, notes = converted(old(preserveUnknownFields=None))
    spec = schema_of(made)["properties"]["spec"]
    assert (schema_of(made)[PRESERVE], spec[PRESERVE]) == (True, True)
    remedy = "convert crd --prune leaves it out"
    told = f"{PRESERVE} is set, since fields that no schema names were kept; {remedy}"
    assert notes == [f"projects.example.com: {told}"]


def test_pruning_can_be_asked_for_but_objects_without_fields_stay_free() -> None:
    schema = {"properties": {"a": {"type": "string"}, "labels": {"type": "object"}}}
    made, notes = converted(with_schema(schema) | {}, prune=True)
    assert PRESERVE not in schema_of(made)["properties"]["spec"]["properties"]["labels"]
    crd = with_schema(schema)
    del crd["spec"]["preserveUnknownFields"]
    made, notes = converted(crd, prune=True)
    spec = schema_of(made)["properties"]["spec"]
    assert PRESERVE not in spec
    assert spec["properties"]["labels"] == {"type": "object", PRESERVE: True}
    assert [note.endswith("were kept before, and are dropped now") for note in notes] == [True]


def test_no_schema_is_any_object() -> None:
    made, notes = converted(old(validation=None, additionalPrinterColumns=None, subresources=None))
    assert schema_of(made) == {"type": "object", PRESERVE: True}
    assert len(notes) == 1
    assert "v1: it has no schema" in notes[0]


@pytest.mark.parametrize(
    ("given", "wanted", "told"),
    [
        ({"items": {"type": "string"}}, {"type": "array", "items": {"type": "string"}}, ""),
        ({"enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]}, ""),
        ({"pattern": "^a$"}, {"type": "string", "pattern": "^a$"}, ""),
        ({"minimum": 1}, {"type": "number", "minimum": 1}, ""),
        ({"description": "x"}, {"description": "x", PRESERVE: True}, "says no type"),
        ({"type": "array"}, {"type": "array", "items": {PRESERVE: True}}, "says no items"),
        ({"type": "string", "default": None}, {"type": "string"}, ""),
        (
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True},
            "",
        ),
        (
            {"type": "array", "uniqueItems": True, "items": {"type": "string"}},
            {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
            "",
        ),
        (
            {"type": "array", "uniqueItems": True, "items": {"type": "object"}},
            {"type": "array", "items": {"type": "object"}},
            "uniqueItems is left out",
        ),
        (
            {"type": "array", "items": [{"type": "string"}]},
            {"type": "array", "items": {PRESERVE: True}},
            "items by position are left out",
        ),
        ({"type": "object", "$ref": "#/a"}, {"type": "object"}, "$ref is left out"),
        (
            {"type": "object", "additionalProperties": False},
            {"type": "object"},
            "additionalProperties: false is left out; unknown fields are dropped",
        ),
        (
            {"properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}},
            {"type": "object", "properties": {"a": {"type": "string"}}, PRESERVE: True},
            "additionalProperties beside properties is left out",
        ),
        (
            {
                "properties": {"a": {"type": "string"}},
                "oneOf": [{"type": "object", "required": ["a"], "properties": {"b": {"minLength": 1}}}],
            },
            {
                "type": "object",
                "properties": {"a": {"type": "string"}, "b": {PRESERVE: True}},
                "oneOf": [{"required": ["a"], "properties": {"b": {"minLength": 1}}}],
            },
            "only oneOf names it",
        ),
        (
            {"oneOf": [{"type": "string"}, {"type": "integer"}]},
            {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True},
            "",
        ),
        (
            {"type": "string", "anyOf": [{"type": "integer"}, {"pattern": "a"}]},
            {"type": "string", "anyOf": [{}, {"pattern": "a"}]},
            "type is left out, which may stand outside of anyOf only",
        ),
        (
            {
                "type": "array",
                "items": {"type": "string"},
                "not": {"items": {"type": "string", "pattern": "a"}},
            },
            {"type": "array", "items": {"type": "string"}, "not": {"items": {"pattern": "a"}}},
            "",
        ),
    ],
)
def test_schemas_become_structural(given: dict[str, Any], wanted: dict[str, Any], told: str) -> None:
    made, notes = converted(with_schema({"type": "object", "properties": {"field": given}}))
    assert schema_of(made)["properties"]["spec"]["properties"]["field"] == wanted
    assert len(notes) == bool(told)
    assert told in "".join(notes)
    assert all(note.startswith("projects.example.com: v1: .spec.field") for note in notes)


@pytest.mark.parametrize(
    ("given", "clause"),
    [
        ({"type": "string", "not": {"type": "integer", "pattern": "a"}}, "not"),
        ({"type": "string", "not": {"anyOf": [{"$ref": "#/a"}, {"pattern": "a"}]}}, "not"),
        ({"type": "object", "oneOf": [{"type": "string"}, {"type": "object"}]}, "oneOf"),
        ({"type": "array", "items": {"type": "string"}, "not": {"items": {"type": "integer"}}}, "not"),
        (
            {
                "type": "object",
                "properties": {"a": {"type": "string"}},
                "oneOf": [
                    {"properties": {"a": {"type": "integer"}}},
                    {"properties": {"a": {"minLength": 1}}},
                ],
            },
            "oneOf",
        ),
    ],
)
def test_a_clause_that_would_refuse_more_without_a_part_is_left_out(
    given: dict[str, Any], clause: str
) -> None:
    made, notes = converted(with_schema({"type": "object", "properties": {"field": given}}))
    found = schema_of(made)["properties"]["spec"]["properties"]["field"]
    assert found == {name: value for name, value in given.items() if name != clause}
    assert len(notes) == 2
    assert "is left out, which" in notes[0]
    assert f"field.{clause}: {clause} is left out as a whole" in notes[1]


def test_the_schema_of_metadata_keeps_its_names_only() -> None:
    metadata = {"properties": {"name": {"type": "string", "maxLength": 9}, "labels": {"type": "object"}}}
    crd = old(validation={"openAPIV3Schema": {"properties": {"metadata": metadata}}}, subresources=None)
    made, notes = converted(crd)
    assert schema_of(made)["properties"]["metadata"] == {
        "type": "object",
        "properties": {"name": {"type": "string", "maxLength": 9}},
    }
    assert "metadata: the schema of labels is left out" in notes[0]


def test_a_conversion_webhook_moves() -> None:
    client = {"url": "https://example.com/convert"}
    made, notes = converted(old(conversion={"strategy": "Webhook", "webhookClientConfig": client}))
    assert made["spec"]["conversion"] == {
        "strategy": "Webhook",
        "webhook": {"conversionReviewVersions": ["v1beta1"], "clientConfig": client},
    }
    assert len(notes) == 1
    made, notes = converted(old(conversion={"strategy": "None"}))
    assert (made["spec"]["conversion"], notes) == ({"strategy": "None"}, [])


def test_a_group_of_the_community_gets_the_annotation_that_v1_demands() -> None:
    crd = old(group="samplecrd.k8s.io")
    crd["metadata"] = {"name": "projects.samplecrd.k8s.io", "annotations": {"a": "b"}}
    made, notes = converted(crd)
    approval = {"api-approved.kubernetes.io": "unapproved, converted from v1beta1"}
    assert made["metadata"]["annotations"] == {"a": "b", **approval}
    assert [note.partition(" is written")[0] for note in notes] == [
        "projects.samplecrd.k8s.io: the annotation api-approved.kubernetes.io"
    ]
    crd["metadata"]["annotations"] = {"api-approved.kubernetes.io": "https://example.com/1"}
    made, notes = converted(crd)
    assert (made["metadata"]["annotations"], notes) == (crd["metadata"]["annotations"], [])


def test_what_is_unknown_is_said() -> None:
    _, notes = converted(
        old(whatever=1, version="v2", versions=[{"name": "v1", "served": True, "storage": True}])
    )
    assert notes == [
        "projects.example.com: spec.whatever is left out, which v1beta1 has not",
        "projects.example.com: spec.version v2 is left out, since spec.versions does not list it",
    ]


@pytest.mark.parametrize(
    ("crd", "complaint"),
    [
        ({"metadata": {"name": "a"}}, "a has no spec"),
        ({"spec": {}}, "without a name has no spec.group"),
        ({"spec": {"group": "g", "names": {"kind": "A"}}}, "neither spec.version nor spec.versions"),
        ({"spec": {"group": "g", "names": {"kind": "A"}, "versions": ["v1"]}}, "is no list of versions"),
        (with_schema({"properties": {"a": 1}}), "the schema of .spec.a is no mapping"),
        (with_schema({"type": "object", "oneOf": [1]}), "is no mapping"),
    ],
)
def test_what_is_no_definition_is_refused(crd: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ParseError, match=complaint):
        convert_definition(crd, note=lambda sentence: None)


def test_a_schema_that_nests_too_deeply_is_refused() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(200):
        schema = {"properties": {"a": schema}}
    with pytest.raises(ParseError, match="nests more than 100 levels"):
        convert_definition(with_schema(schema), note=lambda sentence: None)
