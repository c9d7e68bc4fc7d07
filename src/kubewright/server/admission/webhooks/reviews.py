"""AdmissionReviews: the questions to webhooks as upstream writes them, and their answers as it reads them."""

from __future__ import annotations

import base64
import binascii
import uuid
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec

from kubewright.machinery.field_errors import go_quote
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.server.admission.attributes import Attributes
from kubewright.server.admission.webhooks.versions import Versioned
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.resource import ServedResource
from kubewright.server.registry.resource_type import ResourceType
from kubewright.server.registry.stored import encode_stored

__all__ = [
    "JSON_NAMES",
    "Review",
    "ReviewError",
    "UnreadableReview",
    "Verdict",
    "admission_request",
    "make_review",
    "read_answer",
]

_GROUP: Final = "admission.k8s.io"
_KIND: Final = "AdmissionReview"
_encode: Final = msgspec.json.Encoder().encode

_BASE64: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

JSON_NAMES: Final = {
    str: "string",
    list: "array",
    dict: "object",
    bool: "bool",
    int: "number",
    float: "number",
    type(None): "null",
}
"""What Go calls JSON values."""

_MEMBERS: Final[Mapping[str, tuple[type, str]]] = {
    "uid": (str, "types.UID"),
    "allowed": (bool, "bool"),
    "status": (dict, "v1.Status"),
    "patch": (str, "[]uint8"),
    "patchType": (str, "{version}.PatchType"),
    "auditAnnotations": (dict, "map[string]string"),
    "warnings": (list, "[]string"),
}
"""The members of a response, with their types and what Go calls these."""


class ReviewError(Exception):
    """An AdmissionReview that does not say what it must; the text is upstream's."""


class UnreadableReview(Exception):
    """An answer that is no AdmissionReview at all; the text is that of Go's decoder."""


class Review(NamedTuple):
    """A question, encoded, with its id and the version in which it is put."""

    uid: str
    version: str
    body: bytes


class Verdict(NamedTuple):
    """What a webhook answers."""

    allowed: bool
    status: Mapping[str, Any] | None
    patch: bytes
    patch_type: str
    warnings: list[str]
    annotations: dict[str, str]


def make_review(version: str, versioned: Versioned, target: ResourceType) -> Review:
    """The question about a write, whose objects are in the version of `target`."""
    uid = str(uuid.uuid4())
    attributes = versioned.attributes
    head = admission_request(attributes, target, kind=versioned.kind(target), uid=uid)
    options = attributes.options
    request = {
        **head,
        "object": _raw(versioned, versioned.obj),
        "oldObject": _raw(versioned, versioned.old),
        "dryRun": attributes.write.dry_run,
        "options": options,
    }
    review = {"kind": _KIND, "apiVersion": f"{_GROUP}/{version}", "request": request}
    return Review(uid, version, _encode(review) + b"\n")


def _raw(versioned: Versioned, obj: Object | None) -> msgspec.Raw | None:
    if obj is None:
        return None
    resource = versioned.type
    if versioned.kind(resource) != resource.served.gvk:
        return msgspec.Raw(_encode(obj))
    if resource.stores_type:
        return msgspec.Raw(encode_stored(obj, with_type=True))
    # With the members in the order of Go's types.
    return msgspec.Raw(resource.type_bytes + encode_stored(obj, with_type=False)[1:])


def admission_request(
    attributes: Attributes, target: ResourceType, *, kind: GroupVersionKind, uid: str = ""
) -> Object:
    """The part of an AdmissionRequest before its objects, in the order of upstream's type.

    `target` is the resource and `kind` the kind that a webhook sees; the request's own stand beside them.
    Without `uid` it has its dryRun and options too, as expressions see it.
    """
    subresource = attributes.write.subresource
    user = attributes.write.user
    made: Object = {
        "uid": uid,
        "kind": _kind(kind),
        "resource": _resource(target.served),
        "subResource": subresource,
        "requestKind": _kind(attributes.kind),
        "requestResource": _resource(attributes.type.served),
        "requestSubResource": subresource,
        "name": attributes.name,
        "namespace": attributes.namespace,
        "operation": attributes.operation,
        "userInfo": {
            name: value
            for name, value in (
                ("username", user.name),
                ("uid", user.uid),
                ("groups", list(user.groups)),
                ("extra", user.extra),
            )
            if value
        },
    }
    for name in ("subResource", "requestSubResource", "name", "namespace"):
        if not made[name]:
            del made[name]
    if not uid:
        del made["uid"]
        made |= {"dryRun": attributes.write.dry_run, "options": attributes.options}
    return made


