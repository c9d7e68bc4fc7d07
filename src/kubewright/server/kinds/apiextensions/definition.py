"""CustomResourceDefinitions: their defaults, and who writes which fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kubewright.crd.formats import is_known_format
from kubewright.machinery.field_errors import go_quote
from kubewright.server.kinds.apiextensions.definition_rules import (
    validate_create,
    validate_status,
    validate_update,
)
from kubewright.server.kinds.apiextensions.internal import internal_spec
from kubewright.server.kinds.apiextensions.schema_rules import schema_has
from kubewright.server.kinds.kind import Context, Kind, Object, Subresource, same_spec_generation

__all__ = ["CUSTOM_RESOURCE_DEFINITION"]

_WEBHOOK_PORT: Final = 443
"""Upstream's default of a service reference."""


def _default(crd: Object) -> None:
    spec = crd.setdefault("spec", {})
    names = spec.setdefault("names", {})
    kind = names.get("kind") or ""
    if not names.get("singular") and kind:
        names["singular"] = kind.lower()
    if not names.get("listKind") and kind:
        names["listKind"] = f"{kind}List"
    if spec.get("conversion") is None:
        spec["conversion"] = {"strategy": "None"}
    webhook = spec["conversion"].get("webhook") or {}
    service = (webhook.get("clientConfig") or {}).get("service")
    if service is not None:
        service.setdefault("port", _WEBHOOK_PORT)
    status = crd.get("status") or {}
    storage = _storage_version(spec)
    if storage is not None and not status.get("storedVersions"):
        status["storedVersions"] = [storage]
        crd["status"] = status


def _storage_version(spec: Object) -> str | None:
    for version in spec.get("versions") or ():
        if version.get("storage"):
            return version.get("name") or ""
    return None


def _prepare_create(crd: Object, context: Context) -> None:
    storage = _storage_version(crd.get("spec") or {})
    crd["status"] = {
        "conditions": None,
        "acceptedNames": {"plural": "", "kind": ""},
        "storedVersions": None if storage is None else [storage],
    }


def _prepare_update(crd: Object, old: Object, context: Context) -> None:
    status = dict(old.get("status") or {})
    storage = _storage_version(crd.get("spec") or {})
    stored = list(status.get("storedVersions") or ())
    if storage is not None and storage not in stored:
        status["storedVersions"] = [*stored, storage]
    crd["status"] = status


def _prepare_status(crd: Object, old: Object, context: Context) -> None:
    # Upstream means to take the metadata back as well, but resets the new one to itself.
    crd["spec"] = old.get("spec") or {}


def _warnings(crd: Object, old: Object | None) -> list[str]:
    before = set(_unknown_formats(old)) if old is not None else set()
    return [f"unrecognized format {go_quote(name)}" for name in _unknown_formats(crd) if name not in before]


def _unknown_formats(crd: Object) -> list[str]:
    found: list[str] = []

    def look(schema: Mapping[str, Any]) -> bool:
        name = schema.get("format")
        if name and not is_known_format(name, schema.get("type") or ""):
            found.append(name)
        return False

    for schema in internal_spec(crd.get("spec") or {}).schemas():
        schema_has(schema, look)
    return found


CUSTOM_RESOURCE_DEFINITION: Final = Kind(
    default=_default,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    validate=validate_create,
    validate_update=validate_update,
    warnings=_warnings,
    generation=same_spec_generation,
    subresources={
        "status": Subresource(prepare=_prepare_status, validate=validate_status, resets=("spec",)),
    },
    allow_unconditional_update=False,
    always={"spec": {}, "status": {}},
)
