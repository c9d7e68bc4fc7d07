"""The annotation in which `kubectl apply` without `--server-side` keeps what it applied last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kubewright.machinery.apply.path_element import canonical_json
from kubewright.machinery.apply.values import JSONObject

__all__ = ["LAST_APPLIED_ANNOTATION", "get_last_applied", "with_last_applied"]

LAST_APPLIED_ANNOTATION: Final = "kubectl.kubernetes.io/last-applied-configuration"

# The bound that Kubernetes sets on the names and values of all annotations of an object together.
_MAX_ANNOTATIONS_BYTES: Final = 256 * 1024


def get_last_applied(obj: Mapping[str, Any]) -> str:
    """The text of the annotation; empty when the object has none."""
    found = _annotations(obj).get(LAST_APPLIED_ANNOTATION)
    return found if isinstance(found, str) else ""


def with_last_applied(obj: JSONObject, config: JSONObject) -> JSONObject:
    """The object with `config` noted as last applied, or with no note when that would be too long."""
    annotations = {**_annotations(obj), LAST_APPLIED_ANNOTATION: _text(config)}
    if sum(map(_size, annotations, annotations.values())) > _MAX_ANNOTATIONS_BYTES:
        del annotations[LAST_APPLIED_ANNOTATION]
    return {**obj, "metadata": {**obj["metadata"], "annotations": annotations}}


def _text(config: JSONObject) -> str:
    metadata = config.get("metadata")
    if isinstance(metadata, dict) and LAST_APPLIED_ANNOTATION in _annotations(config):
        annotations = {
            name: text for name, text in _annotations(config).items() if name != LAST_APPLIED_ANNOTATION
        }
        config = {**config, "metadata": {**metadata, "annotations": annotations}}
    # The line break is part of what upstream's encoder writes.
    return canonical_json(config) + "\n"


def _annotations(obj: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = obj.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    return annotations if isinstance(annotations, dict) else {}


def _size(name: str, value: object) -> int:
    return len(name.encode()) + len(str(value).encode())
