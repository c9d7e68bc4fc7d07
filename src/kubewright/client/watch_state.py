"""What a watch hands out, decided without I/O: one history without gaps, whatever happened to connections.

What a pass finds (see `list_watch`) is compared with what was handed out before.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final, Generic

import msgspec

from kubewright.client.forms import K, Listed
from kubewright.client.list_watch import ListWatch
from kubewright.machinery import codec
from kubewright.machinery.errors import KubewrightError
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.machinery.options import ListOptions
from kubewright.machinery.watch import INITIAL_EVENTS_END, WatchDecoder, WatchEvent, encode_event

__all__ = ["WatchState"]


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
        self.requests: Final = ListWatch(labels=labels, fields=fields, start=start, random=random)
        self._bookmarks: Final = bookmarks
        self._told_until = self.requests.revision
        """What a reader knows who gave a revision: all that has not changed since."""
        self._known: Final[dict[str, _Known]] = {}
        self._complete = False
        """Whether `_known` has all that is there: after the first pass."""
        self._silent = not initial
        self._seen: set[str] | None = None
        """The keys that came in the pass that is under way; None outside of one."""

    def options(self) -> ListOptions:
        """The next request: a watch, or (`watch` is not set) a page of a list."""
        options = self.requests.options()
        if self.requests.in_pass and self._seen is None:
            self._seen = set()
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
        if listed.continue_:
            self.requests.page_done(listed.continue_)
        else:
            events += self._pass_done(listed.resource_version)
            if self._bookmarks:
                events.append(self._end_mark(listed.resource_version))
        return events

    def ended(self, *, lasted: float) -> float:
        """The watch has ended as watches do. The pause before the next request, in seconds."""
        self._break_off()
        return self.requests.ended(lasted=lasted)

    def failed(self, error: KubewrightError, *, lasted: float, at_once: bool = False) -> float:
        """A request or its connection has failed. The pause before the next one; `at_once` if none is wanted.

        Raises the error when no other try mends it.
        """
        self._break_off()
        return self.requests.failed(error, lasted=lasted, at_once=at_once)

    def _break_off(self) -> None:
        if self._seen is not None and self._known:
            # Nothing may be older than what was told.
            self.requests.from_cache = False
        self._seen = None

    def _follow(self, revision: str) -> None:
        self.requests.followed(revision)
        self._told_until = self.requests.revision

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
        self.requests.pass_done(revision)
        self._told_until = revision
        self._complete, self._silent = True, False
        return events

    def _last_of(self, known: _Known) -> WatchEvent[K]:
        return WatchEvent("DELETED", self._decoder.decode(known.frame).object)

    def _end_mark(self, revision: str) -> WatchEvent[K]:
        """What a stream of initial events would have ended with."""
        meta = {"resourceVersion": revision, "annotations": {INITIAL_EVENTS_END: "true"}}
        obj = {"apiVersion": self._gvk.api_version, "kind": self._gvk.kind, "metadata": meta}
        return self._decoder.decode(encode_event("BOOKMARK", codec.encode(obj)))
