"""Lists: consistent at one revision, in pages, with tokens that outlive writes but not compaction."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Final, NamedTuple

import msgspec

from kubewright.machinery.errors import ApiError
from kubewright.server.errors import bad_request, expired, too_large_resource_version
from kubewright.server.large_requests import run_in_worker
from kubewright.server.registry.selection import Selection
from kubewright.server.registry.store import Store
from kubewright.server.registry.stored import read_meta
from kubewright.server.storage import Compacted, Entry, FutureRevision

__all__ = ["Listed", "list_selected", "list_values"]

_TOKEN_VERSION: Final = "meta.k8s.io/v1"  # noqa: S105 - no secret
"""What upstream's tokens say of their form."""

_INCONSISTENT: Final = -1
"""The revision of a token that asks for the rest of a list as it is now."""

_CHUNK: Final = 500
"""How many objects are looked at in one go when a selector leaves out most; any number would do."""

_MATCHED_AT_ONCE: Final = 5_000
"""How many objects are matched in one go, by a short selector: 5 ms."""

_MAX_TOKEN: Final = 4096
"""Tokens of ours are a few hundred bytes; longer ones are not decoded at all."""

_EXPIRED: Final = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new "
    "list without the continue parameter, or use the continue token in this response to retrieve the "
    "remainder of the results. Continuing with the provided token results in an inconsistent list - "
    "objects that were created, modified, or deleted between the time the first chunk was returned and now "
    "may show up in the list."
)


class Listed(NamedTuple):
    """A page of stored values."""

    values: list[bytes]
    revision: int
    token: str
    """Asks for the next page; empty at the end."""
    remaining: int | None
    """How many are left, where that is known."""


class _Token(msgspec.Struct):
    v: str = ""
    rv: Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)] = 0
    start: str = ""


async def list_values(
    store: Store,
    selection: Selection,
    *,
    limit: int | None = None,
    token: str = "",
    at_revision: int | None = None,
) -> Listed:
    """A list, or a page of it. Raises BadRequest for a token that is none, Expired, and Timeout.

    `at_revision` asks for exactly that revision; without it the list is of now.
    """
    start: str | None = None
    root = store.root(selection.namespace)
    if token:
        read = _read_token(token)
        start = root + read.start
        if read.rv != _INCONSISTENT:
            at_revision = read.rv
    try:
        if selection.name and (selection.namespace or not store.type.served.namespaced):
            return _one(store, selection, at_revision)
        return await _many(store, selection, root, limit, start, at_revision)
    except Compacted:
        if token:
            raise _expired_token(store, token) from None
        raise expired("The resourceVersion for the provided list is too old.") from None
    except FutureRevision as future:
        raise too_large_resource_version(future.revision, future.current) from None


async def list_selected(
    store: Store,
    selection: Selection,
    *,
    limit: int | None = None,
    token: str = "",
    at_revision: int | None = None,
) -> Listed:
    """As `list_values`, but the values are in the version of the store already, and selected in it."""
    matches = selection.matches
    convert = store.type.convert
    if not store.type.converts or matches is None:
        listed = await list_values(store, selection, limit=limit, token=token, at_revision=at_revision)
        return listed._replace(values=list(await convert(listed.values))) if store.type.converts else listed
    everything = Selection(selection.namespace, selection.name, None)
    found: list[bytes] = []
    while True:
        page = await list_values(
            store, everything, limit=_CHUNK if limit else None, token=token, at_revision=at_revision
        )
        values = await convert(page.values)
        for position in await _matching(selection, matches, values):
            value = values[position]
            found.append(value)
            if len(found) == limit:
                following = values[position + 1] if position + 1 < len(values) else None
                return Listed(found, page.revision, _token_before(store, selection, page, following), None)
        if not page.token:
            return Listed(found, page.revision, "", None)
        token, at_revision = page.token, None


