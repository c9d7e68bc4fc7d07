"""The kinds of authorization.k8s.io/v1. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Final

from kubewright.models.authorization_v1 import (
    LocalSubjectAccessReview,
    SelfSubjectAccessReview,
    SelfSubjectRulesReview,
    SubjectAccessReview,
)
from kubewright.sync.api import Api
from kubewright.sync.has_api import HasApi

__all__ = ["AuthorizationV1"]


class AuthorizationV1:
    """The kinds of authorization.k8s.io/v1; for namespaced ones no namespace stands for all."""

    def __init__(self, client: HasApi) -> None:
        self._client: Final = client

    def local_subject_access_reviews(self, namespace: str | None = None) -> Api[LocalSubjectAccessReview]:
        """`localsubjectaccessreviews` of a namespace."""
        return self._client.api(LocalSubjectAccessReview, namespace)

    def self_subject_access_reviews(self) -> Api[SelfSubjectAccessReview]:
        """`selfsubjectaccessreviews` of the cluster."""
        return self._client.api(SelfSubjectAccessReview)

    def self_subject_rules_reviews(self) -> Api[SelfSubjectRulesReview]:
        """`selfsubjectrulesreviews` of the cluster."""
        return self._client.api(SelfSubjectRulesReview)

    def subject_access_reviews(self) -> Api[SubjectAccessReview]:
        """`subjectaccessreviews` of the cluster."""
        return self._client.api(SubjectAccessReview)
