"""POST of what is no object, of the wrong object, or of one that breaks the rules for all kinds."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.client import Client
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map, pod
from tests.conformance.statuses import assert_failure, assert_invalid, cause
from tests.conformance.texts import CONFIG_KEY, LABEL_NAME, LABEL_VALUE, SUBDOMAIN

NOT_ALLOWED = "the server does not allow this method on the requested resource"


@pytest.mark.parametrize("body", [{"metadata": {}}, {}, None], ids=["empty", "absent", "null"])
def test_no_name(client: Client, namespace: Namespace, body: dict[str, Any] | None) -> None:
    sent = "null" if body is None else {"apiVersion": "v1", "kind": "ConfigMap", **body}
    response = client.post(namespace.config_maps, sent)
    message = "Required value: name or generateName is required"
    assert_invalid(response, "ConfigMap", "", cause("FieldValueRequired", message, "metadata.name"))


@pytest.mark.parametrize(
    ("name", "complaint"),
    [("x" * 254, "must be no more than 253 characters"), ("Bad_Name", SUBDOMAIN), ("-a", SUBDOMAIN)],
    ids=["long", "characters", "dash"],
)
def test_a_name_that_cannot_be(client: Client, namespace: Namespace, name: str, complaint: str) -> None:
    response = client.post(namespace.config_maps, config_map(name))
    expected = cause("FieldValueInvalid", f'Invalid value: "{name}": {complaint}', "metadata.name")
    assert_invalid(response, "ConfigMap", name, expected)


@pytest.mark.parametrize("name", [".", ".."])
def test_a_name_that_is_no_path_segment(client: Client, namespace: Namespace, name: str) -> None:
    response = client.post(namespace.pods, pod(name))
    message = f'Invalid value: "{name}": {SUBDOMAIN}'
    assert_invalid(response, "Pod", name, cause("FieldValueInvalid", message, "metadata.name"))


def test_a_generate_name_that_cannot_be(client: Client, namespace: Namespace) -> None:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "X_"}}
    response = client.post(namespace.config_maps, body)
    name = response.json()["details"]["name"]
    assert name.startswith("X_")
    assert_invalid(
        response,
        "ConfigMap",
        name,
        cause("FieldValueInvalid", f'Invalid value: "X_": {SUBDOMAIN}', "metadata.generateName"),
        cause("FieldValueInvalid", f'Invalid value: "{name}": {SUBDOMAIN}', "metadata.name"),
    )


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        # One at a time: the real server goes through the labels in no order.
        ({"a b": "x"}, f'Invalid value: "a b": {LABEL_NAME}'),
        ({"ok": "-"}, f'Invalid value: "-": {LABEL_VALUE}'),
    ],
    ids=["name", "value"],
)
def test_labels(client: Client, namespace: Namespace, labels: dict[str, str], message: str) -> None:
    response = client.post(namespace.config_maps, config_map("a", labels=labels))
    assert_invalid(response, "ConfigMap", "a", cause("FieldValueInvalid", message, "metadata.labels"))


def test_annotations(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.config_maps, config_map("a", annotations={"a b": "x"}))
    expected = cause("FieldValueInvalid", f'Invalid value: "a b": {LABEL_NAME}', "metadata.annotations")
    assert_invalid(response, "ConfigMap", "a", expected)


def test_annotations_that_are_too_large(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.config_maps, config_map("a", annotations={"a": "x" * 262144}))
    message = "Too long: may not be more than 262144 bytes"
    assert_invalid(response, "ConfigMap", "a", cause("FieldValueTooLong", message, "metadata.annotations"))


def test_finalizers(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.config_maps, config_map("a", finalizers=["a b"]))
    unqualified = 'Invalid value: "a b": name is neither a standard finalizer name nor is it fully qualified'
    assert_invalid(
        response,
        "ConfigMap",
        "a",
        cause("FieldValueInvalid", f'Invalid value: "a b": {LABEL_NAME}', "metadata.finalizers"),
        cause("FieldValueInvalid", unqualified, "metadata.finalizers[0]"),
    )


def test_owner_references_lack_fields(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.config_maps, config_map("a", ownerReferences=[{"apiVersion": "v1"}]))
    message = 'Invalid value: "": must not be empty'
    fields = ("kind", "name", "uid")
    causes = [cause("FieldValueInvalid", message, f"metadata.ownerReferences.{field}") for field in fields]
    assert_invalid(response, "ConfigMap", "a", *causes)


def test_two_controllers(client: Client, namespace: Namespace) -> None:
    owners = [
        {"apiVersion": "v1", "kind": "Pod", "name": name, "uid": name, "controller": True} for name in "ab"
    ]
    response = client.post(namespace.config_maps, config_map("a", ownerReferences=owners))
    message = (
        'Invalid value: [{"apiVersion":"v1","kind":"Pod","name":"a","uid":"a","controller":true},'
        '{"apiVersion":"v1","kind":"Pod","name":"b","uid":"b","controller":true}]: Only one reference '
        "can have "
        'Controller set to true. Found "true" in references for Pod/a and Pod/b'
    )
    assert_invalid(
        response, "ConfigMap", "a", cause("FieldValueInvalid", message, "metadata.ownerReferences")
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"kind": "Secret"},
            (
                'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to '
                "(core.ConfigMap): unknown conversion"
            ),
        ),
        (
            {"kind": "Foo"},
            (
                'Foo in version "v1" cannot be handled as a ConfigMap: no kind "Foo" is registered for '
                'version "v1" '
                'in scheme "pkg/runtime/scheme.go:111"'
            ),
        ),
        (
            {"apiVersion": "apps/v1"},
            (
                'ConfigMap in version "v1" cannot be handled as a ConfigMap: no kind "ConfigMap" is '
                "registered for "
                'version "apps/v1" in scheme "pkg/runtime/scheme.go:111"'
            ),
        ),
        (
            {"apiVersion": "v2"},
            (
                'ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is '
                "registered for "
                'version "v2" in scheme "pkg/runtime/scheme.go:111"'
            ),
        ),
    ],
    ids=["another kind", "no kind", "another group", "no version"],
)
def test_another_kind_in_the_body(
    client: Client, namespace: Namespace, change: dict[str, str], message: str
) -> None:
    response = client.post(namespace.config_maps, {**config_map("a"), **change})
    assert_failure(response, 400, "BadRequest", message)


UNRECOGNIZED = "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; "


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("{", "json parse error: unexpected end of JSON input ({)"),
        (
            "[]",
            (
                "json parse error: json: cannot unmarshal array into Go value of type struct "
                '{ APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string '
                '"json:\\"kind,omitempty\\"" } (5b5d)'
            ),
        ),
        ("", "json parse error: unexpected end of JSON input (<empty>)"),
    ],
    ids=["half", "array", "empty"],
)
def test_no_object_in_the_body(client: Client, namespace: Namespace, body: str, complaint: str) -> None:
    assert_failure(client.post(namespace.config_maps, body), 400, "BadRequest", UNRECOGNIZED + complaint)


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        (
            {"data": {"a": 1}},
            "json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
        ),
        (
            {"data": "x"},
            "json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string",
        ),
        (
            {"metadata": {"name": 1}},
            "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string",
        ),
        ({"binaryData": {"a": "!!"}}, "illegal base64 data at input byte 0"),
        (
            {"metadata": {"name": "a", "creationTimestamp": "yesterday"}},
            'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
        ),
    ],
    ids=["number for text", "text for map", "nested", "base64", "time"],
)
def test_values_of_wrong_types(
    client: Client, namespace: Namespace, fields: dict[str, Any], complaint: str
) -> None:
    response = client.post(namespace.config_maps, {**config_map("a"), **fields})
    message = f'ConfigMap in version "v1" cannot be handled as a ConfigMap: {complaint}'
    assert_failure(response, 400, "BadRequest", message)


def test_rules_of_the_kind(client: Client, namespace: Namespace) -> None:
    body = {**config_map("a", {"a": "x"}), "binaryData": {"a": "eA==", "b c": "eA=="}}
    response = client.post(namespace.config_maps, body)
    duplicate = 'Invalid value: "a": duplicate of key present in binaryData'
    assert_invalid(
        response,
        "ConfigMap",
        "a",
        cause("FieldValueInvalid", duplicate, "data[a]"),
        cause("FieldValueInvalid", f'Invalid value: "b c": {CONFIG_KEY}', "binaryData[b c]"),
    )


def test_a_config_map_that_is_too_large(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.config_maps, config_map("a", {"a": "x" * 1_100_000}))
    message = "Too long: may not be more than 1048576 bytes"
    assert_invalid(response, "ConfigMap", "a", cause("FieldValueTooLong", message, "[]"))


def test_a_body_that_is_too_large(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.config_maps, config_map("a", {"a": "x" * 3_200_000}))
    message = "Request entity too large: limit is 3145728"
    assert_failure(response, 413, "RequestEntityTooLarge", message)


@pytest.mark.parametrize(
    ("query", "reason", "message"),
    [
        (
            {"dryRun": "Some"},
            "FieldValueNotSupported",
            'Unsupported value: ["Some"]: supported values: "All"',
        ),
        ({"fieldManager": "x" * 129}, "FieldValueTooLong", "Too long: may not be more than 128 bytes"),
        (
            {"fieldManager": "x\x01"},
            "FieldValueInvalid",
            'Invalid value: "x\\x01": invalid character U+0001 (at position 1)',
        ),
        (
            {"fieldValidation": "Nope"},
            "FieldValueNotSupported",
            'Unsupported value: "Nope": supported values: "", "Ignore", "Strict", "Warn"',
        ),
    ],
    ids=["dryRun", "long manager", "unprintable manager", "fieldValidation"],
)
def test_options_that_cannot_be(
    client: Client, namespace: Namespace, query: dict[str, Any], reason: str, message: str
) -> None:
    response = client.post(namespace.config_maps, config_map("a"), **query)
    expected = cause(reason, message, next(iter(query)))
    assert_invalid(response, "CreateOptions.meta.k8s.io", "", expected)


def test_posting_to_an_object(client: Client, namespace: Namespace) -> None:
    response = client.post(f"{namespace.config_maps}/a", config_map("a"))
    assert_failure(response, 405, "MethodNotAllowed", NOT_ALLOWED, {})


def test_posting_to_all_namespaces(client: Client, namespace: Namespace) -> None:
    response = client.post("/api/v1/configmaps", config_map("a", namespace=namespace.name))
    assert_failure(response, 405, "MethodNotAllowed", NOT_ALLOWED, {})
