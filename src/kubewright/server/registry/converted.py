"""The rules of a kind, for a version of it that is not the one they are written for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import msgspec

from kubewright.server.kinds.kind import Context, Errors, Kind, Object, Subresource

__all__ = ["converted_rules"]

Convert: TypeAlias = Callable[[Object], Object]


def converted_rules(kind: Kind, *, to_stored: Convert, from_stored: Convert) -> Kind:
    """Rules that convert each object, apply `kind`, and convert back what it changed."""

    def through(obj: Object, change: Callable[[Object], None]) -> None:
        stored = to_stored(obj)
        change(stored)
        made = from_stored(stored)
        obj.clear()
        obj.update(made)

    def prepare_create(obj: Object, context: Context) -> None:
        through(obj, lambda stored: kind.prepare_create(stored, context))

    def prepare_update(obj: Object, old: Object, context: Context) -> None:
        through(obj, lambda stored: kind.prepare_update(stored, to_stored(old), context))

    def validate_update(obj: Object, old: Object) -> Errors:
        return kind.validate_update(to_stored(obj), to_stored(old))

    def warnings(obj: Object, old: Object | None) -> list[str]:
        return kind.warnings(to_stored(obj), None if old is None else to_stored(old))

    selectable = kind.fields

    def fields(obj: Object) -> Mapping[str, str]:
        return {} if selectable is None else selectable(to_stored(obj))

    def generation(obj: Object, old: Object) -> bool:
        return kind.generation is not None and kind.generation(to_stored(obj), to_stored(old))

    return msgspec.structs.replace(
        kind,
        default=lambda obj: through(obj, kind.default),
        prepare_create=prepare_create,
        prepare_update=prepare_update,
        validate=lambda obj: kind.validate(to_stored(obj)),
        validate_update=validate_update,
        warnings=warnings,
        fields=None if selectable is None else fields,
        generation=None if kind.generation is None else generation,
        subresources={
            name: _converted_subresource(each, to_stored, from_stored)
            for name, each in kind.subresources.items()
        },
    )


def _converted_subresource(rules: Subresource, to_stored: Convert, from_stored: Convert) -> Subresource:
    def prepare(obj: Object, old: Object, context: Context) -> None:
        stored = to_stored(obj)
        rules.prepare(stored, to_stored(old), context)
        made = from_stored(stored)
        obj.clear()
        obj.update(made)

    def validate(obj: Object, old: Object) -> Errors:
        return rules.validate(to_stored(obj), to_stored(old))

    def warnings(obj: Object, old: Object | None) -> list[str]:
        return rules.warnings(to_stored(obj), None if old is None else to_stored(old))

    return msgspec.structs.replace(rules, prepare=prepare, validate=validate, warnings=warnings)
