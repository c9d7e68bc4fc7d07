"""The kinds that are never stored, or are told when they were made, beyond what the cases say of them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from kubewright.server.kinds import Context, kind_of
from tests.server.kinds.cases.apiregistration import LOCAL, made
from tests.server.kinds.cases.authorization import POD, URL, review


@pytest.mark.parametrize("resource", ["subjectaccessreviews", "selfsubjectaccessreviews"])
def test_reviews_have_no_metadata(resource: str) -> None:
    kind = kind_of("authorization.k8s.io", resource)
    obj = review("SubjectAccessReview", user="jane", resourceAttributes=POD)
    assert kind.validate(obj) == []
    obj["metadata"] = {"name": "a"}
    assert [str(error) for error in kind.validate(obj)] == [
        'metadata: Invalid value: {"name":"a"}: must be empty'
    ]


def test_local_reviews_have_a_namespace_only() -> None:
    kind = kind_of("authorization.k8s.io", "localsubjectaccessreviews")
    obj = review("LocalSubjectAccessReview", user="jane", resourceAttributes=POD)
    assert kind.validate(obj) == []
    obj["metadata"]["labels"] = {"a": "b"}
    shown = '{"namespace":"default","labels":{"a":"b"}}'
    assert [str(error) for error in kind.validate(obj)] == [
        f"metadata: Invalid value: {shown}: must be empty except for namespace"
    ]
    obj = review("LocalSubjectAccessReview", user="jane", nonResourceAttributes=URL)
    assert [error.field for error in kind.validate(obj)] == ["spec.nonResourceAttributes"]


def test_all_reviews_are_known() -> None:
    for group, resources in {
        "authentication.k8s.io": ("selfsubjectreviews", "tokenreviews"),
        "authorization.k8s.io": ("selfsubjectrulesreviews",),
    }.items():
        for resource in resources:
            assert kind_of(group, resource).validate({}) == []


def test_local_services_are_available_at_once() -> None:
    kind = kind_of("apiregistration.k8s.io", "apiservices")
    obj = made(LOCAL, status={"conditions": [{"type": "Other", "status": "False"}]})
    kind.prepare_create(obj, Context(now=datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC)))
    assert kind.validate(obj) == []
    assert obj["status"] == {
        "conditions": [
            {
                "type": "Available",
                "status": "True",
                "lastTransitionTime": "2026-02-03T04:05:06Z",
                "reason": "Local",
                "message": "Local APIServices are always available",
            }
        ]
    }
