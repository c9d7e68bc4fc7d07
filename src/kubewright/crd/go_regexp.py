"""Whether a text matches one of Go's regular expressions, in time that no pattern or text can blow up.

Go's engine never backtracks; Python's does, and a pattern such as `^(a+)+$` can keep it busy for hours. So a
pattern is translated for `re`, which is quick, and its worst number of paths is estimated; where a text is
too long for that estimate, and where `re` cannot say the pattern (`\\p{L}`), a finite automaton decides,
built on the way. google-re2 would do the same in C, for one more dependency.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from kubewright.crd.go_regexp_classes import CharSet
from kubewright.crd.go_regexp_syntax import Alternatives, Assertion, Node, Repeat, Sequenced, parse
from kubewright.machinery.errors import ParseError

__all__ = ["matcher"]

_MAX_STEPS: Final = 100_000
"""How many paths `re` may be left to try, which takes it some milliseconds."""

_MAX_PROGRAM: Final = 50_000
"""How many positions a pattern may have once its counts are written out. Go's limit, on the memory they take,
is of the same order."""

_MAX_STATES: Final = 2_000
"""How many states of an automaton are kept before they are built anew."""


def matcher(pattern: str) -> Callable[[str], bool]:
    """The function that tells whether a text has a match of the pattern anywhere in it, as Go's MatchString.

    Raises ParseError, with the text of Go's error, for a pattern that Go does not take.
    """
    tree = parse(pattern)
    automaton = _Automaton(tree, pattern)
    translated = _for_python(tree)
    if translated is None:
        return automaton.matches
    factor, degree = _paths(tree)
    if not _anchored(tree):
        degree += 1
    try:
        search = re.compile(translated).search
    except (re.error, OverflowError, RecursionError):
        return automaton.matches
    if degree == 0 and factor <= _MAX_STEPS:
        return lambda text: search(text) is not None

    if factor > _MAX_STEPS:
        return automaton.matches
    # The longest text that is left to `re`.
    longest = int((_MAX_STEPS / factor) ** (1 / degree)) - 1

    def matches(text: str) -> bool:
        return search(text) is not None if len(text) <= longest else automaton.matches(text)

    return matches if longest > 0 else automaton.matches


def _anchored(node: Node) -> bool:
    if isinstance(node, Sequenced):
        return bool(node.parts) and _anchored(node.parts[0])
    if isinstance(node, Alternatives):
        return all(map(_anchored, node.parts))
    return isinstance(node, Assertion) and node.what == "begin"


_ASSERTIONS: Final = {
    "begin": r"\A",
    "end": r"\Z",
    "line begin": r"(?:\A|(?<=\n))",
    "line end": r"(?:\Z|(?=\n))",
    "word": r"(?a:\b)",
    "no word": r"(?a:\B)",
}


def _for_python(node: Node) -> str | None:
    if isinstance(node, CharSet):
        return node.for_python()
    if isinstance(node, Assertion):
        # Python's \B does not match in an empty text, Go's does.
        return None if node.what == "no word" else _ASSERTIONS[node.what]
    if isinstance(node, Repeat):
        inner = _for_python(node.part)
        most = "" if node.most is None else node.most
        return None if inner is None else f"(?:{inner}){{{node.least},{most}}}"
    parts = [_for_python(part) for part in node.parts]
    if None in parts:
        return None
    texts = [part for part in parts if part is not None]
    return f"(?:{'|'.join(texts)})" if isinstance(node, Alternatives) else "".join(texts)


class _Paths(NamedTuple):
    """At most `factor` times n to the `degree` ways to match a text of n characters."""

    factor: float
    degree: int


_TOO_MANY: Final = _Paths(float("inf"), 0)


def _paths(node: Node) -> _Paths:
    if isinstance(node, Repeat):
        return _repeated(node)
    if isinstance(node, Sequenced):
        factor, degree = 1.0, 0
        for part in node.parts:
            inner = _paths(part)
            factor, degree = factor * inner.factor, degree + inner.degree
        return _Paths(factor, degree)
    if isinstance(node, Alternatives):
        found = [_paths(part) for part in node.parts]
        return _Paths(sum(inner.factor for inner in found), max(inner.degree for inner in found))
    return _Paths(1.0, 0)


def _repeated(node: Repeat) -> _Paths:
    inner = _paths(node.part)
    if node.most is None:
        # More than one way through the body, again and again, is what grows exponentially.
        return _Paths(1.0, 1) if inner == (1.0, 0) else _TOO_MANY
    if inner == (1.0, 0):
        return _Paths(float(node.most - node.least + 1), 0)
    if node.most * inner.degree > 20 or inner.factor == float("inf"):
        return _TOO_MANY
    factor = 0.0
    for count in range(node.least, node.most + 1):
        factor += inner.factor**count
        if factor > _MAX_STEPS:
            return _TOO_MANY
    return _Paths(factor, inner.degree * node.most)


# The program of an automaton: positions that take a character, check an assertion, or go to two others.
class _Take(NamedTuple):
    chars: CharSet
    to: int


class _Check(NamedTuple):
    what: str
    to: int


class _Split(NamedTuple):
    to: tuple[int, ...]


_MATCH: Final = 0


class _State(dict[str, "_State"]):
    """What may come next: positions, and what stood before (nothing, a newline, a word's character, another).

    As a mapping: the state that each character leads to, found when it is first asked for.
    """

    __slots__ = ("accepts", "automaton", "before", "positions")

    def __init__(self, automaton: _Automaton, positions: frozenset[int], before: str) -> None:
        super().__init__()
        self.automaton = automaton
        self.positions = positions
        self.before = before
        self.accepts: bool | None = None

    def __missing__(self, char: str) -> _State:
        following = self.automaton.step(self, char)
        if len(self) < _MAX_STATES:
            self[char] = following
        return following


class _Automaton:
    """Thompson's construction, run on sets of positions; the sets it meets are kept with where they lead."""

    def __init__(self, tree: Node, pattern: str) -> None:
        self._pattern = pattern
        self._program: list[_Take | _Check | _Split] = [_Split(())]
        self._start = self._add(tree, _MATCH)
        self._anchored = _anchored(tree)
        self._states: dict[tuple[frozenset[int], str], _State] = {}
        self._matched = _State(self, frozenset(), "matched")
        self._matched.accepts = True
        self._first = self._state(frozenset((self._start,)), "nothing")

    def matches(self, text: str) -> bool:
        """Whether the text has a match anywhere in it."""
        state = self._first
        for char in text:
            state = state[char]
        if state.accepts is None:
            state.accepts = _MATCH in self._reached(state, "nothing")
        return state.accepts

    def _state(self, positions: frozenset[int], before: str) -> _State:
        found = self._states.get((positions, before))
        if found is None:
            if len(self._states) >= _MAX_STATES:
                self._states.clear()
                self._first.clear()
            found = self._states[positions, before] = _State(self, positions, before)
        return found

    def step(self, state: _State, char: str) -> _State:
        """The state after one more character."""
        if state is self._matched:
            return state
        reached = self._reached(state, _sort_of(char))
        if _MATCH in reached:
            return self._matched
        program = self._program
        after = {
            position.to
            for position in map(program.__getitem__, reached)
            if isinstance(position, _Take) and position.chars.contains(char)
        }
        if not self._anchored:
            after.add(self._start)
        return self._state(frozenset(after), _sort_of(char))

    def _reached(self, state: _State, after: str) -> set[int]:
        """The positions that are reached without a character, given what stands before and after."""
        program, before = self._program, state.before
        reached: set[int] = set()
        waiting = list(state.positions)
        while waiting:
            at = waiting.pop()
            if at in reached:
                continue
            reached.add(at)
            position = program[at]
            if isinstance(position, _Split):
                waiting.extend(position.to)
            elif isinstance(position, _Check) and _holds(position.what, before, after):
                waiting.append(position.to)
        return reached

    def _new(self, position: _Take | _Check | _Split) -> int:
        if len(self._program) >= _MAX_PROGRAM:
            raise ParseError(f"error parsing regexp: expression too large: `{self._pattern}`")
        self._program.append(position)
        return len(self._program) - 1

    def _add(self, node: Node, to: int) -> int:
        """Add what matches the node and goes on at `to`; where it starts."""
        if isinstance(node, CharSet):
            return self._new(_Take(node, to))
        if isinstance(node, Assertion):
            return self._new(_Check(node.what, to))
        if isinstance(node, Sequenced):
            for part in reversed(node.parts):
                to = self._add(part, to)
            return to
        if isinstance(node, Alternatives):
            return self._new(_Split(tuple(self._add(part, to) for part in node.parts)))
        return self._add_repeat(node, to)

    def _add_repeat(self, node: Repeat, to: int) -> int:
        if node.most is None:
            loop = self._new(_Split(()))
            self._program[loop] = _Split((self._add(node.part, loop), to))
            to = loop
        else:
            end = to
            for _ in range(node.most - node.least):
                to = self._new(_Split((self._add(node.part, to), end)))
        for _ in range(node.least):
            to = self._add(node.part, to)
        return to


def _sort_of(char: str) -> str:
    if char == "\n":
        return "newline"
    return "word" if char == "_" or (char.isascii() and char.isalnum()) else "other"


def _holds(what: str, before: str, after: str) -> bool:
    if what == "begin":
        return before == "nothing"
    if what == "end":
        return after == "nothing"
    if what == "line begin":
        return before in {"nothing", "newline"}
    if what == "line end":
        return after in {"nothing", "newline"}
    return ((before == "word") != (after == "word")) == (what == "word")
