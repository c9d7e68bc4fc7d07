"""What a watch does next, decided without I/O: what to ask for, what to hand out, how long to wait.

A watch is in one of two phases. In a *pass* it learns all that is there: as a stream of initial events where
the server has them, as pages of a list where it has not. Then it *follows* what happens from a revision on. A
connection that ends is followed by another from the last revision; a revision that the server has forgotten,
or a pass that broke, means another pass. What a pass finds is compared with what was handed out before, so
that a reader sees one history without gaps, whatever happened to the connections.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final, Generic

import msgspec

from kubewright.client.forms import K, Listed
from kubewright.client.listing import PAGE_SIZE
from kubewright.machinery import codec
from kubewright.machinery.errors import ApiError, Expired, Gone, KubewrightError, TransportError
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.machinery.options import ListOptions
from kubewright.machinery.watch import INITIAL_EVENTS_END, WatchDecoder, WatchEvent, encode_event

__all__ = ["WatchState"]

_MIN_WATCH: Final = 300
"""Seconds after which a server is asked to end a watch, up to twice as many: client-go's, which spreads what
many watches cost, and moves them between servers in time."""

_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 30.0
"""Seconds before the next try: the first is that of other requests (see `retry`), the longest client-go's."""

_STEADY: Final = 1.0
"""Seconds that a connection must last to count as one that worked, if nothing came: client-go's."""

_NO_STREAMED_LISTS: Final = frozenset({400, 405, 406, 415, 422})
"""How servers refuse to begin a watch with what is there: 422 when the feature is off, or not known."""

_MAX_BROKEN_PASSES: Final = 3
"""After so many streams of initial events in a row that did not get to their end, lists are tried: a server
that does not know of such streams may ignore that it was asked for one, and never says where they end."""

_TRANSIENT: Final = frozenset({0, 408, 429})
"""Codes below 500 that pass: no code at all, and those of servers and proxies that are too slow or busy."""

_TOO_LARGE: Final = "ResourceVersionTooLarge"
"""The cause in the answer of a server that is behind the revision it is asked for."""


class _Known(msgspec.Struct, frozen=True, gc=False):
    """An object as it was handed out last."""

    uid: str
    resource_version: str
    frame: bytes
    """A frame with the object in it: a copy, since the one that was handed out belongs to the reader."""


