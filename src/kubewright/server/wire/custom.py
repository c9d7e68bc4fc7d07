"""Bodies of custom resources: any JSON object, as Go's unstructured objects hold it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubewright.machinery.errors import ParseError
from kubewright.server.wire.errors import WireError
from kubewright.server.wire.go_json import (
    Number,
    Pairs,
    Tree,
    check_depth,
    has_distinct_keys,
    int64_or_float64,
    parse_tree,
)
from kubewright.server.wire.reading import Fatal, Reading
from kubewright.server.wire.type_meta import find_type_meta, is_plain_type_meta
from kubewright.server.wire.wire_type import Read, go_struct

if TYPE_CHECKING:
    from kubewright.server.kinds.kind import Object
    from kubewright.server.wire.go_types import GoStruct

__all__ = ["read_json", "read_metadata", "read_value"]

_DIGITS: Final = bytes.maketrans(b"123456789", b"000000000")
_LONG: Final = b"0" * 19
"""As many digits as the smallest number has that is no int64."""


def _float(text: str) -> float:
    number = float(text)
    if abs(number) == float("inf"):
        raise ValueError(f"{text} is no float64")
    return number


_decode_any: Final = msgspec.json.Decoder(float_hook=_float).decode
_decode: Final = msgspec.json.Decoder(dict[str, Any], float_hook=_float).decode


def read_json(data: bytes, *, strict: bool) -> Read:
    """The object in the body of a custom resource, with nothing dropped; `problems` are its duplicate fields.

    Numbers are ints where they are written as whole ones of 64 bits; others are floats, also 1.0, which Go
    writes back as 1, so that it is one in what is stored. Of a key that comes twice the last value counts.
    Bytes that are no UTF-8 are replacement characters. Metadata is not looked at; see `read_metadata`. Raises
    WireError for what is no JSON object, nests deeper than MAX_DEPTH, has no kind, or a number that no
    float64 holds.
    """
    try:
        obj = _decode(data)
        if is_plain_type_meta(obj) and _LONG not in data.translate(_DIGITS) and has_distinct_keys(data, obj):
            check_depth(data)
            return Read(obj)
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
        pass
    return _read_slowly(data, strict=strict)


def _read_slowly(data: bytes, *, strict: bool) -> Read:
    try:
        tree = parse_tree(data)
    except ParseError as error:
        raise WireError(f"couldn't get version/kind; json parse error: {error}", body=data) from None
    sent = find_type_meta(tree, data)
    reading = Reading(strict=strict)
    made = _read(reading, tree)
    if reading.first_error:
        raise WireError(reading.first_error, api_version=sent.api_version, kind=sent.kind)
    kind = made.get("kind") if isinstance(made, dict) else None
    if not isinstance(made, dict) or not kind:
        raise WireError(f"Object 'Kind' is missing in '{data.decode(errors='replace')}'", body=data)
    return Read(made, reading.problems)


def _read(reading: Reading, tree: Tree) -> object:
    if isinstance(tree, Pairs):
        made: Object = {}
        for key, item in tree:
            if key in made:
                reading.problem("duplicate", key)
            reading.path.append(f".{key}")
            made[key] = _read(reading, item)
            reading.path.pop()
        return made
    if isinstance(tree, list):
        items = []
        for index, item in enumerate(tree):
            reading.path.append(f"[{index}]")
            items.append(_read(reading, item))
            reading.path.pop()
        return items
    if isinstance(tree, Number):
        number = int64_or_float64(tree)
        if number is None:
            reading.error(f"json: cannot unmarshal number {tree} into Go value of type float64")
        return number
    return tree


def read_value(data: bytes, *, strict: bool) -> tuple[Any, Sequence[str]]:
    """Any JSON value, such as a patch, and which of its fields stand there twice.

    Raises WireError in Go's words for what is no JSON or nests deeper than MAX_DEPTH.
    """
    try:
        value = _decode_any(data)
        if _LONG not in data.translate(_DIGITS) and has_distinct_keys(data, value):
            check_depth(data)
            return value, ()
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
        pass
    try:
        tree = parse_tree(data)
    except ParseError as error:
        raise WireError(str(error), body=data) from None
    reading = Reading(strict=strict)
    value = _read(reading, tree)
    if reading.first_error:
        raise WireError(reading.first_error, body=data)
    return value, reading.problems


def read_metadata(metadata: object, *, strict: bool) -> Read:
    """The metadata of a custom resource, which upstream reads into a struct as it does of built-in kinds.

    `metadata` is what `read_json` gave, and stays as it is. `problems` name `metadata.foo`. Raises WireError
    with upstream's text, such as `json: cannot unmarshal number into Go struct field ObjectMeta.labels of
    type string`; the kind that `bad_request` needs is then the caller's to give.
    """
    struct = _object_meta()
    reading = Reading(strict=strict)
    reading.path.append(".metadata")
    tree: Any = metadata
    try:
        obj: Any = struct.write(struct.read(reading, tree, struct.new()))
    except Fatal as fatal:
        raise WireError(str(fatal)) from None
    if reading.first_error:
        raise WireError(reading.first_error)
    return Read(obj, reading.problems)


@lru_cache(1)
def _object_meta() -> GoStruct:
    return go_struct("meta.v1.ObjectMeta")
