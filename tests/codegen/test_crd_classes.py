"""What becomes of single schemas: names, types, defaults, and what Python has no words for."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from kubewright.codegen.crd_files import read_definitions, write_files
from kubewright.codegen.crd_literals import prose, text_literal
from kubewright.codegen.crd_names import type_modules
from kubewright.codegen.crd_types import type_files
from kubewright.machinery.errors import ParseError
from tests.codegen.crd_definitions import definition, server_errors, whole

GROUP = "example.com"


def files(*definitions: dict[str, Any]) -> dict[str, str]:
    return type_files(definitions, note=lambda sentence: None)


def thing(spec: dict[str, Any], kind: str = "Thing", **rules: Any) -> dict[str, Any]:
    return definition(GROUP, kind, f"{kind.lower()}s", {"v1": whole(spec, None, **rules)})


def loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *definitions: dict[str, Any]) -> ModuleType:
    write_files(tmp_path / "made", files(*definitions))
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.partition(".")[0] == "made"]:
        del sys.modules[name]
    return import_module("made.example_v1")


def emitted_spec(module: ModuleType, kind: str = "Thing") -> dict[str, Any]:
    """The schema of `spec` that comes back, as it would be sent."""
    crd = getattr(module, kind).crd(max_description=0).to_dict()
    assert server_errors(crd) == []
    spec: dict[str, Any] = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    return tidy(spec)


def tidy(schema: Any) -> Any:
    """A schema without empty lists of fields, which say nothing."""
    if not isinstance(schema, dict):
        return schema
    return {
        name: {key: tidy(each) for key, each in value.items()} if name == "properties" else tidy(value)
        for name, value in schema.items()
        if name != "properties" or value
    }


KEYWORDS = [
    {"type": "object", "properties": {"a": {"type": "boolean", "default": True}}, "default": {}},
    {"type": "string", "minLength": 1, "maxLength": 5, "pattern": "^\"a|\\d'$"},
    {"type": "string", "format": "email"},
    {"type": "string", "format": "a-format-nobody-knows"},
    {"type": "string", "format": "date-time"},
    {"type": "string", "format": "date-time", "maxLength": 30},
    {"type": "string", "format": "byte"},
    {"type": "string", "enum": ["a", "", 'b"c']},
    {"type": "string", "enum": ["a"], "default": "a", "nullable": True},
    {"type": "string", "default": "", "title": "A title"},
    {"type": "integer"},
    {"type": "integer", "minimum": 1, "default": 3},
    {"type": "integer", "nullable": True},
    {"type": "number"},
    {"type": "number", "maximum": 0.5, "default": 0.25},
    {"type": "array", "items": {"type": "integer"}},
    {"type": "object", "additionalProperties": {"type": "number"}},
    {"type": "integer", "format": "int32", "minimum": 0, "maximum": 9, "exclusiveMaximum": True},
    {"type": "integer", "format": "int64", "multipleOf": 5, "default": 0},
    {"type": "integer", "enum": [1, 2], "default": 2},
    {"type": "integer", "format": "int64", "minimum": 0.5},
    {"type": "integer", "format": "int64", "nullable": True, "default": 3},
    {"type": "number", "format": "float", "minimum": 0.5, "default": 1.5},
    {"type": "number", "format": "double", "enum": [0.5, 1]},
    {"type": "boolean", "default": False},
    {"type": "boolean", "default": True, "enum": [True]},
    {"type": "array", "items": {"type": "string", "maxLength": 3}, "x-kubernetes-list-type": "set"},
    {"type": "array", "items": {"type": "string"}, "default": ["a"], "minItems": 1, "maxItems": 2},
    {"type": "array", "items": {"type": "string"}, "default": [], "x-kubernetes-list-type": "atomic"},
    {"type": "array", "items": {"type": "string", "nullable": True}},
    {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string", "default": "x"}}}},
    {"type": "array", "items": {"type": "array", "items": {"type": "boolean"}}, "nullable": True},
    {"type": "object", "additionalProperties": {"type": "string", "minLength": 1}, "maxProperties": 3},
    {"type": "object", "additionalProperties": {"type": "string"}, "default": {"a": "b"}},
    {"type": "object", "additionalProperties": {"type": "string"}, "default": {}},
    {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}},
    {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {"type": "boolean"}}}},
    {"type": "object", "additionalProperties": {"x-kubernetes-preserve-unknown-fields": True}},
    {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "x-kubernetes-map-type": "atomic"},
    {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "required": ["a"]},
    {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "default": {"a": [1, None]}},
    {
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
        "x-kubernetes-embedded-resource": True,
    },
    {"type": "object"},
    {"type": "object", "default": {}},
    {"x-kubernetes-preserve-unknown-fields": True},
    {"x-kubernetes-preserve-unknown-fields": True, "default": "text", "nullable": True},
    {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}], "default": 80},
    {
        "x-kubernetes-int-or-string": True,
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "pattern": "^[0-9]+%$",
        "maxLength": 4,
    },
    {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
        "not": {"required": ["a", "b"]},
        "minProperties": 1,
        "default": {"a": "x"},
    },
    {
        "type": "object",
        "properties": {"a": {"type": "integer", "format": "int64", "default": 1}},
        "default": {"a": 1},
        "x-kubernetes-validations": [
            {"rule": "!has(self.a) || self.a > 0", "message": "a \"quoted\" 'one'"},
            {"rule": "self == oldSelf", "messageExpression": "'a' + 'b'", "reason": "FieldValueForbidden"},
        ],
    },
    {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        },
    },
    {
        "type": "string",
        "maxLength": 5,
        "x-kubernetes-validations": [{"rule": "self == oldSelf.orValue('')", "optionalOldSelf": True}],
    },
]


@pytest.mark.parametrize("schema", KEYWORDS, ids=str)
@pytest.mark.parametrize("required", [False, True])
def test_every_keyword_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, schema: dict[str, Any], *, required: bool
) -> None:
    spec: dict[str, Any] = {"type": "object", "properties": {"field": schema}}
    if required and "default" not in schema:
        spec["required"] = ["field"]
    assert server_errors(thing(spec)) == []
    assert emitted_spec(loaded(tmp_path, monkeypatch, thing(spec))) == spec


def test_a_default_is_what_python_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quantity = {
        "x-kubernetes-int-or-string": True,
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "pattern": (
            r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
            r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
        ),
        "default": "1Gi",
    }
    inner = {"type": "object", "properties": {"a": {"type": "string"}}, "default": {"a": "x"}}
    spec = {
        "type": "object",
        "properties": {
            "size": quantity,
            "on": {"type": "boolean", "default": True},
            "names": {"type": "array", "items": {"type": "string"}, "default": ["a", "b"]},
            "inner": inner,
            "inners": {"type": "array", "items": {**inner, "default": None}, "default": [{"a": "y"}]},
        },
    }
    spec["properties"]["inners"]["items"].pop("default")
    module = loaded(tmp_path, monkeypatch, thing(spec))
    made = module.ThingSpec()
    assert (str(made.size), made.on, made.names, made.inner.a) == ("1Gi", True, ["a", "b"], "x")
    assert made.inners[0].a == "y"
    assert emitted_spec(module) == spec


def test_names_in_python_are_names_and_those_on_the_wire_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire_names = ["class", "fooBar", "foo_bar", "foo-bar", "copy", "$ref", "_", "3d", "str", "toDict", "kind"]
    spec = {"type": "object", "properties": {name: {"type": "string"} for name in wire_names}}
    module = loaded(tmp_path, monkeypatch, thing(spec))
    sent = {name: f"value of {name}" for name in wire_names}
    assert module.ThingSpec.from_dict(sent).to_dict() == sent
    assert emitted_spec(module) == spec


def test_fields_of_a_whole_object_leave_its_own_names_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crd = thing({"type": "object"})
    properties = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    taken = ["gvk", "namespaced", "key", "crd", "toYaml"]
    properties |= {name: {"type": "string"} for name in taken}
    sent = {
        "apiVersion": "example.com/v1",
        "kind": "Thing",
        "metadata": {"name": "a"},
        **dict.fromkeys(taken, "x"),
    }
    assert loaded(tmp_path, monkeypatch, crd).Thing.from_dict(sent).to_dict() == sent


def test_classes_are_named_by_their_place_and_never_twice() -> None:
    leaf = {"type": "object", "properties": {"a": {"type": "string"}}}
    spec = {
        "type": "object",
        "properties": {
            "aB": leaf,
            "a-b": leaf,
            "list": {"type": "array", "items": leaf},
            "map": {"type": "object", "additionalProperties": {"type": "array", "items": leaf}},
        },
    }
    (text,) = (each for name, each in files(thing(spec)).items() if name == "example_v1.py")
    for name in ("ThingSpec", "ThingSpecAB", "ThingSpecAB2", "ThingSpecList", "ThingSpecMap"):
        assert text.count(f"class {name}(") == 1


def test_a_kind_may_be_called_like_what_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = {"x-kubernetes-validations": [{"rule": "self != 'a'"}]}
    spec = {"type": "object", "properties": {"field": {"type": "string", "maxLength": 9, **rules}}}
    kinds = ["Field", "Resource", "Rule", "Struct", "RuleSpec"]
    module = loaded(tmp_path, monkeypatch, *(thing(spec, kind) for kind in kinds))
    for kind in kinds:
        assert emitted_spec(module, kind) == spec


def test_the_root_of_a_schema_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crd = thing(
        {"type": "object"}, oneOf=[{"required": ["spec"]}], **{"x-kubernetes-preserve-unknown-fields": True}
    )
    root = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    root["properties"]["metadata"] = {
        "type": "object",
        "properties": {"name": {"type": "string", "maxLength": 9}},
    }
    module = loaded(tmp_path, monkeypatch, crd)
    back = module.Thing.crd(max_description=0).to_dict()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    for each in root["properties"].values():
        each.pop("description", None)
    assert tidy(back) == root


def test_the_declaration_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = whole({"type": "object", "properties": {"replicas": {"type": "integer", "format": "int32"}}})
    names = {"singular": "other", "listKind": "Things", "shortNames": ["t"], "categories": ["all"]}
    crd = definition(
        GROUP, "Thing", "things", dict.fromkeys(("v1", "v1alpha1"), schema), scope="Cluster", names=names
    )
    first, second = crd["spec"]["versions"]
    first["additionalPrinterColumns"] = [
        {
            "name": "N",
            "type": "integer",
            "format": "int64",
            "jsonPath": ".spec.n",
            "priority": 1,
            "description": "D",
        }
    ]
    first["subresources"] = {
        "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"},
        "status": {},
    }
    second |= {"served": False, "deprecated": True}
    spec = loaded(tmp_path, monkeypatch, crd).Thing.crd().to_dict()["spec"]
    for each in (*crd["spec"]["versions"], *spec["versions"]):
        del each["schema"]
    assert spec == {**crd["spec"], "conversion": {"strategy": "None"}}


def test_modules_of_groups_with_the_same_first_word() -> None:
    found = type_modules(
        [("a.example.com", "v1"), ("a.other.com", "v1"), ("b.com", "v1"), ("3scale.net", "v1")]
    )
    assert sorted(found.values()) == ["a_example_com_v1", "a_other_com_v1", "b_v1", "n3scale_v1"]


class TestFiles:
    def test_what_a_person_wrote_stays(self, tmp_path: Path) -> None:
        (tmp_path / "example_v1.py").write_text("mine = 1\n")
        with pytest.raises(ParseError, match="was not generated and stays as it is"):
            write_files(tmp_path, files(thing({"type": "object"})))
        assert [path.name for path in tmp_path.iterdir()] == ["example_v1.py"]
        assert (tmp_path / "example_v1.py").read_text() == "mine = 1\n"

    def test_an_index_that_a_person_wrote_is_no_obstacle(self, tmp_path: Path) -> None:
        (tmp_path / "__init__.py").write_text("mine = 1\n")
        written = write_files(tmp_path, files(thing({"type": "object"})))
        assert [path.name for path in written] == ["example_v1.py", "py.typed"]
        assert (tmp_path / "__init__.py").read_text() == "mine = 1\n"

    def test_what_was_generated_is_replaced_by_its_like_only(self, tmp_path: Path) -> None:
        assert write_files(tmp_path, files(thing({"type": "object"})))
        assert write_files(tmp_path, files(thing({"type": "object"}))) == []
        changed = write_files(tmp_path, files(thing({"type": "object"}, "Other")))
        assert [path.name for path in changed] == ["example_v1.py"]
        other = definition("example.org", "Thing", "things", {"v1": whole({"type": "object"})})
        with pytest.raises(ParseError, match=r"holds the types of example\.com/v1; name another --output"):
            write_files(tmp_path, files(other))

    def test_definitions_are_found_in_lists_and_folders(self, tmp_path: Path) -> None:
        import msgspec

        crd = thing({"type": "object"})
        listed = {"apiVersion": "v1", "kind": "List", "items": [crd, {"kind": "Pod"}]}
        (tmp_path / "list.json").write_bytes(msgspec.json.encode(listed))
        (tmp_path / "inner").mkdir()
        (tmp_path / "inner" / "template.yaml").write_text("{{ not: yaml")
        assert read_definitions(tmp_path, note=print) == [crd]

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            ("kind: Pod", "there is no CustomResourceDefinition in it"),
            ("a: [", "line 2, column 1"),
        ],
    )
    def test_what_cannot_be_read_is_named(self, tmp_path: Path, text: str, complaint: str) -> None:
        path = tmp_path / "crd.yaml"
        path.write_text(text)
        with pytest.raises(ParseError, match=complaint) as raised:
            read_definitions(path, note=print)
        assert str(path) in str(raised.value)


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        ({"spec": None}, "things.example.com has no spec"),
        ({"spec": {"group": GROUP, "names": {"kind": "A B"}}}, "says no group and kind"),
        ({"spec": {"group": 'a"""\nimport os', "names": {"kind": "A"}}}, "says no group and kind"),
        ({"spec": {"group": "../a.example.com", "names": {"kind": "A"}}}, "says no group and kind"),
        (
            {"spec": {"group": GROUP, "names": {"kind": "A"}, "versions": [{"name": "../../v1"}]}},
            "has a version '../../v1', which is no version",
        ),
        ({"spec": {"group": GROUP, "names": {"kind": "A"}, "versions": []}}, "has no versions"),
        (
            {"spec": {"group": GROUP, "names": {"kind": "A"}, "versions": [{"name": "v1"}]}},
            "no schema for v1",
        ),
        ({"metadata": 1}, "without a name is no correct definition"),
        ({"spec": {"group": GROUP, "names": {"kind": "A"}, "versions": [1]}}, "is no correct definition"),
        (
            {
                "spec": {
                    "group": GROUP,
                    "names": {"kind": "A"},
                    "versions": [{"name": "v1", "schema": {"openAPIV3Schema": {"properties": [1]}}}],
                }
            },
            "things.example.com is no correct definition",
        ),
    ],
)
def test_broken_definitions_are_named(broken: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ParseError, match=complaint):
        files({**thing({"type": "object"}), **broken})


