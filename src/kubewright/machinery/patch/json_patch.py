"""JSON patch (RFC 6902), applied as kube-apiserver applies it.

kube-apiserver's library is laxer than the RFC in places, and programs rely on it, so this is too:
`replace` also sets a member that is not there; `copy` of a member that is not there copies null; `test` takes
a member that is not there for null; a missing `value` is null; negative indices count from the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from kubewright.machinery.patch.errors import (
    MalformedPatchError,
    PatchError,
    PatchTestError,
    PatchTooLargeError,
)
from kubewright.machinery.patch.json_pointer import list_index, parse_pointer
from kubewright.machinery.patch.values import check_depth, copy_json, json_equal, quote

__all__ = ["MAX_COPIED_BYTES", "MAX_OPERATIONS", "apply_json_patch"]

MAX_OPERATIONS: Final = 10_000
"""Operations in one patch; kube-apiserver's limit (maxJSONPatchOperations)."""

MAX_COPIED_BYTES: Final = 3 * 1024 * 1024
"""What all `copy` operations of a patch may add, as compact JSON; kube-apiserver's JSONPatchMaxCopyBytes."""


def apply_json_patch(document: object, operations: object) -> Any:
    """The document after all operations; all of them apply or the patch fails.

    The result shares nothing with the document or the operations, and neither is changed. Raises
    MalformedPatchError for operations that are none, PatchTooLargeError past MAX_OPERATIONS or
    MAX_COPIED_BYTES, PatchTestError when a `test` fails, and PatchError when an operation does not apply;
    the message names the operation by its index and path.
    """
    if not isinstance(document, dict | list):
        raise PatchError(f"the document is {quote(document)}; a JSON patch applies to an object or a list")
    if not isinstance(operations, Sequence) or isinstance(operations, str | bytes):
        raise MalformedPatchError(f"the patch is {quote(operations)}; a JSON patch is a list of operations")
    if len(operations) > MAX_OPERATIONS:
        raise PatchTooLargeError(
            f"the patch has {len(operations)} operations; a JSON patch may have at most {MAX_OPERATIONS}"
        )
    work = _Work(copy_json(document, "the document"))
    for index, operation in enumerate(operations):
        try:
            work.apply(operation)
        except PatchError as error:
            raise type(error)(f"operation {index} of the JSON patch{_title(operation)}: {error}") from None
    check_depth(work.root, "the patched document")
    return work.root


def _title(operation: object) -> str:
    if not isinstance(operation, Mapping):
        return ""
    words = [str(operation[name]) for name in ("op", "path") if isinstance(operation.get(name), str)]
    return f" ({quote(' '.join(words))[1:-1]})" if words else ""


class _Work:
    """A document between two operations."""

    __slots__ = ("_copied", "root")

    def __init__(self, root: Any) -> None:
        self.root = root
        self._copied = 0

    def apply(self, operation: object) -> None:
        if not isinstance(operation, Mapping):
            raise MalformedPatchError(f"an operation must be an object, not {quote(operation)}")
        name = operation.get("op")
        run = _OPERATIONS.get(name) if isinstance(name, str) else None
        if run is None:
            raise MalformedPatchError(
                f'"op" is {quote(name)}; it must be add, remove, replace, move, copy or test'
            )
        run(self, operation)

    def add(self, operation: Mapping[str, Any]) -> None:
        self._put(_path(operation, "path"), copy_json(operation.get("value"), "the value"))

    def remove(self, operation: Mapping[str, Any]) -> None:
        self._take(_path(operation, "path"))

    def replace(self, operation: Mapping[str, Any]) -> None:
        tokens = _path(operation, "path")
        value = copy_json(operation.get("value"), "the value")
        if not tokens:
            if not isinstance(value, dict | list):
                raise PatchError(f"the whole document cannot become {quote(value)}; use an object or a list")
            self.root = value
            return
        parent = self._parent(tokens)
        if isinstance(parent, dict):
            parent[tokens[-1]] = value
        else:
            parent[list_index(tokens[-1], len(parent))] = value

    def move(self, operation: Mapping[str, Any]) -> None:
        value = self._take(_path(operation, "from"))
        self._put(_path(operation, "path"), value)

    def copy(self, operation: Mapping[str, Any]) -> None:
        source = self._look(_path(operation, "from"))
        tokens = _path(operation, "path")
        value = copy_json(source, "the copied value")
        if value is not None:
            self._copied += len(msgspec.json.encode(value))
        if self._copied > MAX_COPIED_BYTES:
            raise PatchTooLargeError(
                f"copying up to here adds {self._copied} bytes; a patch may copy at most {MAX_COPIED_BYTES}"
            )
        self._put(tokens, value)

    def test(self, operation: Mapping[str, Any]) -> None:
        tokens = _path(operation, "path")
        found = self._look(tokens) if tokens else self.root
        wanted = copy_json(operation.get("value"), "the value")
        if not json_equal(found, wanted):
            raise PatchTestError(f"the value is {quote(found)}, not {_other(found, wanted)}")

    def _parent(self, tokens: list[str]) -> dict[str, Any] | list[Any]:
        """What holds the last name of a path."""
        if not tokens:
            raise PatchError('the whole document ("") can only be replaced or tested')
        place: Any = self.root
        for token in tokens[:-1]:
            inner = place.get(token) if isinstance(place, dict) else place[list_index(token, len(place))]
            if not isinstance(inner, dict | list):
                found = "is missing" if inner is None else f"is {quote(inner)}"
                raise PatchError(f"{quote(token)} on the way {found}; it must be an object or a list")
            place = inner
        found_place: dict[str, Any] | list[Any] = place
        return found_place

    def _look(self, tokens: list[str]) -> Any:
        parent = self._parent(tokens)
        if isinstance(parent, dict):
            return parent.get(tokens[-1])
        return parent[list_index(tokens[-1], len(parent))]

    def _take(self, tokens: list[str]) -> Any:
        parent = self._parent(tokens)
        name = tokens[-1]
        if isinstance(parent, list):
            return parent.pop(list_index(name, len(parent)))
        if name not in parent:
            raise PatchError(f"there is no member {quote(name)} to take away")
        return parent.pop(name)

    def _put(self, tokens: list[str], value: Any) -> None:
        parent = self._parent(tokens)
        name = tokens[-1]
        if isinstance(parent, dict):
            parent[name] = value
        elif name == "-":
            parent.append(value)
        else:
            parent.insert(list_index(name, len(parent), to_insert=True), value)


_OPERATIONS: Final[dict[str, Callable[[_Work, Mapping[str, Any]], None]]] = {
    "add": _Work.add,
    "remove": _Work.remove,
    "replace": _Work.replace,
    "move": _Work.move,
    "copy": _Work.copy,
    "test": _Work.test,
}


def _path(operation: Mapping[str, Any], member: str) -> list[str]:
    text = operation.get(member)
    if not isinstance(text, str):
        raise MalformedPatchError(
            f'"{member}" is {quote(text)}; it must be a JSON pointer such as "/spec/replicas"'
        )
    return parse_pointer(text)


def _other(found: object, wanted: object) -> str:
    """The wanted value, told apart from the found one when both read alike."""
    return quote(wanted) if quote(found) != quote(wanted) else "the one that the patch gives"
