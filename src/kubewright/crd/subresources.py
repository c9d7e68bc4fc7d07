"""The subresources of a custom resource: /status and /scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from kubewright.crd.schema_paths import is_simple, schema_at
from kubewright.machinery.errors import DeclarationError

__all__ = ["Scale", "subresource_entries"]

_SELECTOR: Final = ".status.selector"
"""Where "scale" looks for a selector: the field that most kinds use, so that autoscalers find the pods."""


class Scale(msgspec.Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """Where /scale finds the wanted and the actual number of replicas, and the selector of the pods."""

    spec_replicas: str = ".spec.replicas"
    status_replicas: str = ".status.replicas"
    label_selector: str = ""


def subresource_entries(
    cls_name: str, subresources: Sequence[str | Scale], schema: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The subresources as the definition has them.

    Raises DeclarationError for one that could not work; without a schema their paths may lead anywhere.
    """
    found: dict[str, Any] = {}
    for each in subresources:
        if each == "status":
            found["status"] = {}
        elif each == "scale":
            found["scale"] = _scale_entry(cls_name, _usual_scale(schema or {}), schema)
        elif isinstance(each, Scale):
            found["scale"] = _scale_entry(cls_name, each, schema)
        else:
            raise DeclarationError(
                f"{cls_name}: there is no subresource {each!r}; there are 'status' and 'scale'"
            )
    if len(found) != len(subresources):
        raise DeclarationError(f"{cls_name}: a subresource stands there twice; name each once")
    if "status" in found and schema is not None:
        _check_status(cls_name, schema)
    return found


def _check_status(cls_name: str, schema: Mapping[str, Any]) -> None:
    if "status" not in schema["properties"]:
        raise DeclarationError(
            f"{cls_name} has the subresource status but no such field; write status: ... | None = None"
        )
    if "status" in schema.get("required", ()):
        raise DeclarationError(
            f"{cls_name}.status is required, but with the subresource status no object can be created with "
            "one; write status: ... | None = None"
        )


def _usual_scale(schema: Mapping[str, Any]) -> Scale:
    try:
        selector = _SELECTOR if schema_at(_SELECTOR, schema).get("type") == "string" else ""
    except LookupError:
        selector = ""
    return Scale(label_selector=selector)


def _scale_entry(cls_name: str, scale: Scale, schema: Mapping[str, Any] | None) -> dict[str, str]:
    if schema is not None:
        _check_path(cls_name, "spec_replicas", scale.spec_replicas, (".spec.",), "integer", schema)
        _check_path(cls_name, "status_replicas", scale.status_replicas, (".status.",), "integer", schema)
    entry = {"specReplicasPath": scale.spec_replicas, "statusReplicasPath": scale.status_replicas}
    if scale.label_selector:
        path = scale.label_selector
        if schema is not None:
            _check_path(cls_name, "label_selector", path, (".spec.", ".status."), "string", schema)
        entry["labelSelectorPath"] = path
    return entry


def _check_path(
    cls_name: str, option: str, path: str, under: tuple[str, ...], wanted: str, schema: Mapping[str, Any]
) -> None:
    where = f"{cls_name}: Scale({option}={path!r})"
    if not is_simple(path) or not path.startswith(under):
        raise DeclarationError(f"{where} must be a path of names under {' or '.join(under)}")
    try:
        kind = schema_at(path, schema).get("type", wanted)
    except LookupError as error:
        raise DeclarationError(
            f"{where} leads nowhere: {error.args[0]}; add the field or give another path"
        ) from None
    if kind != wanted:
        raise DeclarationError(f"{where} leads to {kind}, and /scale needs {wanted} there")
