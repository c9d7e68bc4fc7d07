"""`jsonpatch.escapeKey()`, for the paths of JSON patches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubewright.crd.cel.functions.function import Function, per_argument
from kubewright.crd.cel.values import no_such_overload

__all__ = ["FUNCTIONS"]


def _escaped(key: object) -> str:
    if not isinstance(key, str):
        raise no_such_overload("jsonpatch.escapeKey", key)
    return key.replace("~", "~0").replace("/", "~1")


FUNCTIONS: Final[Mapping[str, Function]] = {"jsonpatch.escapeKey": Function(_escaped, per_argument())}
