"""The options of each verb, as they travel in a request's query, or for deletes in its body."""

from __future__ import annotations

import re
import types
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, Self, Union, get_args, get_origin

import msgspec

from kubewright.machinery.errors import ParseError
from kubewright.machinery.field import field
from kubewright.machinery.field_errors import go_quote
from kubewright.machinery.meta import Preconditions
from kubewright.machinery.struct import Struct
from kubewright.machinery.type_meta import TypeMeta

__all__ = [
    "CreateOptions",
    "DeleteOptions",
    "GetOptions",
    "ListOptions",
    "PatchOptions",
    "TableOptions",
    "UpdateOptions",
]

_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,20}\Z")
"""What Go's strconv.ParseInt takes, as far as the length of what fits into 64 bits."""

_NOT_IN_QUERY: Final = frozenset({"apiVersion", "kind", "preconditions"})


class QueryOptions(Struct):
    """Options that can be written into and read from a query."""

    def to_query(self) -> list[tuple[str, str]]:
        """The query parameters, only those that say something: an empty text says nothing."""
        pairs = []
        for name, value in self.to_dict().items():
            if name in _NOT_IN_QUERY or value == "":
                continue
            values = value if isinstance(value, list) else [value]
            pairs += [(name, _query_text(item)) for item in values]
        return pairs

    @classmethod
    def from_query(cls, query: Mapping[str, str | Iterable[str]]) -> Self:
        """Read query parameters as the API server does: unknown ones are skipped, of many the first counts.

        Raises ParseError that names the parameter.
        """
        read: Self = _from_query(cls, query)
        return read


class GetOptions(QueryOptions):
    """Options of a read."""

    resource_version: str = ""
    """Read at least this revision; "0" is any, out of the server's cache."""


class ListOptions(QueryOptions):
    """Options of a list or watch."""

    label_selector: str = ""
    field_selector: str = ""
    watch: bool | None = None
    allow_watch_bookmarks: bool | None = None
    resource_version: str = ""
    resource_version_match: str = ""
    """`Exact` or `NotOlderThan`."""
    timeout_seconds: int | None = None
    limit: int | None = None
    continue_: str = field(default="", name="continue")
    send_initial_events: bool | None = None
    shard_selector: str = ""


class CreateOptions(QueryOptions):
    """Options of a create."""

    dry_run: list[str] = []
    """`All`: everything but the writing."""
    field_manager: str = ""
    field_validation: str = ""
    """`Ignore`, `Warn` or `Strict`: what to do about unknown and duplicate fields."""


class UpdateOptions(CreateOptions):
    """Options of an update."""


class PatchOptions(CreateOptions):
    """Options of a patch."""

    force: bool | None = None
    """With apply: take fields over from other managers."""


class TableOptions(QueryOptions):
    """Options of a Table."""

    include_object: str = ""
    """`None`, `Metadata` or `Object`: what each row carries of its object."""


class DeleteOptions(QueryOptions, TypeMeta, api_version="v1", kind="DeleteOptions"):
    """Options of a delete; the body says them, and the query may too.

    Clients send them in the group and version of what they delete, so any apiVersion will do.
    """

    api_version: str
    grace_period_seconds: int | None = None
    preconditions: Preconditions | None = None
    orphan_dependents: bool | None = None
    """What clients said before `propagation_policy`."""
    propagation_policy: str = ""
    """`Orphan`, `Background` or `Foreground`."""
    dry_run: list[str] = []
    ignore_store_read_error_with_cluster_breaking_potential: bool | None = None


def _query_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _from_query(cls: Any, query: Mapping[str, str | Iterable[str]]) -> Any:
    values: dict[str, Any] = {}
    for wire_name, (attribute, kind) in _readers_of(cls).items():
        found = query.get(wire_name, ())
        given = [found] if isinstance(found, str) else list(found)
        if given:
            values[attribute] = given if kind is list else _read(given[0], kind)
    return cls(**values)


def _read(text: str, kind: type) -> object:
    if kind is bool:
        # The API server takes everything but these for true, also the empty text.
        return text != "0" and text.lower() != "false"
    if kind is int:
        if not _INTEGER.match(text):
            raise ParseError(f"strconv.ParseInt: parsing {go_quote(text)}: invalid syntax")
        number = int(text)
        if not -(2**63) <= number < 2**63:
            raise ParseError(f"strconv.ParseInt: parsing {go_quote(text)}: value out of range")
        return number
    return text


@lru_cache(None)
def _readers_of(cls: type[msgspec.Struct]) -> dict[str, tuple[str, type]]:
    return {
        info.encode_name: (info.name, _plain_type(info.type))
        for info in msgspec.structs.fields(cls)
        if info.encode_name not in _NOT_IN_QUERY
    }


def _plain_type(annotation: Any) -> type:
    if get_origin(annotation) in {Union, types.UnionType}:
        annotation = next(part for part in get_args(annotation) if part is not type(None))
    found: type = get_origin(annotation) or annotation
    return found
