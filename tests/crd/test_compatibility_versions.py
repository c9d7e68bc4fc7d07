"""Changes of a definition apart from its schemas; what is told as refused, the server refuses."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from kubewright.crd.compatibility import BreakingChange, breaking_changes
from kubewright.crd.structural import parse_schema
from kubewright.crd.validation import validate
from kubewright.machinery.errors import ParseError
from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from kubewright.server.kinds.apiextensions.definition_rules import validate_update

Json = dict[str, Any]
ESTABLISHED = {"type": "Established", "status": "True"}
SIZE: Json = {"type": "integer"}


def schema(**spec: Json) -> Json:
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": spec}}}


def version(name: str = "v1", of: Json | None = None, **fields: Any) -> Json:
    schemas = {"openAPIV3Schema": of or schema(size=SIZE)}
    return {"name": name, "served": True, "storage": name == "v1", "schema": schemas, **fields}


def definition(*versions: Json, stored: list[str] | None = None, **spec: Any) -> Json:
    made: Json = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "things", "kind": "Thing", "singular": "thing", "listKind": "ThingList"},
            "versions": list(versions) or [version()],
            **spec,
        },
    }
    if stored is not None:
        made["status"] = {"storedVersions": stored}
    return made


def told(old: Json, new: Json) -> list[BreakingChange]:
    return breaking_changes(CustomResourceDefinition.from_dict(old), CustomResourceDefinition.from_dict(new))


def server_refuses(old: Json, new: Json, stored: list[str]) -> bool:
    """Whether the server refuses to update one definition to another, which keeps its status."""
    status = {"storedVersions": stored, "conditions": [ESTABLISHED], "acceptedNames": old["spec"]["names"]}
    before = copy.deepcopy(old) | {"status": status}
    names = [
        each["name"] for each in new["spec"]["versions"] if each["storage"] and each["name"] not in stored
    ]
    after = copy.deepcopy(new) | {"status": status | {"storedVersions": [*stored, *names]}}
    return bool(validate_update(after, before))


NAMES: Json = definition()["spec"]["names"]
REFUSED = [
    ("spec.group", definition(group="other.com"), "it changes from example.com to other.com"),
    ("spec.names.plural", definition(names={**NAMES, "plural": "stuff"}), "it changes from things to stuff"),
    ("spec.names.kind", definition(names={**NAMES, "kind": "Stuff"}), "it changes from Thing to Stuff"),
    ("spec.scope", definition(scope="Cluster"), "it changes from Namespaced to Cluster"),
    ("spec.versions", definition(version(storage=False)), "exactly one version must have storage: true"),
    ("spec.versions", definition(version(), version("v2", storage=True)), "exactly one version"),
]


@pytest.mark.parametrize(("path", "new", "message"), REFUSED, ids=[case[0] for case in REFUSED])
def test_what_the_server_refuses_is_told(path: str, new: Json, message: str) -> None:
    old = definition()
    [change] = told(old, new)
    assert (change.version, change.path, change.kind) == ("", path, "refused")
    assert message in change.message
    assert str(change) == f"{path}: {change.message}"
    assert server_refuses(old, new, ["v1"])


def test_the_versions_of_another_definition_are_not_compared() -> None:
    new = definition(version("v3", storage=True), group="other.com", scope="Cluster")
    assert [change.path for change in told(definition(), new)] == ["spec.group", "spec.scope"]


def test_the_versions_are_compared_beside_what_is_refused() -> None:
    new = definition(version(of=schema()), scope="Cluster")
    assert [change.path for change in told(definition(), new)] == ["spec.scope", ".spec.size"]


def test_a_storage_version_that_is_removed_is_refused() -> None:
    new = definition(version("v2", storage=True))
    [change] = told(definition(), new)
    assert (change.version, change.path, change.kind) == ("v1", "", "refused")
    assert str(change).startswith("v1: it is removed while objects may be stored in it")
    assert server_refuses(definition(), new, ["v1"])


def test_a_version_that_was_the_storage_version_once_is_refused() -> None:
    old = definition(version(), version("v1beta1"), stored=["v1beta1", "v1"])
    [change] = told(old, definition())
    assert (change.version, change.kind) == ("v1beta1", "refused")
    assert server_refuses(old, definition(), ["v1beta1", "v1"])


def test_a_served_version_that_is_removed_is_not_served() -> None:
    for stored in (None, ["v1"]):
        [change] = told(definition(version(), version("v1beta1"), stored=stored), definition())
        assert (change.version, change.kind) == ("v1beta1", "not served")


def test_a_version_that_nobody_uses_may_go() -> None:
    old = definition(version(), version("v1beta1", served=False), stored=["v1"])
    assert told(old, definition()) == []
    assert not server_refuses(old, definition(), ["v1"])
    # Without the status nobody knows whether there are objects in it.
    [change] = told(definition(version(), version("v1beta1", served=False)), definition())
    assert (change.version, change.kind) == ("v1beta1", "refused")
    assert "compare with the definition on the server" in change.message


def test_a_version_that_is_no_longer_served() -> None:
    old, new = (
        definition(version(), version("v1beta1")),
        definition(version(), version("v1beta1", served=False)),
    )
    old["spec"]["versions"][1]["subresources"] = {"status": {}}
    [change] = told(old, new)
    assert (change.version, change.kind) == ("v1beta1", "not served")
    assert told(new, old) == []


def test_names_columns_and_words_are_harmless() -> None:
    column = {"name": "Size", "type": "integer", "jsonPath": ".spec.size"}
    new = definition(
        version(additionalPrinterColumns=[column], deprecated=True, deprecationWarning="use v2"),
        version("v2"),
        names={**NAMES, "shortNames": ["th"], "categories": ["all"], "singular": "one", "listKind": "Things"},
    )
    assert told(definition(), new) == []


def test_a_schema_that_is_not_served_only_loses_data() -> None:
    old = definition(version(), version("v2", of=schema(size=SIZE, color={"type": "string"})))
    narrow = schema(size={**SIZE, "maximum": 1})
    stored = ["v1", "v2"]
    new = definition(version(), version("v2", of=narrow, served=False))
    changes = told({**old, "status": {"storedVersions": stored}}, new)
    assert [(change.path, change.kind) for change in changes] == [("", "not served"), (".spec.color", "lost")]


def test_what_is_compared_is_what_may_have_objects() -> None:
    narrow = schema(size={**SIZE, "maximum": 1})
    new = definition(version(), version("v2", of=narrow))
    assert told(definition(version(), version("v2", served=False)), new) == []
    [change] = told(definition(version(), version("v2")), new)
    assert str(change) == ("v2 .spec.size: maximum 1 is added, so stored objects with more become invalid")


def test_subresources_and_selectable_fields_that_are_removed() -> None:
    scale = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}
    old = definition(
        version(subresources={"status": {}, "scale": scale}, selectableFields=[{"jsonPath": ".spec.size"}])
    )
    changes = told(old, definition())
    assert [(change.version, change.kind) for change in changes] == [("v1", "not served")] * 3
    assert [change.message.split(" is removed")[0] for change in changes] == [
        "the subresource status",
        "the subresource scale",
        "the selectable field .spec.size",
    ]
    assert told(old, old) == []


@pytest.mark.parametrize(
    ("size", "value"),
    [
        (SIZE, -1),
        ({**SIZE, "minimum": 0}, 2**40),
        ({**SIZE, "format": "int32"}, -1),
        ({"type": "string"}, "a"),
        ({**SIZE, "minimum": 0, "maximum": 3, "nullable": True}, None),
        ({"x-kubernetes-int-or-string": True}, "a"),
    ],
)
def test_a_scale_subresource_allows_fewer_numbers(size: Json, value: Any) -> None:
    scale = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}
    before = schema(size=size)
    old, new = definition(version(of=before)), definition(version(of=before, subresources={"scale": scale}))
    [change] = told(old, new)
    assert (change.path, change.kind) == (".spec.size", "invalid")
    assert "integers from 0 to 2147483647" in change.message
    obj = {"spec": {"size": value}}
    assert not validate(obj, parse_schema(before))
    assert validate(obj, parse_schema(before), scale=scale)


def test_a_scale_subresource_on_good_fields_is_harmless() -> None:
    scale = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}
    for size in ({**SIZE, "minimum": 0, "format": "int32"}, {**SIZE, "minimum": 0, "maximum": 2**31 - 1}):
        before = schema(size=size)
        new = definition(version(of=before, subresources={"scale": scale}))
        assert told(definition(version(of=before)), new) == []
        wider = definition(version(of=schema(size=SIZE), subresources={"scale": scale}))
        assert told(new, wider) == []


@pytest.mark.parametrize(
    "spec",
    [
        {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"type": "string"},
    ],
)
def test_a_scale_subresource_on_fields_that_nobody_checks(spec: Json) -> None:
    scale = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}
    before = {"type": "object", "properties": {"spec": spec}}
    new = definition(version(of=before, subresources={"scale": scale}))
    assert [change.path for change in told(definition(version(of=before)), new)] == [".spec.size"]
    obj: Json = {"spec": "a" if spec["type"] == "string" else {"size": -1}}
    assert not validate(obj, parse_schema(before))
    assert validate(obj, parse_schema(before), scale=scale)


def test_a_selector_of_scale_is_a_text() -> None:
    scale = {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n", "labelSelectorPath": ".spec.s"}
    new = version(of=schema(s=SIZE), subresources={"scale": scale})
    [change] = told(definition(version(of=schema(s=SIZE))), definition(new))
    assert (change.path, change.kind) == (".spec.s", "invalid")
    text = schema(s={"type": "string"})
    scaled = version(of=text, subresources={"scale": scale})
    assert told(definition(version(of=text)), definition(scaled)) == []


def test_unknown_fields_that_are_no_longer_preserved() -> None:
    old = definition(preserveUnknownFields=True)
    [change] = told(old, definition(preserveUnknownFields=False))
    assert (change.path, change.kind) == ("spec.preserveUnknownFields", "lost")
    # As long as they are preserved, a property that is removed is one of them.
    assert told(old, definition(version(of=schema()), preserveUnknownFields=True)) == []


def test_a_webhook_that_is_removed() -> None:
    webhook = {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"]}}
    other = version("v2", of=schema(count=SIZE))
    [change] = told(definition(version(), other, conversion=webhook), definition(version(), other))
    assert (change.path, change.kind) == ("spec.conversion", "lost")
    same = (version(), version("v2"))
    assert told(definition(*same, conversion=webhook), definition(*same)) == []


def test_another_storage_version_with_no_conversion() -> None:
    other = version("v2", of=schema(count=SIZE))
    old = definition(version(), other)
    new = definition(version(storage=False), {**other, "storage": True})
    [change] = told(old, new)
    assert (change.version, change.path, change.kind) == ("v2", ".spec.size", "lost")
    assert change.message.startswith("objects that were stored as v1 are now stored as it with no conversion")
    narrow = version("v2", of=schema(size={**SIZE, "maximum": 1}))
    [change] = told(
        definition(version(), narrow), definition(version(storage=False), {**narrow, "storage": True})
    )
    assert (change.version, change.path, change.kind) == ("v2", ".spec.size", "invalid")
    webhook = {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"]}}
    assert told(old, {**new, "spec": {**new["spec"], "conversion": webhook}}) == []


def test_a_rule_about_changes_keeps_stored_objects_valid() -> None:
    rule = {"x-kubernetes-validations": [{"rule": "self == oldSelf"}]}
    [change] = told(definition(), definition(version(of=schema(size={**SIZE, **rule}))))
    assert change.kind == "updates"
    assert str(change) == (
        "v1 .spec.size: the rule 'self == oldSelf' is added, so updates that it forbids are refused; "
        "stored objects stay valid"
    )
    quoted = {"x-kubernetes-validations": [{"rule": "string(self) != 'oldSelf'"}]}
    [change] = told(definition(), definition(version(of=schema(size={**SIZE, **quoted}))))
    assert change.kind == "invalid"


def test_metadata_and_the_root_of_the_schema() -> None:
    root = schema(size=SIZE)
    named = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 3}}}
    new = {**root, "properties": {**root["properties"], "metadata": named}, "required": ["kind", "metadata"]}
    [change] = told(definition(version(of=root)), definition(version(of=new)))
    assert (change.path, change.kind) == (".metadata.name", "invalid")
    plain = {**root, "properties": {**root["properties"], "metadata": {"type": "object"}}}
    assert told(definition(version(of=root)), definition(version(of=plain))) == []
    assert told(definition(version(of=plain)), definition(version(of=root))) == []


def test_a_version_without_a_schema_allows_anything() -> None:
    free = {"name": "v1", "served": True, "storage": True}
    assert told(definition(), definition(free)) == []
    [first, *_] = told(definition(free), definition())
    assert first.kind == "invalid"


def test_a_schema_that_cannot_be_read_names_its_version() -> None:
    with pytest.raises(ParseError, match=r"version v1: OpenAPIV3Schema '\$ref' is not supported"):
        told(definition(), definition(version(of={"$ref": "#/x"})))


def test_long_rules_are_shortened_and_on_one_line() -> None:
    rule = {"x-kubernetes-validations": [{"rule": "self > 0 &&\n  " + " && ".join(["self != 7"] * 30)}]}
    [change] = told(definition(), definition(version(of=schema(size={**SIZE, **rule}))))
    assert "\n" not in str(change)
    assert len(str(change)) < 250
