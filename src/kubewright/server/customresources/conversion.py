"""Conversion of custom resources between versions by a webhook, as apiextensions' ConversionReview has it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from kubewright.machinery.field_errors import aggregate, go_quote
from kubewright.server.errors import failed
from kubewright.server.kinds.kind import Object
from kubewright.server.kinds.metadata_rules import validate_annotations, validate_labels
from kubewright.server.webhook_client import WebhookClient, WebhookError

__all__ = ["Converter"]

_GROUP: Final = "apiextensions.k8s.io"
_KIND: Final = "ConversionReview"
_REVIEW_VERSIONS: Final = ("v1", "v1beta1")
"""The versions of a ConversionReview that are spoken; the first of a webhook's that is one of them counts."""

_TIMEOUT: Final = 30.0
"""Seconds that a conversion may take, as upstream."""


class Converter:
    """Converts the objects of one definition through its webhook.

    Every failure is an ApiError with upstream's words; only those about answers that are no review at all are
    our own.
    """

    def __init__(self, client: WebhookClient, webhook: Mapping[str, Any], kind: str) -> None:
        self._client: Final = client
        self._config: Final = webhook.get("clientConfig") or {}
        self._versions: Final = webhook.get("conversionReviewVersions") or ()
        self._kind: Final = kind

    async def convert(self, objects: Sequence[Object], api_version: str) -> list[Object]:
        """Objects of other versions in this one, in the same order; what is passed in stays as it is.

        Raises ApiError when the webhook fails or gives back anything but these objects.
        """
        # Objects of one request may come from several versions; upstream asks for each of them apart.
        subject = f"conversion webhook for {objects[0].get('apiVersion')}, Kind={self._kind}"
        try:
            response = await self._asked(objects, api_version)
        except WebhookError as error:
            raise failed(f"{subject} failed: {error}") from None
        converted = response.get("convertedObjects") or []
        if not isinstance(converted, list):
            raise failed(f"{subject} failed: response.convertedObjects is no list")
        if len(converted) != len(objects):
            raise failed(f"{subject} returned {len(converted)} objects, expected {len(objects)}")
        return [
            self._checked(before, after, api_version)
            for before, after in zip(objects, converted, strict=True)
        ]

    async def _asked(self, objects: Sequence[Object], api_version: str) -> Object:
        """The response of the webhook, when it says that it succeeded. Raises WebhookError."""
        version = next((each for each in self._versions if each in _REVIEW_VERSIONS), "")
        if not version:
            raise WebhookError("no supported conversion review versions")
        uid = str(uuid.uuid4())
        review = {
            "kind": _KIND,
            "apiVersion": f"{_GROUP}/{version}",
            "request": {"uid": uid, "desiredAPIVersion": api_version, "objects": objects},
            # Go writes what it has no pointer for, and webhooks have got used to it.
            "response": {"uid": "", "convertedObjects": None, "result": {"metadata": {}}},
        }
        answer = await self._client.call(self._config, review, within=_TIMEOUT)
        _check_type(answer, version)
        response = answer.get("response")
        if response is None:
            raise WebhookError("no response provided")
        if not isinstance(response, dict):
            raise WebhookError("the response in the ConversionReview is no object")
        if version == "v1" and response.get("uid", "") != uid:
            given = response.get("uid", "")
            shown = go_quote(given) if isinstance(given, str) else msgspec.json.encode(given).decode()
            raise WebhookError(f'expected response.uid="{uid}", got {shown}')
        _check_result(response.get("result"))
        return response

    def _checked(self, before: Object, after: Any, api_version: str) -> Object:
        """A converted object with the metadata that a conversion may not change. Raises ApiError."""
        subject = f"conversion webhook for {before.get('apiVersion')}, Kind={self._kind} returned invalid"
        if not isinstance(after, dict):
            raise failed(_no_object(after))
        kind = _text(after, "kind")
        if not kind:
            raise failed(f"Object 'Kind' is missing in '{msgspec.json.encode(after).decode()}'")
        if (given := _text(after, "apiVersion")) != api_version:
            why = f"invalid groupVersion (expected {api_version}, received {given})"
            raise failed(f"{subject} object at index 0: {why}")
        if kind != self._kind:
            why = f"invalid kind (expected {self._kind}, received {kind})"
            raise failed(f"{subject} object at index 0: {why}")
        old, new = before.get("metadata") or {}, after.get("metadata")
        for field, called in (("name", "name"), ("namespace", "namespace"), ("uid", "UID")):
            was, now = _text(old, field), _text(new, field)
            if was != now:
                raise failed(f"{subject} object: must have the same {called}: {was} != {now}")
        if not isinstance(new, dict):
            raise failed(f"{subject} metadata: missing metadata in converted object")
        return {**after, "metadata": _restored(old, new, subject)}


def _check_type(answer: Object, version: str) -> None:
    """Raises WebhookError for an answer that is no review of the version; v1beta1 need not say what it is."""
    given, kind = answer.get("apiVersion", ""), answer.get("kind", "")
    if given == f"{_GROUP}/{version}" and kind == _KIND:
        return
    if version == "v1beta1" and not given and not kind:
        return
    group_version = given if isinstance(given, str) and "/" in given else f"/{given}"
    raise WebhookError(
        f"expected webhook response of {_GROUP}/{version}, Kind={_KIND}, got {group_version}, Kind={kind}"
    )


def _check_result(result: object) -> None:
    """Raises WebhookError with what the webhook says when it did not succeed."""
    status = _text(result, "status")
    if status != "Success":
        why = _text(result, "message") or f"response.result.status was '{status}', not 'Success'"
        raise WebhookError(why)


def _restored(old: Object, new: Object, subject: str) -> Object:
    """The metadata of before with the labels and annotations of now: only these are the webhook's."""
    metadata = dict(old)
    for field in ("labels", "annotations"):
        found = new.get(field)
        if found is None:
            metadata.pop(field, None)
            continue
        if found != metadata.get(field):
            _check_texts(field, found, subject)
        metadata[field] = found
    return metadata


def _check_texts(field: str, found: object, subject: str) -> None:
    """Raises ApiError for labels or annotations that no object may have."""
    if not isinstance(found, dict):
        why = f"invalid metadata.{field} of type {_go_type(found)} in converted object"
        raise failed(f"{subject} metadata: {why}")
    for key, value in found.items():
        if not isinstance(value, str):
            why = f"metadata.{field}[{key}] must be a string, but is {_go_type(value)} in converted object"
            raise failed(f"{subject} metadata: {why}")
    if field == "labels":
        errors = validate_labels(found, "metadata.labels")
    else:
        # Upstream's path has no s.
        errors = validate_annotations(found, "metadata.annotation")
    if errors:
        raise failed(f"{subject} metadata: {aggregate(errors)}")


def _text(obj: object, field: str) -> str:
    """A text in an object; empty when it is none."""
    found = obj.get(field) if isinstance(obj, dict) else None
    return found if isinstance(found, str) else ""


def _no_object(value: object) -> str:
    """What Go says when a value that should be an object is decoded."""
    if value is None:
        return "unexpected end of JSON input"
    given = {str: "string", list: "array", bool: "bool"}.get(type(value), "number")
    return f"json: cannot unmarshal {given} into Go value of type map[string]interface {{}}"


def _go_type(value: object) -> str:
    """The type that Go gives a value of unknown JSON."""
    names = {
        str: "string",
        bool: "bool",
        int: "int64",
        float: "float64",
        list: "[]interface {}",
        dict: "map[string]interface {}",
    }
    return names.get(type(value), "<nil>")
