"""What to ask an API server for next to know all of something and stay current, decided without I/O.

There are two phases. A *pass* learns all that is there: as a stream of initial events where the server has
them, or as pages of a list. Then changes are *followed* from a revision on. A connection that ends is
succeeded by another from the last revision; a revision that the server has forgotten, or a pass that broke,
means another pass.
"""

from __future__ import annotations

from random import Random
from typing import Final

from kubewright.client.listing import PAGE_SIZE
from kubewright.machinery.errors import (
    ApiError,
    Expired,
    Gone,
    KubewrightError,
    ParseError,
    TransportError,
    quoted,
)
from kubewright.machinery.options import ListOptions

__all__ = ["ListWatch", "compared"]

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

_NO_REVISION: Final = "resourceVersion: Invalid value"
"""How the answer begins to a watch from a text that is no revision: its code is 500, and it has no reason
(measured with 1.36), so that nothing else tells it from a server that fails and recovers."""


class ListWatch:
    """The requests of one watch: ask for `options`, then say what came of it.

    After a connection's end the revision is `unproven` until something comes: a server that was restored from
    a backup keeps a watch from a revision that it does not have yet silent until it has caught up, but says
    so to who lists (measured with 1.36). If nothing comes, a list by `proof` tells.
    """

    def __init__(
        self, *, labels: str = "", fields: str = "", start: str = "", streams: bool = True, random: Random
    ) -> None:
        """`start` is a revision to follow from, or "" for a pass, or "0" for one of the server's cache.

        With `streams`, passes are streams of initial events if the server has them.
        """
        self._selection: Final = ListOptions(label_selector=labels, field_selector=fields)
        self._random: Final = random
        self.from_cache = start == "0"
        """Whether the next pass may find what the server had some time ago."""
        self._given: Final = start
        self.revision = "" if self.from_cache else start
        """What is followed from; empty when a pass is due."""
        self.in_pass = False
        """Whether a pass is under way."""
        self.unproven = False
        """Whether it is not known that the server has got as far as the revision."""
        self._streams = streams
        self._broken_passes = 0
        self._continue = ""
        self._paged = True
        self._attempt = 0
        self._steady = False

    def options(self) -> ListOptions:
        """The next request: a watch, or (`watch` is not set) a page of a list."""
        options = self._selection.copy()
        if self.revision:
            self._watched(options, self.revision)
            return options
        revision = "0" if self.from_cache else ""
        self.in_pass = True
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

    def proof(self) -> ListOptions:
        """A list that a server refuses which has not got as far as the revision."""
        options = self._selection.copy()
        options.limit, options.resource_version = 1, self.revision
        options.resource_version_match = "NotOlderThan"
        return options

    def followed(self, revision: str) -> None:
        """An event or bookmark has come, outside of a pass."""
        self._steady, self.unproven = True, False
        if revision:
            self.revision = revision

    def page_done(self, continue_: str) -> None:
        """A page of a pass has come, and others follow."""
        self._continue = continue_

    def pass_done(self, revision: str) -> None:
        """All that is there has come; changes are followed from this revision."""
        self.revision = revision
        self.in_pass = self.from_cache = self.unproven = False
        self._continue, self._paged, self._broken_passes = "", True, 0

    def ended(self, *, lasted: float) -> float:
        """The watch has ended as watches do. The pause before the next request, in seconds."""
        self.unproven = bool(self.revision)
        return self._pause(at_once=True, lasted=lasted)

    def failed(self, error: KubewrightError, *, lasted: float, at_once: bool = False) -> float:
        """A request or its connection has failed. The pause before the next one; `at_once` if none is wanted.

        Raises the error when no other try mends it.
        """
        if isinstance(error, ApiError):
            return self._refused(error, lasted)
        if not isinstance(error, TransportError) or error.lasting:
            raise error
        return self.interrupted(lasted=lasted, at_once=at_once)

    def interrupted(self, *, lasted: float, at_once: bool = False, retry_after: float = 0) -> float:
        """Something has failed that may pass. The pause before the next request, in seconds."""
        self.unproven = bool(self.revision)
        return self._pause(lasted=lasted, at_once=at_once, retry_after=retry_after)

    def _watched(self, options: ListOptions, revision: str) -> None:
        options.watch = options.allow_watch_bookmarks = True
        options.resource_version = revision
        options.timeout_seconds = self._random.randint(_MIN_WATCH, 2 * _MIN_WATCH)

    def _refused(self, error: ApiError, lasted: float) -> float:
        code = error.status.code or error.code
        if isinstance(error, Expired | Gone) or code == 410 or _is_too_large(error):
            # A page that is too late is no reason to list in pages again: it would be too late again.
            self._paged = not self._continue
            pause = self._pause(at_once=True, lasted=lasted)
            self.revision, self.unproven = "", False
            return pause
        if self.in_pass and self._streams and code in _NO_STREAMED_LISTS:
            self._streams = self.in_pass = False
            return 0.0
        if self.revision and self.revision == self._given and error.status.message.startswith(_NO_REVISION):
            raise ParseError(
                f"resource_version={quoted(self.revision)} is no revision for the server; give the "
                "resourceVersion of an object or a list"
            ) from error
        if code not in _TRANSIENT and code < 500:
            raise error
        return self.interrupted(lasted=lasted, retry_after=error.retry_after or 0)

    def _pause(self, *, lasted: float, at_once: bool = False, retry_after: float = 0) -> float:
        """Counts a connection that is over, and begins an unfinished pass anew."""
        if self._steady or (not self.in_pass and lasted >= _STEADY):
            self._attempt = 0
        if self.in_pass:
            self._broken_passes += 1
        self._steady, self.in_pass, self._continue = False, False, ""
        attempt = self._attempt
        self._attempt = min(attempt + 1, 16)
        if at_once and attempt == 0:
            return 0.0
        # Jitter, so that those who lost their connections at once do not come back at once.
        pause = self._random.uniform(0, min(_LONGEST_PAUSE, _FIRST_PAUSE * 2**attempt))
        return max(pause, min(retry_after, _LONGEST_PAUSE))


def compared(one: str, other: str) -> int:
    """Which of two revisions is newer: more than 0 the first, less the other, 0 none that can be told.

    API servers promise since 1.35 that revisions are decimal numbers which can be compared; others may have
    texts, of which nothing is told.
    """
    if one.isdecimal() and other.isdecimal():
        return (int(one) > int(other)) - (int(one) < int(other))
    return 0


def _is_too_large(error: ApiError) -> bool:
    details = error.status.details
    return details is not None and any(cause.reason == _TOO_LARGE for cause in details.causes)