class WatchState(Generic[K]):
    """One watch: ask for `options`, tell what came of it, hand out the events that come back.

    What comes is told with `event`, `page`, `ended` or `failed`. The events are those of one history: of one
    object they come in order, each resourceVersion once; an object that was deleted and created again is
    DELETED and then ADDED.
    """

    def __init__(
        self,
        decoder: WatchDecoder[K],
        gvk: GroupVersionKind,
        *,
        labels: str = "",
        fields: str = "",
        start: str = "",
        initial: bool = True,
        bookmarks: bool = False,
        random: Random,
    ) -> None:
        """`start` is a revision to follow from, or "" for a pass, or "0" for one of the server's cache.

        Without `initial` the first pass hands out nothing. With `bookmarks` those of the server are handed
        out, and one at the end of each pass (`ends_initial_events`). `gvk` is what bookmarks say they are.
        """
        self._decoder: Final = decoder
        self._gvk: Final = gvk
        self._selection: Final = ListOptions(label_selector=labels, field_selector=fields)
        self._bookmarks: Final = bookmarks
        self._random: Final = random
        self._from_cache = start == "0"
        self._revision = "" if self._from_cache else start
        """What is followed from; empty when a pass is due."""
        self._told_until = self._revision
        """What a reader knows who gave a revision: all that has not changed since."""
        self._known: Final[dict[str, _Known]] = {}
        self._complete = False
        """Whether `_known` has all that is there: after the first pass."""
        self._silent = not initial
        self._seen: set[str] | None = None
        """The keys that came in the pass that is under way; None outside of one."""
        self._streams = True
        """Whether the server has not refused to stream what is there."""
        self._broken_passes = 0
        self._continue = ""
        self._paged = True
        self._attempt = 0
        self._steady = False

    def options(self) -> ListOptions:
        """The next request: a watch, or (`watch` is not set) a page of a list."""
        options = self._selection.copy()
        if self._revision:
            self._watched(options, self._revision)
            return options
        revision = "0" if self._from_cache else ""
        if self._seen is None:
            self._seen = set()
        if self._streams and self._broken_passes < _MAX_BROKEN_PASSES:
            self._watched(options, revision)
            options.send_initial_events = True
            options.resource_version_match = "NotOlderThan"
        elif self._continue:
            options.limit, options.continue_ = PAGE_SIZE, self._continue
        else:
            options.resource_version = revision
            options.limit = PAGE_SIZE if self._paged else None
        return options

    def event(self, event: WatchEvent[K], frame: bytes) -> Sequence[WatchEvent[K]]:
        """What to hand out for an event of a watch; `frame` is what it was decoded from."""
        if event.type == "BOOKMARK":
            return self._mark(event)
        if self._seen is None:
            self._follow(event.resource_version)
        if event.type == "DELETED":
            return self._deleted(event)
        return self._found(event, frame)

    def page(self, listed: Listed[K]) -> Sequence[WatchEvent[K]]:
        """What to hand out for a page of a list."""
        events: list[WatchEvent[K]] = []
        for item in listed.items:
            events += self._found(WatchEvent("ADDED", item), encode_event("ADDED", item.to_json()))
        self._continue = listed.continue_
        if not listed.continue_:
            events += self._pass_done(listed.resource_version)
            if self._bookmarks:
                events.append(self._end_mark(listed.resource_version))
        return events

    def ended(self, *, lasted: float) -> float:
        """The watch has ended as watches do. The pause before the next request, in seconds."""
        return self._pause(at_once=True, lasted=lasted)

    def failed(self, error: KubewrightError, *, lasted: float, at_once: bool = False) -> float:
        """A request or its connection has failed. The pause before the next one; `at_once` if none is wanted.

        Raises the error when no other try mends it.
        """
        if isinstance(error, ApiError):
            return self._refused(error, lasted)
        if not isinstance(error, TransportError) or error.lasting:
            raise error
        return self._pause(at_once=at_once, lasted=lasted)

    def _watched(self, options: ListOptions, revision: str) -> None:
        options.watch = options.allow_watch_bookmarks = True
        options.resource_version = revision
        options.timeout_seconds = self._random.randint(_MIN_WATCH, 2 * _MIN_WATCH)

    def _follow(self, revision: str) -> None:
        self._steady = True
        if revision:
            self._revision = self._told_until = revision

    def _mark(self, event: WatchEvent[K]) -> Sequence[WatchEvent[K]]:
        events: list[WatchEvent[K]] = []
        if self._seen is None:
            self._follow(event.resource_version)
        elif not event.ends_initial_events:
            return ()  # It says nothing of whether all that is there has come.
        else:
            events += self._pass_done(event.resource_version)
        return [*events, event] if self._bookmarks else events

    def _found(self, event: WatchEvent[K], frame: bytes) -> Sequence[WatchEvent[K]]:
        """An object as it is now, whatever was known of it."""
        obj, key, meta = event.object, event.object.key, event.object.metadata
        before = self._known.get(key)
        self._known[key] = _Known(meta.uid, meta.resource_version, frame)
        if self._seen is not None:
            self._seen.add(key)
            if self._silent or (before is None and self._is_told(meta.resource_version)):
                return ()
        if before is None:
            return (WatchEvent("ADDED", obj) if self._seen is not None else event,)
        if before.uid != meta.uid:
            return self._last_of(before), WatchEvent("ADDED", obj)
        if before.resource_version == meta.resource_version:
            return ()
        return (WatchEvent("MODIFIED", obj),)

    def _deleted(self, event: WatchEvent[K]) -> Sequence[WatchEvent[K]]:
        key = event.object.key
        before = self._known.get(key)
        if before is not None and before.uid != event.object.metadata.uid:
            return ()  # Of one that was there before the known one, whose end was told with that one.
        self._known.pop(key, None)
        if (self._silent and self._seen is not None) or (before is None and self._complete):
            return ()
        return (event,)

    def _is_told(self, resource_version: str) -> bool:
        """Whether a reader that gave a revision knows this state, although nothing was handed out."""
        if self._complete or not self._told_until:
            return False
        try:
            # API servers promise since 1.35 that revisions are decimal numbers which can be compared.
            return int(resource_version) <= int(self._told_until)
        except ValueError:
            return False

    def _pass_done(self, revision: str) -> list[WatchEvent[K]]:
        seen, self._seen = self._seen or set(), None
        gone = [key for key in self._known if key not in seen]
        events = [self._last_of(self._known.pop(key)) for key in gone]
        if self._silent:
            events = []
        self._revision = self._told_until = revision
        self._complete, self._silent, self._from_cache, self._paged = True, False, False, True
        self._broken_passes = 0
        return events

    def _last_of(self, known: _Known) -> WatchEvent[K]:
        return WatchEvent("DELETED", self._decoder.decode(known.frame).object)

    def _end_mark(self, revision: str) -> WatchEvent[K]:
        """What a stream of initial events would have ended with."""
        meta = {"resourceVersion": revision, "annotations": {INITIAL_EVENTS_END: "true"}}
        obj = {"apiVersion": self._gvk.api_version, "kind": self._gvk.kind, "metadata": meta}
        return self._decoder.decode(encode_event("BOOKMARK", codec.encode(obj)))

    def _refused(self, error: ApiError, lasted: float) -> float:
        code = error.status.code or error.code
        if isinstance(error, Expired | Gone) or code == 410 or _is_too_large(error):
            # A page that is too late is no reason to list in pages again: it would be too late again.
            self._paged = not self._continue
            pause = self._pause(at_once=True, lasted=lasted)
            self._revision = ""
            return pause
        if self._seen is not None and self._streams and code in _NO_STREAMED_LISTS:
            self._streams, self._seen = False, None
            return 0.0
        if code not in _TRANSIENT and code < 500:
            raise error
        return self._pause(lasted=lasted, retry_after=error.retry_after or 0)

    def _pause(self, *, lasted: float, at_once: bool = False, retry_after: float = 0) -> float:
        """Counts a connection that is over, and begins an unfinished pass anew."""
        if self._steady or (self._seen is None and lasted >= _STEADY):
            self._attempt = 0
        if self._seen is not None:
            self._broken_passes += 1
            # Nothing may be older than what was told.
            self._from_cache = self._from_cache and not self._known
        self._steady, self._seen, self._continue = False, None, ""
        attempt = self._attempt
        self._attempt = min(attempt + 1, 16)
        if at_once and attempt == 0:
            return 0.0
        # Jitter, so that those who lost their connections at once do not come back at once.
        pause = self._random.uniform(0, min(_LONGEST_PAUSE, _FIRST_PAUSE * 2**attempt))
        return max(pause, min(retry_after, _LONGEST_PAUSE))


def _is_too_large(error: ApiError) -> bool:
    details = error.status.details
    return details is not None and any(cause.reason == _TOO_LARGE for cause in details.causes)
