"""AdmissionReviews as they are on the wire: read within bounds, and answered."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Raw

from kubewright.machinery import codec
from kubewright.machinery.depth import BoundedDecoder
from kubewright.machinery.errors import DecodeError, quoted
from kubewright.webhooks.review import Denied, UserInfo

__all__ = ["AdmissionRequest", "AdmissionResponse", "KindName", "answer", "read_request", "refusal"]

_KIND: Final = "AdmissionReview"
_VERSIONS: Final = ("admission.k8s.io/v1", "admission.k8s.io/v1beta1")
"""v1beta1 differs in nothing that is read or written here, and API servers older than 1.22 send it."""
_OPERATIONS: Final = ("CREATE", "UPDATE", "DELETE", "CONNECT")

_MAX_MESSAGE: Final = 64 * 1024
"""How many characters of a message are sent; API servers take answers of a few megabytes."""

_NULL: Final = Raw(b"null")


class KindName(msgspec.Struct, frozen=True):
    """A GroupVersionKind as reviews write it."""

    group: str = ""
    version: str = ""
    kind: str = ""

    def __str__(self) -> str:
        return f"{self.group}/{self.version} {self.kind}".removeprefix("/")


class AdmissionRequest(msgspec.Struct, rename="camel"):
    """What is asked; objects and options are left as bytes."""

    uid: str = ""
    kind: KindName = KindName()
    sub_resource: str | None = None
    name: str | None = None
    namespace: str | None = None
    operation: str = ""
    user_info: UserInfo | None = None
    object: Raw = _NULL
    old_object: Raw = _NULL
    dry_run: bool | None = None
    options: Raw = _NULL

    def has(self, part: Raw) -> bool:
        """Whether an object or the options are there."""
        return bytes(part) != b"null"


class _Review(msgspec.Struct, rename="camel"):
    api_version: str = ""
    kind: str = ""
    request: AdmissionRequest | None = None


class AdmissionResponse(msgspec.Struct, rename="camel", omit_defaults=True):
    """What is answered; msgspec writes bytes in base64, as the API does."""

    uid: str
    allowed: bool
    status: dict[str, Any] | None = None
    patch: bytes | None = None
    patch_type: str | None = None
    audit_annotations: dict[str, str] | None = None
    warnings: list[str] | None = None


class _Answer(msgspec.Struct, rename="camel"):
    api_version: str
    kind: str
    response: AdmissionResponse


_decoder: Final[BoundedDecoder[_Review]] = BoundedDecoder(_Review)
_encoder: Final = msgspec.json.Encoder()


def read_request(body: bytes) -> tuple[str, AdmissionRequest]:
    """The apiVersion of a review and what it asks. Raises DecodeError for a body that cannot be answered."""
    try:
        review = _decoder.decode(body)
    except RecursionError:
        review = _read_deep(body)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise codec.explained(error, _Review, _KIND) from None
    if review.kind != _KIND or review.api_version not in _VERSIONS:
        given = quoted(f"{review.api_version} {review.kind}".strip())
        raise DecodeError(f"the body is {given}, no AdmissionReview of {' or '.join(_VERSIONS)}")
    request = review.request
    if request is None or not request.uid:
        missing = "request" if request is None else "request.uid"
        raise DecodeError(f"{_KIND}: {missing} is missing")
    if request.operation not in _OPERATIONS:
        raise DecodeError(
            f"{_KIND} request.operation: {quoted(request.operation)} is none of {', '.join(_OPERATIONS)}"
        )
    return review.api_version, request


def _read_deep(body: bytes) -> _Review:
    """A review with an object that is nested too deeply to be decoded, which is to be refused, not failed.

    Anybody can make an object so deep by its managed fields; without them it is as any other. Raises
    DecodeError.
    """
    from kubewright.machinery.deep import cut_fields, cut_request  # noqa: PLC0415 - hardly anybody meets one

    cut = cut_request(body)
    try:
        review = _decoder.decode(cut.data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise codec.explained(error, _Review, _KIND) from None
    if (request := review.request) is not None:
        for name in ("object", "old_object"):
            whole = cut.restored(getattr(request, name))
            without = cut_fields(bytes(whole))
            setattr(request, name, whole if without.has_fields else Raw(without.data))
    return review


def answer(api_version: str, response: AdmissionResponse) -> bytes:
    """A review with an answer."""
    return _encoder.encode(_Answer(api_version, _KIND, response))


def refusal(denied: Denied, request: AdmissionRequest) -> dict[str, Any]:
    """The Status of a refusal."""
    text = denied.message
    if not text and denied.causes:
        shown = f"{request.kind.kind}.{request.kind.group}".removesuffix(".")
        each = [
            f"{cause.field}: {cause.message}" if cause.field else cause.message for cause in denied.causes
        ]
        told = each[0] if len(each) == 1 else f"[{', '.join(each)}]"
        text = f'{shown} "{request.name or ""}" is invalid: {told}'
    status: dict[str, Any] = {
        "status": "Failure",
        "message": (text or str(denied))[:_MAX_MESSAGE],
        "reason": denied.reason,
        "code": denied.code,
    }
    if denied.causes:
        status["details"] = {
            "name": request.name or "",
            "group": request.kind.group,
            "kind": request.kind.kind,
            "causes": [codec.to_plain(cause) for cause in denied.causes],
        }
    return status