def _token_before(store: Store, selection: Selection, page: Listed, following: bytes | None) -> str:
    """The token of what follows in a page, or of the next page when nothing does."""
    if following is None:
        return page.token
    meta = read_meta(following)
    return _token(page.revision, store.key(meta.namespace, meta.name), store.root(selection.namespace))


def _one(store: Store, selection: Selection, at_revision: int | None) -> Listed:
    revision = store.storage.revision if at_revision is None else at_revision
    entry = store.storage.get(store.key(selection.namespace, selection.name), revision=at_revision)
    found = entry is not None and (selection.matches is None or selection.matches(entry.value))
    return Listed([entry.value] if entry is not None and found else [], revision, "", None)


async def _matching(
    selection: Selection, matches: Callable[[bytes], bool], values: Sequence[bytes]
) -> Sequence[int]:
    """The positions of the values that match; looked for in the worker thread where that takes long."""

    def match(start: int, end: int) -> list[int]:
        return [position for position in range(start, end) if matches(values[position])]

    # Reading the metadata of an object takes as long as checking ten requirements.
    step = max(1, _MATCHED_AT_ONCE * 10 // (10 + selection.requirements))
    if len(values) <= step:
        return match(0, len(values))
    positions: list[int] = []
    for start in range(0, len(values), step):
        # In parts, so that other large requests need not wait for all of them.
        positions += await run_in_worker(partial(match, start, min(start + step, len(values))))
    return positions


async def _many(
    store: Store,
    selection: Selection,
    root: str,
    limit: int | None,
    start: str | None,
    at_revision: int | None,
) -> Listed:
    matches = selection.matches
    if matches is None:
        page = store.storage.list(root, revision=at_revision, limit=limit or None, start=start)
        token = _token(page.revision, page.next, root)
        remaining = page.remaining if page.next is not None else None
        return Listed([entry.value for entry in page.entries], page.revision, token, remaining)
    values: list[bytes] = []
    wanted = limit or None
    while True:
        chunk = _CHUNK if wanted is not None else None
        page = store.storage.list(root, revision=at_revision, limit=chunk, start=start)
        at_revision = page.revision
        for position in await _matching(selection, matches, [entry.value for entry in page.entries]):
            entry = page.entries[position]
            if wanted is not None and len(values) == wanted:
                return Listed(values, page.revision, _token(page.revision, entry.key, root), None)
            values.append(entry.value)
            if wanted is not None and len(values) == wanted:
                following = _following(page.entries, position, page.next)
                return Listed(values, page.revision, _token(page.revision, following, root), None)
        if page.next is None:
            return Listed(values, page.revision, "", None)
        start = page.next


def _following(entries: list[Entry], position: int, after: str | None) -> str | None:
    return entries[position + 1].key if position + 1 < len(entries) else after


def _token(revision: int, following: str | None, root: str) -> str:
    if following is None:
        return ""
    text = msgspec.json.encode(_Token(_TOKEN_VERSION, revision, following.removeprefix(root)))
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def _read_token(token: str) -> _Token:
    try:
        if len(token) > _MAX_TOKEN:
            raise _bad_token("it is too long")
        text = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        read = msgspec.json.decode(text, type=_Token)
    except (ValueError, msgspec.DecodeError) as error:
        raise _bad_token(str(error)) from None
    if read.v != _TOKEN_VERSION:
        raise _bad_token(f"server does not recognize this encoded version {read.v}")
    if not read.rv or read.rv < _INCONSISTENT:
        raise _bad_token(f"incorrect encoded start resourceVersion (version {_TOKEN_VERSION})")
    if not read.start:
        raise _bad_token(f"encoded start key empty (version {_TOKEN_VERSION})")
    if any(part in {"", ".", ".."} for part in read.start.split("/")):
        raise _bad_token(read.start)
    return read


def _bad_token(why: str) -> ApiError:
    return bad_request(f"invalid continue token: continue key is not valid: {why}")


def _expired_token(store: Store, token: str) -> ApiError:
    start = _read_token(token).start
    error = expired(_EXPIRED)
    error.status.metadata.continue_ = _token(_INCONSISTENT, start, "")
    return error
