"""The kinds of authentication.k8s.io/v1. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Final

from kubewright.models.authentication_v1 import SelfSubjectReview, TokenReview
from kubewright.sync.api import Api
from kubewright.sync.has_api import HasApi

__all__ = ["AuthenticationV1"]


class AuthenticationV1:
    """The kinds of authentication.k8s.io/v1; for namespaced ones no namespace stands for all."""

    def __init__(self, client: HasApi) -> None:
        self._client: Final = client

    def self_subject_reviews(self) -> Api[SelfSubjectReview]:
        """`selfsubjectreviews` of the cluster."""
        return self._client.api(SelfSubjectReview)

    def token_reviews(self) -> Api[TokenReview]:
        """`tokenreviews` of the cluster."""
        return self._client.api(TokenReview)
