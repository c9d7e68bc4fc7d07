"""Whether a manager is well and ready: named checks, told as kube-apiserver tells them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable
from inspect import isawaitable
from typing import Final, NamedTuple

from kubewright.machinery.errors import KubewrightError

__all__ = ["Check", "CheckFailed", "Checked", "Checks", "shown"]

Check = Callable[[], Awaitable[object] | object]
"""Says that all is well by raising nothing, and not returning False."""

_ANSWER_WITHIN: Final = 5.0
"""Seconds that a check may take; probes wait for 1 second unless they say otherwise."""

_log: Final = logging.getLogger("kubewright.controllers")


class CheckFailed(KubewrightError):
    """A check failed; the sentence says which and why."""


class Checked(NamedTuple):
    """How one check came out."""

    name: str
    failure: str = ""
    """Why it failed; empty when it did not."""
    note: str = ""
    excluded: bool = False


class Checks:
    """Checks that must all pass: those of `/healthz`, or of `/readyz`."""

    def __init__(self, title: str, *, answer_within: float = _ANSWER_WITHIN) -> None:
        """`title` is what they are called in answers and logs; a check fails after so many seconds."""
        self.title: Final = title
        self._answer_within: Final = answer_within
        self._checks: Final[dict[str, tuple[Check, Callable[[], str] | None]]] = {}
        self._failures: Final[dict[str, str]] = {}
        """Why each of those that fail does, so that it is logged when it changes and not with each probe."""

    def add(self, name: str, check: Check, *, note: Callable[[], str] | None = None) -> None:
        """Have a check; `note` says more of it where it passes. Raises ValueError for a bad or taken name."""
        if not name or "/" in name or not name.isprintable():
            raise ValueError(f"{name!r} is no name for a check; it stands in a path: /{self.title}/<name>")
        if name in self._checks:
            raise ValueError(f"there is a check {name!r} in {self.title} already; give this one another name")
        self._checks[name] = check, note

    def __contains__(self, name: str) -> bool:
        return name in self._checks

    async def run(self, *, only: Iterable[str] | None = None, exclude: Collection[str] = ()) -> list[Checked]:
        """Make the checks, all at once, and say how they came out, in the order in which they were added."""
        names = list(self._checks) if only is None else list(only)
        return list(await asyncio.gather(*(self._one(name, name in exclude) for name in names)))

    async def require(self) -> None:
        """Raise CheckFailed unless all checks pass."""
        failed = [f"{each.name}: {each.failure}" for each in await self.run() if each.failure]
        if failed:
            raise CheckFailed(f"{self.title} failed: {'; '.join(failed)}")

    async def _one(self, name: str, excluded: bool) -> Checked:
        if excluded:
            return Checked(name, excluded=True)
        check, note = self._checks[name]
        failure = await self._failure(check)
        before = self._failures.pop(name, "")
        if failure:
            self._failures[name] = failure
        if failure != before:
            if failure:
                _log.warning("%s: %s failed: %s", self.title, name, failure)
            else:
                _log.info("%s: %s is well again", self.title, name)
        return Checked(name, failure, note() if note is not None and not failure else "")

    async def _failure(self, check: Check) -> str:
        try:
            async with asyncio.timeout(self._answer_within) as limit:
                returned = check()
                if isawaitable(returned):
                    returned = await returned
        except TimeoutError as error:
            late = f"it did not end within {self._answer_within:g} seconds"
            return late if limit.expired() else str(error) or "TimeoutError"
        except Exception as error:
            # Whatever it is, it is the answer.
            return str(error) or type(error).__name__
        return "it says False" if returned is False else ""


def shown(title: str, results: Collection[Checked], unknown: Collection[str] = ()) -> str:
    """The long answer to a probe; why something failed is for the log, since who asks is not known.

    `unknown` are names that were to be excluded and are none.
    """
    lines = [_line(each) for each in results]
    if unknown:
        lines.append(f"warn: some health checks cannot be excluded: no matches for {', '.join(unknown)}")
    failed = any(each.failure for each in results)
    return "\n".join([*lines, f"{title} check {'failed' if failed else 'passed'}", ""])


def _line(result: Checked) -> str:
    if result.excluded:
        return f"[+]{result.name} excluded: ok"
    if result.failure:
        return f"[-]{result.name} failed: reason withheld"
    return f"[+]{result.name} ok{f' ({result.note})' if result.note else ''}"
