"""authentication.k8s.io/v1 of the Kubernetes API. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from kubewright.machinery.field import EMPTY
from kubewright.machinery.resource import Resource
from kubewright.machinery.struct import Struct
from kubewright.machinery.time import Time

__all__ = [
    "BoundObjectReference",
    "SelfSubjectReview",
    "SelfSubjectReviewStatus",
    "TokenRequest",
    "TokenRequestSpec",
    "TokenRequestStatus",
    "TokenReview",
    "TokenReviewSpec",
    "TokenReviewStatus",
    "UserInfo",
]


class BoundObjectReference(Struct):
    api_version: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""


class SelfSubjectReview(
    Resource,
    api_version="authentication.k8s.io/v1",
    kind="SelfSubjectReview",
    plural="selfsubjectreviews",
    namespaced=False,
):
    """Served cluster-wide as `selfsubjectreviews`."""

    status: SelfSubjectReviewStatus = EMPTY


class SelfSubjectReviewStatus(Struct):
    user_info: UserInfo = EMPTY


class TokenRequest(Resource, api_version="authentication.k8s.io/v1", kind="TokenRequest"):
    """Sent to or returned by subresources of others; not served by itself."""

    spec: TokenRequestSpec = EMPTY
    status: TokenRequestStatus = EMPTY


class TokenRequestSpec(Struct):
    audiences: list[str] = []
    bound_object_ref: BoundObjectReference | None = None
    expiration_seconds: int | None = None


class TokenRequestStatus(Struct):
    expiration_timestamp: Time | None = None
    token: str = ""


class TokenReview(
    Resource,
    api_version="authentication.k8s.io/v1",
    kind="TokenReview",
    plural="tokenreviews",
    namespaced=False,
):
    """Served cluster-wide as `tokenreviews`."""

    spec: TokenReviewSpec
    status: TokenReviewStatus = EMPTY


class TokenReviewSpec(Struct):
    token: str
    audiences: list[str] = []


class TokenReviewStatus(Struct):
    audiences: list[str] = []
    authenticated: bool | None = None
    error: str = ""
    user: UserInfo = EMPTY


class UserInfo(Struct):
    extra: dict[str, list[str]] = {}
    groups: list[str] = []
    uid: str = ""
    username: str = ""
