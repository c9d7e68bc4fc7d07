"""Rights that a controller lacks: which one a refused reconcile shows, and when that is worth a line.

A right that is missing stays missing until a person grants it, while reconciles are retried. So the first
refusal is an error with the remedy, and those that follow are for people who look closely.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from kubewright.controllers.outcomes import Outcome
from kubewright.machinery.errors import Forbidden

__all__ = ["Denial", "Denials", "denial_of"]

_MOST_ERRORS: Final = 16
"""Errors of a group or of a chain of causes that are looked at."""

_MOST_RIGHTS: Final = 256
"""Missing rights that are remembered for a controller; rules of roles name fewer resources."""

_REPEATED_AFTER: Final = 600.0
"""Seconds after which a right that is still missing is an error again: client-go's window for events."""

_REFUSAL: Final = re.compile(
    r'User "(?P<user>(?:[^"\\]|\\.)*)" cannot (?P<verb>\S+) resource "(?P<resource>[^"]*)" '
    r'in API group "(?P<group>[^"]*)"(?: in the namespace "(?P<namespace>[^"]*)"| at the cluster scope)?'
).search
"""How kube-apiserver words a refusal of its authorizers; other 403s, such as those of admission, differ."""


class Denial(NamedTuple):
    """A right that an account does not have."""

    user: str
    verb: str
    group: str
    resource: str
    """With its subresource: `widgets/status`."""
    namespace: str
    """Empty for the whole cluster."""

    @property
    def message(self) -> str:
        """Who may not do what, and where: in the words of kube-apiserver, which people search for."""
        where = f'in the namespace "{self.namespace}"' if self.namespace else "at the cluster scope"
        what = f'resource "{self.resource}" in API group "{self.group}"'
        return f'User "{self.user}" cannot {self.verb} {what} {where}'

    @property
    def remedy(self) -> str:
        """The mark that asks for the right."""
        mark = f'@rbac(groups=["{self.group}"], resources=["{self.resource}"], verbs=["{self.verb}"])'
        return f"mark the function with {mark}, and apply what `kubewright manifests` writes"


class Denials:
    """The rights that one controller was found to lack."""

    def __init__(self) -> None:
        self._reported: Final[dict[Denial, float]] = {}

    def is_due(self, denial: Denial, now: float) -> bool:
        """Whether to report a denial: the first of its kind, and one in ten minutes after that."""
        before = self._reported.get(denial)
        if before is not None and now - before < _REPEATED_AFTER:
            return False
        if len(self._reported) >= _MOST_RIGHTS:
            self._reported.clear()
        self._reported[denial] = now
        return True


def denial_of(outcome: Outcome) -> Denial | None:
    """The right for the lack of which a reconcile failed, if that is why it did."""
    if not outcome.is_failure or outcome.error is None:
        return None
    for error in _errors(outcome.error):
        if isinstance(error, Forbidden) and (match := _REFUSAL(error.status.message)):
            return Denial(
                match["user"], match["verb"], match["group"], match["resource"], match["namespace"] or ""
            )
    return None


def _errors(error: BaseException) -> Iterator[BaseException]:
    """An error, those of its group, and their causes."""
    waiting: list[BaseException | None] = [error]
    for each in waiting:
        if each is None:
            continue
        yield each
        if len(waiting) < _MOST_ERRORS:
            waiting += each.exceptions[:_MOST_ERRORS] if isinstance(each, BaseExceptionGroup) else ()
            waiting += (each.__cause__ or (None if each.__suppress_context__ else each.__context__),)
