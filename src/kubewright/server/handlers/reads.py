"""get, list and watch."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from typing import Final

from kubewright.machinery.errors import ApiError
from kubewright.machinery.field_errors import go_quote
from kubewright.machinery.options import ListOptions
from kubewright.server.errors import bad_request, failed, not_unsigned, parse_revision
from kubewright.server.handlers.call import Answer, Call, PiecedAnswer, Streamed
from kubewright.server.handlers.options import list_options
from kubewright.server.handlers.respond import list_reply, object_reply, output_of, reply_in_form
from kubewright.server.handlers.watch_frames import Frames
from kubewright.server.registry.listing import list_selected
from kubewright.server.registry.selection import Selection, read_selection
from kubewright.server.registry.store import Store
from kubewright.server.registry.watching import Watching, reached, watch

__all__ = ["get_object", "list_objects", "watch_objects"]

_MIN_WATCH: Final = 1800.0
"""Seconds that a watch without a timeout lasts at least, upstream's --min-request-timeout; at most it lasts
twice as long, so that not all end at once."""


async def get_object(call: Call, store: Store, name: str) -> Answer | PiecedAnswer:
    """`get`: one object."""
    output_of(call, protobuf_answers=not store.type.stores_type)
    entry = store.get(call.info.namespace, name)
    if len(call.query):
        wanted = _revision(call.query.get("resourceVersion", ""))
        await reached(store.storage, wanted)
        entry = store.get(call.info.namespace, name)
    value = entry.value
    if store.type.converts:
        (value,) = await store.type.convert((value,))
    return await reply_in_form(call, store.type, len(value), lambda: object_reply(call, store.type, value))


async def list_objects(call: Call, store: Store) -> Answer | PiecedAnswer:
    """`list`: all objects of a selection, or a page of them."""
    output_of(call, protobuf_answers=not store.type.stores_type)
    options = list_options(call.query, watching=False)
    if options.limit is not None and options.limit < 0:
        options.limit = None
    selection = await _selection(call, store, options)
    revision = _revision(options.resource_version, _bad_revision)
    if options.continue_ and options.resource_version not in {"", "0"}:
        raise bad_request("specifying resource version is not allowed when using continue")
    exact = options.resource_version_match == "Exact" or (
        bool(options.limit) and revision > 0 and not options.resource_version_match
    )
    if not exact:
        await reached(store.storage, revision)
    listed = await list_selected(
        store,
        selection,
        limit=options.limit,
        token=options.continue_,
        at_revision=revision if exact else None,
    )
    size = sum(map(len, listed.values))
    return await reply_in_form(
        call, store.type, size, lambda: list_reply(call, store.type, listed.values, listed)
    )


async def watch_objects(call: Call, store: Store, *, name: str = "") -> Streamed:
    """`watch`: the changes of a selection as they come."""
    options = list_options(call.query, watching=True)
    selection = await _selection(call, store, options, name=name, watching=True)
    frames = Frames(call, store.type)
    revision = _revision(options.resource_version)
    from_start = not revision or bool(options.send_initial_events)
    without_initial = options.send_initial_events is False
    try:
        if from_start:
            await reached(store.storage, revision)
        watching = await watch(
            store,
            selection,
            after_revision=_start(store, revision, from_start=from_start, skip=without_initial),
        )
    except ApiError as error:
        # The answer has begun for all that a client can tell, so a refusal comes as an event.
        refused = frames.error(error)
        return Streamed(lambda: _only(refused), frames.content_type)
    seconds = float(options.timeout_seconds or 0)
    lasts = seconds or _MIN_WATCH * (1 + random.random())  # noqa: S311 - spreads load, keeps no secret
    return Streamed(lambda: _stream(watching, frames, options, lasts), frames.content_type)


def _start(store: Store, revision: int, *, from_start: bool, skip: bool) -> int | None:
    if skip:
        return revision or store.storage.revision
    return None if from_start else revision


async def _only(frame: bytes) -> AsyncIterator[bytes]:
    yield frame


async def _stream(
    watching: Watching, frames: Frames, options: ListOptions, lasts: float
) -> AsyncIterator[bytes]:
    deadline = asyncio.get_running_loop().time() + lasts
    bookmarks = bool(options.allow_watch_bookmarks)
    try:
        for chunk in frames.initial(watching.take_initial()):
            yield chunk
        if options.send_initial_events and bookmarks:
            yield frames.bookmark(watching.start_revision, ends_initial_events=True)
        sent = watching.start_revision
        async for changes in watching.changes(deadline=deadline):
            if changes:
                for chunk in frames.changes(changes):
                    yield chunk
            elif bookmarks:
                # Also when nothing has happened anywhere: clients see by it that the connection is alive.
                sent = watching.progress
                yield frames.bookmark(sent)
        if bookmarks and watching.progress > sent:
            yield frames.bookmark(watching.progress)
    except ApiError as error:
        # An object that cannot be converted: whoever watches learns why, and must begin anew.
        yield frames.error(error)
    finally:
        watching.close()


async def _selection(
    call: Call, store: Store, options: ListOptions, *, name: str = "", watching: bool = False
) -> Selection:
    return await read_selection(
        store.type,
        namespace=call.info.namespace if store.type.served.namespaced else "",
        labels=options.label_selector,
        fields=options.field_selector,
        name=name,
        watching=watching,
    )


def _revision(text: str, refuse: Callable[[str], ApiError] = failed) -> int:
    if not text:
        return 0
    number = parse_revision(text)
    if number is None:
        raise refuse(f"resourceVersion: Invalid value: {go_quote(text)}: {not_unsigned(text)}")
    return number


def _bad_revision(why: str) -> ApiError:
    return bad_request(f"invalid resource version: {why}")