class TestLabelsAndAnnotations:
    def test_those_of_the_definition_come_back(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        labels = {"app.kubernetes.io/name": "thing", "tier": 'a "b"\\'}
        annotations = {"controller-gen.kubebuilder.io/version": "v0.18.0", "note": "line\nline"}
        crd = thing({"type": "object"})
        crd["metadata"] |= {
            "labels": labels | {"app.kubernetes.io/managed-by": "Helm", "helm.sh/chart": "thing-1.0"},
            "annotations": annotations
            | {
                "kubectl.kubernetes.io/last-applied-configuration": "{}",
                "meta.helm.sh/release-name": "thing",
                "argocd.argoproj.io/tracking-id": "x",
            },
        }
        made = loaded(tmp_path, monkeypatch, crd).Thing.crd().to_dict()
        assert made["metadata"] == {
            "name": "things.example.com",
            "labels": labels,
            "annotations": annotations,
        }

    def test_the_stored_version_says_them_for_all(self) -> None:
        schema = whole({"type": "object"})
        crd = definition(GROUP, "Thing", "things", {"v1": schema, "v2": schema}, storage="v2")
        crd["metadata"]["labels"] = {"tier": "a"}
        made = files(crd)
        assert "labels=" not in made["example_v1.py"]
        assert 'labels={"tier": "a"}' in made["example_v2.py"]


def test_a_conversion_webhook_is_said() -> None:
    crd = thing({"type": "object"})
    crd["spec"]["conversion"] = {"strategy": "Webhook"}
    notes: list[str] = []
    type_files([crd], note=notes.append)
    assert notes == [
        "things.example.com: its conversion webhook is not in the types; give crd(conversion=...) yours"
    ]


@pytest.mark.parametrize(
    "text", ["", "a", "'", '"', "'\"", "\\", "a\\d", "\\'", "line\nline", "\x00\u2028é", "a\\"]
)
def test_literals_are_read_back(text: str) -> None:
    assert eval(text_literal(text)) == text  # noqa: S307 - that is what they are for


def test_prose_is_wrapped_and_lists_stay_lists() -> None:
    wrapped = prose("One line\nthat goes on.\n\n\n- a\n- b\n  more\n\n    code", width=20)
    assert wrapped == "One line that goes\non.\n\n- a\n- b\n  more\n\n    code"
    assert prose("One:\n\n  - a\n    b\n  - c", width=20) == "One:\n\n- a\n  b\n- c"
