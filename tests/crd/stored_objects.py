"""What becomes of a stored object when its schema changes."""

from __future__ import annotations

import copy
from typing import Any

from kubewright.crd.cel import compile_schema
from kubewright.crd.compatibility import BreakingChange, breaking_changes
from kubewright.crd.defaulting import default
from kubewright.crd.go_values import as_stored, deep_equal
from kubewright.crd.pruning import prune
from kubewright.crd.structural import parse_schema
from kubewright.crd.validation import validate
from kubewright.machinery.field_errors import FieldError
from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from tests.crd.schema_pairs import Json, definition, of_kind

__all__ = ["changes_of", "errors", "keeps", "read", "written"]


def changes_of(old: Json, new: Json) -> list[BreakingChange]:
    return breaking_changes(
        CustomResourceDefinition.from_dict(definition(old)),
        CustomResourceDefinition.from_dict(definition(new)),
    )


def whole(value: Any) -> Json:
    obj = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": value}
    made: Json = as_stored(copy.deepcopy(obj))
    return made


def read(obj: Json, spec: Json) -> Json:
    """A stored object as the server reads it with a schema."""
    made = copy.deepcopy(obj)
    schema = parse_schema(of_kind(spec))
    prune(made, schema, drop_invalid_metadata=True)
    default(made, schema)
    return made


def errors(obj: Json, spec: Json) -> list[FieldError]:
    schema = of_kind(spec)
    return validate(obj, parse_schema(schema), rules=compile_schema(schema))


def written(value: Any, spec: Json) -> Json:
    """An object as it is written with a schema, but for its defaults: as if there had been none yet."""
    made = whole(value)
    prune(made, parse_schema(of_kind(spec)), drop_invalid_metadata=True)
    without: Json = _without_replaced(made, read(made, spec))
    return without


def _without_replaced(value: Any, filled: Any) -> Any:
    """The value without the nulls that defaults replace."""
    if isinstance(value, dict):
        return {
            name: _without_replaced(member, filled[name])
            for name, member in value.items()
            if member is not None or filled[name] is None
        }
    if isinstance(value, list):
        return [_without_replaced(member, filled[index]) for index, member in enumerate(value)]
    return filled if value is None else value


def keeps(new: Any, old: Any) -> bool:
    """Whether all that is in an old value is in the new one."""
    if isinstance(old, dict) and isinstance(new, dict):
        return all(name in new and keeps(new[name], member) for name, member in old.items())
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(keeps, new, old))
    return deep_equal(new, old)
