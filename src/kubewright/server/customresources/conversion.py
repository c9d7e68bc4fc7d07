"""Conversion of custom resources between versions by a webhook, as apiextensions' ConversionReview has it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from kubewright.machinery.errors import ApiError
from kubewright.server.errors import failed
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.stored import decode_stored, encode_stored
from kubewright.server.webhook_client import WebhookClient, WebhookError

__all__ = ["Converter"]

_REVIEW: Final = "apiextensions.k8s.io/v1"
_TIMEOUT: Final = 30.0
"""Seconds that a conversion may take, as upstream."""

_encode: Final = msgspec.json.Encoder().encode


class Converter:
    """Converts the objects of one definition through its webhook; what has the version already stays."""

    def __init__(self, client: WebhookClient, webhook: Mapping[str, Any], kind: str) -> None:
        self._client: Final = client
        self._config: Final = webhook.get("clientConfig") or {}
        self._versions: Final = webhook.get("conversionReviewVersions") or ()
        self._kind: Final = kind

    async def convert(self, values: Sequence[bytes], api_version: str) -> Sequence[bytes]:
        """Stored objects in another version, in the same order. Raises ApiError when the webhook fails."""
        prefix = b'{"apiVersion":' + _encode(api_version) + b","
        foreign = [place for place, value in enumerate(values) if not value.startswith(prefix)]
        if not foreign:
            return values
        objects = [decode_stored(values[place]) for place in foreign]
        converted = await self._asked(objects, api_version)
        made = list(values)
        for place, before, after in zip(foreign, objects, converted, strict=True):
            made[place] = encode_stored(self._checked(before, after, api_version), with_type=True)
        return made

    async def _asked(self, objects: list[Object], api_version: str) -> list[Any]:
        uid = str(uuid.uuid4())
        if "v1" not in self._versions:
            raise self._failed(objects[0], api_version, "the webhook takes no ConversionReview of version v1")
        review = {
            "kind": "ConversionReview",
            "apiVersion": _REVIEW,
            "request": {"uid": uid, "desiredAPIVersion": api_version, "objects": objects},
        }
        try:
            answer = await self._client.call(self._config, review, within=_TIMEOUT)
        except WebhookError as error:
            raise self._failed(objects[0], api_version, str(error)) from None
        response = answer.get("response")
        if answer.get("kind") != "ConversionReview" or not isinstance(response, dict):
            raise self._failed(objects[0], api_version, "the answer is no ConversionReview with a response")
        if response.get("uid") != uid:
            raise self._failed(objects[0], api_version, "the response has another uid than the request")
        result = response.get("result")
        if not isinstance(result, dict) or result.get("status") != "Success":
            message = result.get("message") if isinstance(result, dict) else ""
            raise self._failed(objects[0], api_version, f"{message or 'the webhook says no more'}")
        converted = response.get("convertedObjects")
        if not isinstance(converted, list) or len(converted) != len(objects):
            count = len(converted) if isinstance(converted, list) else 0
            why = f"expected {len(objects)} converted objects, got {count}"
            raise self._failed(objects[0], api_version, why)
        return converted

    def _checked(self, before: Object, after: Any, api_version: str) -> Object:
        """The converted object with the metadata that a conversion may not change. Raises ApiError."""
        if not isinstance(after, dict) or not isinstance(after.get("metadata"), dict):
            raise self._failed(before, api_version, "a converted object is no object with metadata")
        if after.get("apiVersion") != api_version or after.get("kind") != before.get("kind"):
            why = f"a converted object is {after.get('apiVersion')} {after.get('kind')}"
            raise self._failed(before, api_version, why)
        old, new = before["metadata"], after["metadata"]
        for field in ("name", "namespace", "uid"):
            if new.get(field) != old.get(field):
                raise self._failed(before, api_version, f"metadata.{field} was changed")
        # Only labels and annotations are the webhook's to change.
        kept = {name: value for name, value in old.items() if name not in {"labels", "annotations"}}
        changed = {name: new[name] for name in ("labels", "annotations") if new.get(name)}
        return {**after, "metadata": {**kept, **changed}}

    def _failed(self, obj: Object, api_version: str, why: str) -> ApiError:
        return failed(
            f"conversion webhook for {obj.get('apiVersion')}, Kind={self._kind} failed: {why} "
            f"(converting to {api_version})"
        )
