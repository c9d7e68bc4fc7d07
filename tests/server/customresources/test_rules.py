"""Conditions that a real server cannot be brought to easily, and what is told of v1beta1."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from kubewright.server.customresources.conditions import (
    api_approval_condition,
    condition,
    deletion_failed_condition,
    established_condition,
    find_condition,
    non_structural_schema_condition,
    remove_condition,
    set_condition,
    terminating_condition,
)
from kubewright.server.customresources.naming import accept_names
from kubewright.server.customresources.v1beta1 import explain_v1beta1
from kubewright.server.kinds import kind_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_the_time_changes_with_the_status_only() -> None:
    crd: dict[str, Any] = {}
    set_condition(crd, condition("A", "False", "R", "m"), NOW)
    set_condition(crd, condition("A", "False", "S", "n"), NOW + timedelta(hours=1))
    assert crd["status"]["conditions"] == [
        {
            "lastTransitionTime": "2026-01-01T00:00:00Z",
            "type": "A",
            "status": "False",
            "reason": "S",
            "message": "n",
        }
    ]
    set_condition(crd, condition("A", "True", "S", "n"), NOW + timedelta(hours=2))
    changed = find_condition(crd, "A")
    assert changed is not None
    assert changed["lastTransitionTime"] == "2026-01-01T02:00:00Z"
    remove_condition(crd, "A")
    assert find_condition(crd, "A") is None


def test_a_definition_with_a_bad_bundle_is_not_established() -> None:
    crd = {
        "spec": {"conversion": {"webhook": {"clientConfig": {"caBundle": "Cg=="}}}},
        "status": {"conditions": [condition("NamesAccepted", "True", "NoConflicts", "no conflicts found")]},
    }
    assert established_condition(crd) == condition(
        "Established", "False", "InvalidCABundle", "The conversion webhook CABundle is invalid"
    )


def test_established_waits_for_names_and_comes_once() -> None:
    assert established_condition({"status": {}}) is None
    done = [condition("NamesAccepted", "True", "", ""), condition("Established", "True", "", "")]
    assert established_condition({"status": {"conditions": done}}) is None


def test_schemas_that_are_not_structural() -> None:
    schema = {"type": "object", "properties": {"a": {}, "b": {}}}
    crd = {
        "spec": {
            "preserveUnknownFields": True,
            "versions": [{"name": "v1", "schema": {"openAPIV3Schema": schema}}],
        }
    }
    found = non_structural_schema_condition(crd)
    assert found is not None
    assert (found["status"], found["reason"]) == ("True", "Violations")
    path = "spec.versions[0].schema.openAPIV3Schema.properties"
    assert found["message"] == (
        "[spec.preserveUnknownFields: Invalid value: true: must be false, "
        f"{path}[a].type: Required value: must not be empty for specified object fields, "
        f"{path}[b].type: Required value: must not be empty for specified object fields]"
    )
    crd["spec"]["versions"] = [{"name": "v1", "schema": {"openAPIV3Schema": {"$ref": "x"}}}]
    assert non_structural_schema_condition(crd) == condition(
        "NonStructuralSchema",
        "Unknown",
        "StructuralError",
        "failed to check validation schema for version v1: OpenAPIV3Schema '$ref' is not supported",
    )


@pytest.mark.parametrize(
    ("annotation", "status", "reason"),
    [
        ("", "False", "MissingAnnotation"),
        ("yes", "False", "InvalidAnnotation"),
        ("unapproved", "False", "UnapprovedAnnotation"),
        ("https://github.com/a", "True", "ApprovedAnnotation"),
    ],
)
def test_approval(annotation: str, status: str, reason: str) -> None:
    crd = {
        "spec": {"group": "a.k8s.io"},
        "metadata": {"annotations": {"api-approved.kubernetes.io": annotation}},
    }
    found = api_approval_condition(crd)
    assert found is not None
    assert (found["status"], found["reason"]) == (status, reason)
    assert api_approval_condition({"spec": {"group": "example.com"}}) is None


@pytest.mark.parametrize("depth", [150, 900])
def test_a_definition_whose_schema_nests_too_deeply_is_refused(depth: int) -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
        "type": "object", "properties": {"a": schema}}}}  # fmt: skip
    names = {"plural": "as", "singular": "a", "kind": "A", "listKind": "AList"}
    spec = {"group": "b.c", "names": names, "scope": "Cluster", "versions": [version]}
    crd = {"metadata": {"name": "as.b.c"}, "spec": spec, "status": {"storedVersions": ["v1"]}}
    kind = kind_of("apiextensions.k8s.io", "customresourcedefinitions")
    assert ["100 levels deep" in error.message for error in kind.validate(crd)] == [True]
    assert ["100 levels deep" in error.message for error in kind.validate_update(crd, {"spec": spec})] == [
        True
    ]


def test_terminating() -> None:
    assert (
        terminating_condition("InstanceDeletionInProgress")["message"]
        == "CustomResource deletion is in progress"
    )
    assert deletion_failed_condition("could not list instances: x")["reason"] == "InstanceDeletionFailed"
    assert deletion_failed_condition("x", while_waiting=True)["message"] == (
        "could not confirm zero CustomResources remaining: x"
    )


def test_built_in_names_of_the_group_are_taken() -> None:
    crd = {"metadata": {"name": "pods.g"}, "spec": {"group": "g", "names": {"plural": "pods", "kind": "Pod"}}}
    naming = accept_names(crd, [crd], resources={"pods"}, kinds={"Pod"})
    assert naming.names_accepted == condition(
        "NamesAccepted", "False", "KindConflict", '"Pod" is already in use'
    )
    assert naming.accepted_names == {"plural": "", "kind": ""}


def test_names_that_a_definition_has_it_keeps() -> None:
    accepted = {"plural": "as", "singular": "a", "kind": "A", "listKind": "AList", "shortNames": ["x"]}
    crd = {
        "metadata": {"name": "as.g"},
        "spec": {"group": "g", "names": {**accepted, "shortNames": ["x", "y"]}},
        "status": {"acceptedNames": accepted},
    }
    naming = accept_names(crd, [crd])
    assert naming.names_accepted["status"] == "True"
    assert naming.accepted_names["shortNames"] == ["x", "y"]
    other = {
        "metadata": {"name": "bs.g"},
        "spec": {"group": "g"},
        "status": {"acceptedNames": {"plural": "y"}},
    }
    refused = accept_names(crd, [crd, other])
    assert refused.names_accepted["message"] == '"y" is already in use'
    assert refused.accepted_names["shortNames"] == ["x"]


OLD = {
    "metadata": {"name": "things.example.com"},
    "spec": {
        "group": "example.com",
        "version": "v1",
        "names": {"plural": "things", "kind": "Thing"},
        "validation": {"openAPIV3Schema": {}},
        "subresources": {"status": {}},
        "additionalPrinterColumns": [{"name": "A", "JSONPath": ".a"}],
        "preserveUnknownFields": True,
        "conversion": {"strategy": "Webhook", "webhookClientConfig": {"url": "https://a"}},
    },
}


def test_v1beta1_is_told_what_to_write_instead() -> None:
    told = explain_v1beta1(OLD)
    for part in (
        'CustomResourceDefinition "things.example.com"',
        "write apiVersion: apiextensions.k8s.io/v1",
        "spec.versions: [{name: v1, served: true, storage: true",
        "move spec.validation.openAPIV3Schema to spec.versions[*].schema.openAPIV3Schema",
        "move spec.subresources to spec.versions[*].subresources",
        "spec.versions[*].additionalPrinterColumns",
        "jsonPath",
        "x-kubernetes-preserve-unknown-fields: true",
        "spec.conversion.webhook.clientConfig",
        "say spec.scope",
    ):
        assert part in told
    assert "\n" not in told


def test_v1beta1_is_told_only_what_matters() -> None:
    versions = [{"name": "v1", "schema": {"openAPIV3Schema": {"type": "object"}}}]
    told = explain_v1beta1(
        {"spec": {"versions": versions, "preserveUnknownFields": False, "scope": "Cluster"}}
    )
    assert told == (
        "CustomResourceDefinition is of apiextensions.k8s.io/v1beta1, which is not served since Kubernetes "
        "1.22: write apiVersion: apiextensions.k8s.io/v1"
    )


@pytest.mark.parametrize(
    "crd", [{}, {"spec": 1}, {"metadata": 1, "spec": {"versions": 3}}, {"spec": {"versions": [1]}}]
)
def test_v1beta1_never_raises(crd: dict[str, Any]) -> None:
    assert explain_v1beta1(crd).startswith("CustomResourceDefinition")
