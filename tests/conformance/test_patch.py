"""PATCH: what all four kinds have in common, and merge patches."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.client import Client
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map, deployment
from tests.conformance.statuses import (
    assert_conflict,
    assert_failure,
    assert_invalid,
    assert_patch_refused,
    cause,
    not_found,
)
from tests.conformance.texts import CONFIG_KEY, LABEL_NAME

KINDS = ["merge-patch+json", "strategic-merge-patch+json"]


def created(namespace: Namespace, data: dict[str, str] | None = None, **fields: Any) -> tuple[str, Any]:
    """A config map "a": its path, and itself."""
    made = namespace.create(namespace.config_maps, config_map("a", data, **fields))
    return f"{namespace.config_maps}/a", made


@pytest.mark.parametrize("kind", KINDS)
def test_maps_are_merged_and_nulls_remove(client: Client, namespace: Namespace, kind: str) -> None:
    path, made = created(namespace, {"keep": "1", "drop": "2", "change": "3"})
    response = client.patch(path, {"data": {"drop": None, "change": "4", "add": "5"}}, kind=kind)
    assert response.status == 200
    changed = response.json()
    assert changed["data"] == {"keep": "1", "change": "4", "add": "5"}
    assert int(changed["metadata"]["resourceVersion"]) > int(made["metadata"]["resourceVersion"])
    assert client.get(path).json() == changed


@pytest.mark.parametrize("kind", [*KINDS, "json-patch+json"])
def test_a_patch_that_changes_nothing_keeps_the_revision(
    client: Client, namespace: Namespace, kind: str
) -> None:
    path, made = created(namespace, {"k": "v"})
    empty: object = [] if kind == "json-patch+json" else {}
    assert client.patch(path, empty, kind=kind).json() == made
    if kind != "json-patch+json":
        assert client.patch(path, {"data": {"k": "v"}}, kind=kind).json() == made


@pytest.mark.parametrize("kind", [*KINDS, "json-patch+json"])
def test_what_is_not_there(client: Client, namespace: Namespace, kind: str) -> None:
    body: object = [] if kind == "json-patch+json" else {}
    response = client.patch(f"{namespace.config_maps}/a", body, kind=kind)
    assert response.status == 404
    assert response.json() == not_found("configmaps", "a")


@pytest.mark.parametrize("kind", KINDS)
def test_a_revision_in_the_patch_is_a_precondition(client: Client, namespace: Namespace, kind: str) -> None:
    path, made = created(namespace)
    revision = made["metadata"]["resourceVersion"]
    patch = {"metadata": {"resourceVersion": revision}, "data": {"k": "v"}}
    assert client.patch(path, patch, kind=kind).status == 200
    patch["data"] = {"k": "w"}
    assert_conflict(client.patch(path, patch, kind=kind), "configmaps", "a")


def test_without_a_revision_patches_of_many_at_once_all_succeed(client: Client, namespace: Namespace) -> None:
    from concurrent.futures import ThreadPoolExecutor

    path, _ = created(namespace)
    with ThreadPoolExecutor(8) as pool:
        answers = pool.map(lambda number: client.patch(path, {"data": {f"k{number}": "v"}}).status, range(40))
        assert set(answers) == {200}
    assert len(client.get(path).json()["data"]) == 40


def test_dry_run(client: Client, namespace: Namespace) -> None:
    path, made = created(namespace)
    response = client.patch(path, {"data": {"k": "dry"}}, dryRun="All")
    assert response.json()["data"] == {"k": "dry"}
    assert response.json()["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]
    assert client.get(path).json() == made


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        ({"metadata": {"name": "b"}}, "the name of the object (b) does not match the name on the URL (a)"),
        (
            {"metadata": {"namespace": "b"}},
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        (
            {"metadata": None},
            "the name of the object (a based on URL) was undeterminable: name must be provided",
        ),
    ],
    ids=["name", "namespace", "no metadata"],
)
def test_the_identity_cannot_be_patched(
    client: Client, namespace: Namespace, patch: dict[str, Any], message: str
) -> None:
    path, _ = created(namespace)
    assert_failure(client.patch(path, patch), 400, "BadRequest", message)


def test_the_uid_cannot_be_patched(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    expected = cause("FieldValueInvalid", 'Invalid value: "other": field is immutable', "metadata.uid")
    assert_invalid(client.patch(path, {"metadata": {"uid": "other"}}), "ConfigMap", "a", expected, expected)


def test_a_revision_that_is_none(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    response = client.patch(path, {"metadata": {"resourceVersion": "abc"}})
    assert_failure(response, 500, None, 'strconv.ParseUint: parsing "abc": invalid syntax')


DECODING = "error decoding patch: "


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("{", f"{DECODING}unexpected end of JSON input"),
        ("", f"{DECODING}unexpected end of JSON input"),
        ("[]", f"{DECODING}json: cannot unmarshal array into Go value of type map[string]interface {{}}"),
        ('"x"', f"{DECODING}json: cannot unmarshal string into Go value of type map[string]interface {{}}"),
        ("null", "Invalid JSON Patch"),
    ],
    ids=["half", "empty", "array", "text", "null"],
)
def test_bodies_that_are_no_merge_patch(
    client: Client, namespace: Namespace, body: str, message: str
) -> None:
    path, _ = created(namespace)
    assert_failure(client.patch(path, body), 400, "BadRequest", message)


@pytest.mark.parametrize(
    ("patch", "end"),
    [
        (
            {"data": {"k": 1}},
            ": json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
        ),
        (
            {"apiVersion": "v2"},
            ': no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"',
        ),
    ],
    ids=["type", "version"],
)
def test_patches_that_lead_to_no_object(
    client: Client, namespace: Namespace, patch: dict[str, Any], end: str
) -> None:
    path, _ = created(namespace)
    assert_patch_refused(client.patch(path, patch), 'Invalid value: "{\\"apiVersion\\":\\"v', end)


def test_rules_of_the_kind(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    expected = cause("FieldValueInvalid", f'Invalid value: "a b": {CONFIG_KEY}', "data[a b]")
    assert_invalid(client.patch(path, {"data": {"a b": "x"}}), "ConfigMap", "a", expected)


def test_rules_of_metadata(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    response = client.patch(path, {"metadata": {"labels": {"a b": "x"}}})
    expected = cause("FieldValueInvalid", f'Invalid value: "a b": {LABEL_NAME}', "metadata.labels")
    causes = [expected] * len(response.json()["details"]["causes"])
    assert_invalid(response, "ConfigMap", "a", *causes)


def test_rules_about_changes(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.deployments, deployment("a"))
    response = client.patch(f"{namespace.deployments}/a", {"spec": {"selector": {"matchLabels": {"a": "b"}}}})
    assert_invalid(
        response,
        "Deployment.apps",
        "a",
        cause(
            "FieldValueInvalid",
            'Invalid value: {"app":"a"}: `selector` does not match template `labels`',
            "spec.template.metadata.labels",
        ),
        cause(
            "FieldValueInvalid",
            'Invalid value: {"matchLabels":{"a":"b","app":"a"}}: field is immutable',
            "spec.selector",
        ),
    )


@pytest.mark.parametrize("kind", ["json", "merge-patch+yaml", "yaml", "x"])
def test_content_types_that_are_no_patch(client: Client, namespace: Namespace, kind: str) -> None:
    path, _ = created(namespace)
    response = client.patch(path, "{}", kind=kind)
    assert_failure(response, 415, "UnsupportedMediaType", "415: Unsupported Media Type", {})
    assert response.headers["Accept-Patch"] is None


def test_no_content_type(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    response = client.patch(path, "{}", headers={"Content-Type": ""})
    assert_failure(response, 415, "UnsupportedMediaType", "415: Unsupported Media Type", {})


def test_parameters_of_the_content_type_are_not_looked_at(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    for charset in ("utf-8", "latin1"):
        kind = f"merge-patch+json; charset={charset}"
        assert client.patch(path, {"data": {"k": charset}}, kind=kind).json()["data"] == {"k": charset}


def test_force_is_for_apply(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    response = client.patch(path, {}, force="true")
    expected = cause("FieldValueForbidden", "Forbidden: may not be specified for non-apply patch", "force")
    assert_invalid(response, "PatchOptions.meta.k8s.io", "", expected)


def test_a_long_manager(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    response = client.patch(path, {}, fieldManager="x" * 129)
    expected = cause("FieldValueTooLong", "Too long: may not be more than 128 bytes", "fieldManager")
    assert_invalid(response, "PatchOptions.meta.k8s.io", "", expected)


def test_a_collection_has_no_patch(client: Client, namespace: Namespace) -> None:
    response = client.patch(namespace.config_maps, {})
    message = "the server does not allow this method on the requested resource"
    assert_failure(response, 405, "MethodNotAllowed", message, {})
