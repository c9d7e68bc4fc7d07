"""`Reflector`: what a watch means for a store, decided without I/O.

It is what a `WatchLoop` drives: it says what to ask for, and applies what comes to its part of the store.
What a pass finds is collected apart and takes effect at once when the pass is complete, so that nobody sees
half of it.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Sequence
from typing import Final, Generic

from kubewright.client.forms import Form, K
from kubewright.client.list_watch import ListWatch, compared
from kubewright.informers.changes import Change
from kubewright.informers.handlers import Registration
from kubewright.informers.server_state import ServerState
from kubewright.informers.store import Part
from kubewright.informers.transforms import Transform, transformed
from kubewright.machinery.errors import ClientClosed, DecodeError, KubewrightError, NotFound
from kubewright.machinery.kept import SharedValues, revision_of, share_values, uid_of
from kubewright.machinery.options import ListOptions
from kubewright.machinery.watch import WatchDecoder, WatchEvent

__all__ = ["Reflector"]

_LONGEST_PAUSE_IF_MISSING: Final = 5.0
"""Seconds between two looks whether a kind that is not served has come: a person who installs a definition
looks at what happens then."""

_GONE_AFTER: Final = 10.0
"""Seconds after which a kind that is not found is asked for in what the server says that it serves, and if it
is not there either, is gone, and its objects with it. Before that it may be one of several servers that has
not heard of a definition yet, which takes some seconds at most."""

_SMALL: Final = 2048
"""Bytes of an object up to which it is worth looking for what it has in common with others: those of a config
map or a custom resource. A pod has several times as many, and hardly gets smaller by it."""

_log: Final = logging.getLogger("kubewright.informers")


class Reflector(Generic[K]):
    """Keeps a part of a store as the server's objects are, and tells handlers what changed.

    It never gives up: what no other try would mend for a program that asks once (a kind that is not served,
    a right that is missing) may be mended while an informer runs.
    """

    def __init__(
        self,
        form: Form[K],
        part: Part[K],
        handlers: Sequence[Registration[K]],
        requests: ListWatch,
        *,
        transform: Transform[K] | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`handlers` are told; it is looked at each time anything changes."""
        self.requests: Final = requests
        self.revision = ""
        """The newest revision whose changes are all in the store."""
        self.is_complete = False
        """Whether the store has had all that is there."""
        self.listed_at = -math.inf
        """When the last pass began that took effect, by the clock: what was written before is in the store,
        or the server does not have it any more."""
        self._form: Final = form
        self._decode: Final = WatchDecoder(form.kind).decode
        self._part: Final = part
        self._handlers: Final = handlers
        self._transform: Final = transform
        self._clock: Final = clock
        self._found: dict[str, K] | None = None
        """What the pass that is under way has found; None outside of one."""
        self._shared: Final = SharedValues()
        self._pass_began = 0.0
        self._missing_since: float | None = None
        self.seems_gone = False
        """Whether the kind has not been served for long, and there are objects of it still; see `gone`."""

    def options(self) -> ListOptions:
        """The next request: a watch, or (`watch` is not set) a page of a list."""
        options = self.requests.options()
        if self.requests.in_pass and self._found is None:
            self._found = {}
            self._pass_began = self._clock()
        return options

    def frames(self, frames: Sequence[bytes]) -> None:
        """Apply events of a watch. Raises the ApiError of an ERROR frame, and DecodeError."""
        self._missing_since, self.seems_gone = None, False
        decode = self._decode
        self._shared.trim()
        for frame in frames:
            event = decode(frame)
            if event.type == "BOOKMARK":
                self._mark(event)
                continue
            shared = self._shared if len(frame) <= _SMALL else None
            if shared is not None:
                share_values((event.object,), shared)
            if self._found is not None:
                self._collect(self._found, event, shared)
            else:
                self._apply(event, shared)

    def page(self, body: bytes) -> None:
        """Take a page of a list. Raises DecodeError."""
        self._missing_since, self.seems_gone = None, False
        listed = self._form.read_list(body)
        self._shared.trim()
        shared = self._shared if len(body) <= _SMALL * len(listed.items) else None
        found = self._found = self._found if self._found is not None else {}
        for obj in listed.items:
            self._find(found, obj.key, obj, shared)
        if listed.continue_:
            self.requests.page_done(listed.continue_)
        else:
            self._complete(listed.resource_version)

    def ended(self, *, lasted: float) -> float:
        """The watch has ended as watches do. The pause before the next request, in seconds."""
        self._break_off()
        return self.requests.ended(lasted=lasted)

    def failed(self, error: KubewrightError, *, lasted: float, at_once: bool = False) -> float:
        """A request or its connection has failed. The pause before the next one; `at_once` if none is wanted.

        Raises ClientClosed.
        """
        self._break_off()
        if isinstance(error, ClientClosed):
            raise error
        if isinstance(error, NotFound):
            return self._missing(lasted)
        self._missing_since, self.seems_gone = None, False
        if isinstance(error, DecodeError):
            # It would come again where it came from.
            self.requests.revision = ""
        try:
            return self.requests.failed(error, lasted=lasted, at_once=at_once)
        except KubewrightError:
            return self.requests.interrupted(lasted=lasted)

    def has_passed(self, revision: str) -> bool:
        """Whether the changes up to a revision are in the store, for all that can be told by its number."""
        return self.revision == revision or compared(self.revision, revision) > 0

    def has_reached(self, state: ServerState) -> bool:
        """Whether the store has what the server had at a revision, or what came after it.

        If it has, the revision counts as seen, as if a bookmark had come: of what may still be on its way up
        to there, such as objects that came and went, nothing is told any more.
        """
        if not state.revision:
            return not self._part.objects
        if self.has_passed(state.revision):
            return True
        is_followed = self._found is None and self.requests.revision
        if not is_followed or not state.equals(self._part.objects):
            return False
        self.requests.followed(state.revision)
        self.revision = state.revision
        return True

    def gone(self) -> None:
        """The server serves no such kind any more, and there are no such objects."""
        self.seems_gone = False
        self.listed_at = self._clock()
        for key, old in self._part.replace({}).items():
            self._tell(key, old, None)

    def _mark(self, event: WatchEvent[K]) -> None:
        revision = event.resource_version
        if self._found is None:
            # One that is late would have events applied again, over newer ones.
            self.requests.followed(revision if compared(revision, self.revision) >= 0 else "")
            self.revision = self.requests.revision
        elif event.ends_initial_events:
            self._complete(revision)

    def _apply(self, event: WatchEvent[K], shared: SharedValues | None) -> None:
        """A change that is followed."""
        obj = event.object
        key, revision = obj.key, event.resource_version
        if compared(revision, self.revision) < 0:
            _log.warning("an event of %s came late and is left out: %s", key, revision)
            return
        self.requests.followed(revision)
        self.revision = revision
        before = self._part.objects.get(key)
        if event.type == "DELETED":
            if before is not None and uid_of(before) == obj.metadata.uid:
                self._part.pop(key)
                self._tell(key, transformed(obj, self._transform, shared), None)
            return
        if before is not None:
            if uid_of(before) != obj.metadata.uid:
                self._part.pop(key)
                self._tell(key, before, None)
                before = None
            elif revision_of(before) == revision:
                return
        kept = transformed(obj, self._transform, shared)
        self._part.put(key, kept)
        self._tell(key, before, kept)

    def _collect(self, found: dict[str, K], event: WatchEvent[K], shared: SharedValues | None) -> None:
        """An event of a pass: one of what is there, or a change of that."""
        key = event.object.key
        if event.type != "DELETED":
            self._find(found, key, event.object, shared)
        elif key in found and uid_of(found[key]) == event.object.metadata.uid:
            del found[key]

    def _find(self, found: dict[str, K], key: str, obj: K, shared: SharedValues | None) -> None:
        before = self._part.objects.get(key)
        meta = obj.metadata
        if before is not None and revision_of(before) == meta.resource_version and uid_of(before) == meta.uid:
            found[key] = before
            return
        found[key] = kept = transformed(obj, self._transform, shared)
        self._part.stage(key, kept)

    def _complete(self, revision: str) -> None:
        """All that is there has been found: let it take effect, and tell what changed."""
        found, self._found = self._found or {}, None
        initial = not self.is_complete
        before = self._part.replace(found)
        self.requests.pass_done(revision)
        self.revision, self.is_complete, self.listed_at = revision, True, self._pass_began
        if not self._handlers:
            return
        for key, old in before.items():
            if key not in found:
                self._tell(key, old, None)
        for key, new in found.items():
            known = before.get(key)
            if known is new:
                continue
            if known is not None and uid_of(known) != uid_of(new):
                self._tell(key, known, None)
                known = None
            self._tell(key, known, new, initial=initial)

    def _tell(self, key: str, old: K | None, new: K | None, *, initial: bool = False) -> None:
        if self._handlers:
            change = Change(key, old, new, initial=initial)
            for handler in self._handlers:
                handler.push(change)

    def _missing(self, lasted: float) -> float:
        now = self._clock()
        if self._missing_since is None:
            self._missing_since = now
        self.seems_gone = now - self._missing_since >= _GONE_AFTER and bool(self._part.objects)
        # When it comes back, it is with other objects.
        self.requests.revision = ""
        return min(self.requests.interrupted(lasted=lasted), _LONGEST_PAUSE_IF_MISSING)

    def _break_off(self) -> None:
        if self._found is not None:
            self._found = None
            self._part.unstage()