def _kind(kind: GroupVersionKind) -> Object:
    return {"group": kind.group, "version": kind.version, "kind": kind.kind}


def _resource(served: ServedResource) -> Object:
    return {"group": served.group, "version": served.version, "resource": served.resource}


def read_answer(review: Review, answer: Object, *, mutating: bool) -> Verdict:
    """The verdict in an answer. Raises UnreadableReview and ReviewError."""
    _check_type(review, answer)
    response = answer.get("response")
    _check_members(response, review.version)
    if response is None:
        raise ReviewError("webhook response was absent")
    patch, patch_type = _patch(response), response.get("patchType")
    if review.version == "v1":
        _check_v1(review, answer, response)
        _check_patch(patch, patch_type, mutating=mutating)
    elif patch:
        patch_type = "JSONPatch"
    status = response.get("status")
    return Verdict(
        allowed=response.get("allowed") is True,
        status=status,
        patch=patch if mutating else b"",
        patch_type=patch_type or "",
        warnings=response.get("warnings") or [],
        annotations=response.get("auditAnnotations") or {},
    )


def _check_type(review: Review, answer: Object) -> None:
    """Raises UnreadableReview for an answer of another type; one that leaves out a part of it is taken."""
    api_version, kind = (_text(answer, name) for name in ("apiVersion", "kind"))
    if not api_version or not kind or (api_version == f"{_GROUP}/{review.version}" and kind == _KIND):
        return
    if kind == _KIND and api_version in {f"{_GROUP}/v1", f"{_GROUP}/v1beta1"}:
        given = api_version.rpartition("/")[2]
        raise UnreadableReview(
            f"converting ({given}.{_KIND}) to ({review.version}.{_KIND}): unknown conversion"
        )
    raise UnreadableReview(
        f"no kind {go_quote(kind)} is registered for version {go_quote(api_version)} in scheme "
        '"pkg/runtime/scheme.go:111"'
    )


def _text(answer: Object, name: str) -> str:
    found = answer.get(name)
    if found is None or isinstance(found, str):
        return found or ""
    why = f"json: cannot unmarshal {JSON_NAMES[type(found)]} into Go struct field .{name} of type string"
    raise UnreadableReview(f"couldn't get version/kind; json parse error: {why}")


def _check_members(response: object, version: str) -> None:
    """Raises UnreadableReview for members that are not of their types."""
    if response is None:
        return
    if not isinstance(response, dict):
        raise _wrong(response, "AdmissionReview.response", f"{version}.AdmissionResponse")
    for name, (kind, go_type) in _MEMBERS.items():
        found = response.get(name)
        if found is not None and not isinstance(found, kind):
            raise _wrong(found, f"AdmissionResponse.response.{name}", go_type.format(version=version))
    texts = {"warnings": response.get("warnings") or (), "auditAnnotations": ()}
    texts["auditAnnotations"] = (response.get("auditAnnotations") or {}).values()
    for name, values in texts.items():
        for value in values:
            if not isinstance(value, str):
                raise _wrong(value, f"AdmissionResponse.response.{name}", "string")


def _wrong(value: object, field: str, go_type: str) -> UnreadableReview:
    given = JSON_NAMES[type(value)]
    return UnreadableReview(f"json: cannot unmarshal {given} into Go struct field {field} of type {go_type}")


def _check_v1(review: Review, answer: Object, response: Object) -> None:
    uid = response.get("uid") or ""
    if uid != review.uid:
        raise ReviewError(f'expected response.uid="{review.uid}", got {go_quote(str(uid))}')
    given, kind = answer.get("apiVersion") or "", answer.get("kind") or ""
    if given != f"{_GROUP}/v1" or kind != _KIND:
        shown = given if "/" in str(given) else f"/{given}"
        raise ReviewError(f"expected webhook response of {_GROUP}/v1, Kind={_KIND}, got {shown}, Kind={kind}")


def _check_patch(patch: bytes, patch_type: object, *, mutating: bool) -> None:
    if not mutating:
        if patch:
            raise ReviewError("validating webhook may not return response.patch")
        if patch_type is not None:
            raise ReviewError("validating webhook may not return response.patchType")
        return
    if patch and patch_type is None:
        raise ReviewError("webhook returned response.patch but not response.patchType")
    if not patch and patch_type is not None:
        raise ReviewError("webhook returned response.patchType but not response.patch")
    if patch_type == "":
        raise ReviewError('webhook returned invalid response.patchType of ""')


def _patch(response: Object) -> bytes:
    text = response.get("patch")
    if text is None:
        return b""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        place = next((at for at, char in enumerate(text) if char not in _BASE64), len(text))
        raise UnreadableReview(f"illegal base64 data at input byte {place}") from None
