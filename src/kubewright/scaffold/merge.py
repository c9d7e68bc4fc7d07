"""Three-way merge of texts by lines: what two sides made of one text, put together.

The rules are those of diff3. A change is a run of lines of the base that one side has replaced. Changes of
both sides that share no line and do not touch are all kept; those that do are one conflict, unless both sides
made the same of it. A line feed at the end of the text is merged by itself, so that an editor that took it
away is no conflict with lines that are added there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final, NamedTuple

from kubewright.scaffold.files import Additions

__all__ = ["CONFLICT_BEGIN", "CONFLICT_END", "CONFLICT_MIDDLE", "Merged", "has_conflicts", "merge"]

CONFLICT_BEGIN: Final = "<<<<<<< yours"
CONFLICT_MIDDLE: Final = "======="
CONFLICT_END: Final = ">>>>>>> the scaffold's"
"""Seven characters and a label, as git writes them, so that editors know what they see."""


class Merged(NamedTuple):
    """The text of a merge; conflicts stand in it between marks."""

    text: str
    conflicts: int


class _Change(NamedTuple):
    """The lines of the base from `start` to before `end` have become `lines`; insertions have start = end."""

    start: int
    end: int
    lines: Sequence[str]
    yours: bool


def merge(base: str, yours: str, scaffold: str, *, additions: Additions = "conflict") -> Merged:
    """Put together what a person (`yours`) and the scaffold made of `base`.

    It guarantees that a side that changed nothing has no say, and that what both made the same is taken once.
    With `additions="both"`, lines that one side inserts beside a change of the other are kept with it: those
    of the scaffold before a person's at one place, and once where one side inserts all that the other does.
    """
    old, mine, theirs = _lines(base), _lines(yours), _lines(scaffold)
    merged: list[str] = []
    conflicts = at = 0
    for group in _groups([*_changes(old, mine, yours=True), *_changes(old, theirs, yours=False)]):
        start, end = group[0].start, max(change.end for change in group)
        merged += old[at:start]
        settled = _settled(old, group, additions)
        if settled is None:
            conflicts += 1
            settled = _marked(_applied(old, group, yours=True), _applied(old, group, yours=False))
        merged += settled
        at = end
    merged += old[at:]
    ends = _ends(yours) if _ends(yours) != _ends(base) else _ends(scaffold)
    return Merged(
        "\n".join(merged) + ("\n" if merged and (ends or merged[-1] == CONFLICT_END) else ""), conflicts
    )


def has_conflicts(text: str) -> bool:
    """Whether marks of a merge still stand in a text, of one here or of git's."""
    return any(line.startswith(("<<<<<<< ", ">>>>>>> ")) for line in text.split("\n"))


def _lines(text: str) -> list[str]:
    """The lines without their line feeds; not as `splitlines`, for which form feeds end lines as well."""
    return text.removesuffix("\n").split("\n") if text else []


def _ends(text: str) -> bool:
    """Whether the last line ends with a line feed; no line is as good as one that does."""
    return not text or text.endswith("\n")


def _changes(old: Sequence[str], new: Sequence[str], *, yours: bool) -> Iterator[_Change]:
    """What became of `old`, in order; between two of them there is a line that stayed."""
    first = _common(old, new)
    last = _common(old[first:][::-1], new[first:][::-1])
    old_middle, new_middle = old[first : len(old) - last], new[first : len(new) - last]
    matcher = SequenceMatcher(None, old_middle, new_middle, autojunk=False)
    for what, start, end, new_start, new_end in matcher.get_opcodes():
        if what != "equal":
            yield _Change(first + start, first + end, new_middle[new_start:new_end], yours)


def _common(one: Sequence[str], two: Sequence[str]) -> int:
    """How many lines two texts have in common at their beginning."""
    for number, (left, right) in enumerate(zip(one, two, strict=False)):
        if left != right:
            return number
    return min(len(one), len(two))


def _groups(changes: list[_Change]) -> Iterator[list[_Change]]:
    """Changes that touch, together, in the order in which they apply: the scaffold's first at one place."""
    changes.sort(key=lambda change: (change.start, change.end, change.yours))
    group: list[_Change] = []
    end = -1
    for change in changes:
        if group and change.start > end:
            yield group
            group = []
        group.append(change)
        end = max(end, change.end)
    if group:
        yield group


def _settled(old: Sequence[str], group: Sequence[_Change], additions: Additions) -> Sequence[str] | None:
    """The lines that a group of changes comes to; None for a conflict."""
    if len({change.yours for change in group}) == 1:
        return _applied(old, group, yours=group[0].yours)
    mine = _applied(old, group, yours=True)
    if mine == _applied(old, group, yours=False):
        return mine
    return _both(old, group) if additions == "both" else None


def _both(old: Sequence[str], group: Sequence[_Change]) -> Sequence[str] | None:
    """The lines with the changes of both sides, if all that touch are insertions beside something."""
    if any((change.start, change.end) == (0, len(old)) != (0, 0) for change in group):
        return None  # Where no line stayed, nothing has a place beside one.
    for left, right in pairwise(group):
        beside = left.end <= right.start and (left.start == left.end or right.start == right.end)
        if left.yours != right.yours and not beside:
            return None
    kept = [change for change in group if not any(_holds(other, change) for other in group)]
    return _replaced(old, kept, group[0].start, max(change.end for change in group))


def _holds(one: _Change, other: _Change) -> bool:
    """Whether a side inserts all that the other inserts at the same place."""
    if one.yours == other.yours or (one.start, one.end) != (other.start, other.end):
        return False
    size = len(other.lines)
    return any(one.lines[at : at + size] == other.lines for at in range(len(one.lines) - size + 1))


def _applied(old: Sequence[str], group: Sequence[_Change], *, yours: bool) -> list[str]:
    """What one side made of the lines that a group is about."""
    changes = [change for change in group if change.yours == yours]
    return _replaced(old, changes, group[0].start, max(change.end for change in group))


def _replaced(old: Sequence[str], changes: Sequence[_Change], start: int, end: int) -> list[str]:
    """The lines from `start` to before `end`, with changes made to them that do not overlap."""
    lines: list[str] = []
    for change in changes:
        lines += old[start : change.start]
        lines += change.lines
        start = change.end
    return lines + list(old[start:end])


def _marked(mine: list[str], theirs: list[str]) -> list[str]:
    """Both sides of a conflict between marks; what they have in common at the ends stands outside."""
    first = _common(mine, theirs)
    last = _common(mine[first:][::-1], theirs[first:][::-1])
    marked = [*mine[:first], CONFLICT_BEGIN, *mine[first : len(mine) - last], CONFLICT_MIDDLE]
    return [*marked, *theirs[first : len(theirs) - last], CONFLICT_END, *mine[len(mine) - last :]]
