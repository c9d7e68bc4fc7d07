"""What `machinery.yaml` does, with PyYAML: documents built from its events, and data written.

Loading builds plain data from libyaml's events. It does not use PyYAML's own composer, which calls itself for
each level of nesting and takes the whole process down on a hostile document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import yaml

from kubewright.machinery.errors import DecodeError, EncodeError
from kubewright.machinery.yaml import MalformedYaml, RepeatedKey
from kubewright.machinery.yaml_scalars import MERGE, RESOLVERS, must_be_quoted, resolve, resolve_tagged

__all__ = ["MAX_DEPTH", "MAX_NODES", "MAX_REPEATED", "dump", "load_all", "load_first"]

MAX_NODES: Final = 1_000_000
"""How many values a document may have once its aliases are expanded: a hundred times the largest CRDs, and
few enough that a document made to explode is refused in a moment."""

MAX_DEPTH: Final = 500
"""How deep values may nest: several times the deepest CRDs, and within what the JSON encoder can take."""

# Wheels of PyYAML contain libyaml. A PyYAML that was built from source, as on a Python without wheels, may
# lack it; its parser and emitter in Python are slower.
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_HAS_LIBYAML: Final[bool] = yaml.__with_libyaml__
_Loader: Final = yaml.CSafeLoader if _HAS_LIBYAML else yaml.SafeLoader
if TYPE_CHECKING or _HAS_LIBYAML:
    from yaml import CSafeDumper as _SafeDumper
else:
    from yaml import SafeDumper as _SafeDumper


MAX_REPEATED: Final = 100
"""How many repeated keys of a document are reported, which is as many as Kubernetes has warnings for."""

_COLON_REFUSED: Final = "found unexpected ':'"
"""What libyaml says of a plain text in brackets that ends with a colon; Go's parser takes `[2001:db8::]`."""

_FINAL_COLON: Final = re.compile(r"""(?<=[^\s"',[\]{}]):(?=[,[\]{}])""")
"""Such a colon. After a quote, a colon ends a key."""

_STAND_INS: Final = range(0xE000, 0xF900)
"""Characters for private use, which YAML allows in texts."""


def load_all(text: str | bytes) -> Iterator[Any]:
    """The plain data of each document that is not empty. Raises DecodeError, which names line and column."""
    return (root for root in _documents(text, None) if root is not None)


def load_first(text: str | bytes) -> tuple[Any, list[RepeatedKey]]:
    """The plain data of the first document, and its repeated keys. See `yaml.load_first`."""
    repeated: list[RepeatedKey] = []
    return next(_documents(text, repeated), None), repeated


def _documents(text: str | bytes, repeated: list[RepeatedKey] | None) -> Iterator[Any]:
    """The plain data of each document; repeated keys are refused, or collected in `repeated`."""
    count = 0
    stand_in = ""
    if not _HAS_LIBYAML and (hidden := _hide_final_colons(text)) is not None:
        # PyYAML's own parser does not refuse such a colon, and takes it for the end of a key.
        text, stand_in = hidden
    try:
        try:
            for root in _roots(text, repeated, stand_in=stand_in):
                yield root
                count += 1
        except yaml.MarkedYAMLError as error:
            repaired = _hide_final_colons(text) if error.problem == _COLON_REFUSED else None
            if repaired is None:
                raise
            if repeated is not None:
                repeated.clear()
            yield from islice(_roots(repaired[0], repeated, stand_in=repaired[1]), count, None)
    except yaml.MarkedYAMLError as error:
        raise MalformedYaml(_explained(error), _go_text(error)) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise DecodeError(f"YAML does not decode: {' '.join(str(error).split())}") from None


def _roots(text: str | bytes, repeated: list[RepeatedKey] | None, *, stand_in: str = "") -> Iterator[Any]:
    """The documents of a text in which `stand_in` stands for a colon. Raises yaml.YAMLError."""
    builder = _Builder(repeated)
    for event in yaml.parse(text, Loader=_Loader):
        if stand_in and isinstance(event, yaml.ScalarEvent):
            event.value = event.value.replace(stand_in, ":")
        builder.take(event)
        if isinstance(event, yaml.DocumentEndEvent):
            yield builder.root
            builder = _Builder(repeated)


def _hide_final_colons(text: str | bytes) -> tuple[str, str] | None:
    """A text with another character for the colons that libyaml refuses, and that character.

    Wherever else such a colon may stand, in quotes or in a comment, it is read the same. None if it cannot be
    done.
    """
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError:
            return None
    stand_in = next((chr(code) for code in _STAND_INS if chr(code) not in text), None)
    return None if stand_in is None else (_FINAL_COLON.sub(stand_in, text), stand_in)


def dump(data: Any) -> str:
    """The YAML of plain data, in the order that the data has. Raises EncodeError for other data."""
    # A width that no text reaches: folded texts are hard to read and to search for.
    width = 1 << 30
    try:
        return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=width)
    except RecursionError:
        raise EncodeError("the data is nested too deeply, or refers to itself") from None
    except yaml.YAMLError as error:
        raise EncodeError(f"not plain data: {' '.join(str(error).split())}") from None


class _Open:
    """A list or mapping whose end has not come yet."""

    __slots__ = ("anchor", "before", "key", "line", "merged", "merging", "value")

    def __init__(self, value: list[Any] | dict[str, Any], anchor: str | None, before: int, line: int) -> None:
        self.value = value
        self.line = line
        """The line that it begins in, from 1."""
        self.anchor = anchor
        self.before = before
        """How many values there were before this one."""
        self.key: str | None = None
        self.merged: list[dict[str, Any]] = []
        self.merging = False
        """Whether the next value is that of `<<`."""

    @property
    def expects_key(self) -> bool:
        return isinstance(self.value, dict) and self.key is None and not self.merging


class _Builder:
    """Builds the plain data of one document from its events, with a stack of its own."""

    def __init__(self, repeated: list[RepeatedKey] | None) -> None:
        self.root: Any = None
        self._repeated = repeated
        self._stack: list[_Open] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._count = 0

    def take(self, event: yaml.Event) -> None:
        """Take the next event. Raises yaml.MarkedYAMLError."""
        if isinstance(event, yaml.ScalarEvent):
            self._take_scalar(event)
        elif isinstance(event, yaml.MappingStartEvent):
            self._open({}, event, "tag:yaml.org,2002:map")
        elif isinstance(event, yaml.SequenceStartEvent):
            self._open([], event, "tag:yaml.org,2002:seq")
        elif isinstance(event, yaml.CollectionEndEvent):
            self._close(event)
        elif isinstance(event, yaml.AliasEvent):
            self._take_alias(event)

    def _take_scalar(self, event: yaml.ScalarEvent) -> None:
        if not _HAS_LIBYAML and _SURROGATE.search(event.value):
            # libyaml refuses the escape itself.
            raise _failure("the text holds a lone surrogate, which is not a character", event)
        plain = event.implicit[0]
        if self._expects_key():
            self._take_key(event)
            return
        try:
            value = resolve_tagged(event.value, event.tag) if event.tag else resolve(event.value, plain=plain)
        except ValueError as error:
            raise _failure(str(error), event) from None
        self._count_values(1, event)
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, 1)
        self._add(value, event, _line(event))

    def _expects_key(self) -> bool:
        return bool(self._stack) and self._stack[-1].expects_key

    def _take_key(self, event: yaml.ScalarEvent) -> None:
        """A key as the text that JSON has for it."""
        top = self._stack[-1]
        plain = event.implicit[0]
        if plain and event.value == MERGE:
            top.merging = True
            return
        try:
            value = resolve_tagged(event.value, event.tag) if event.tag else resolve(event.value, plain=plain)
        except ValueError as error:
            raise _failure(str(error), event) from None
        if value is None:
            raise _failure("a key must be a text, a number or a boolean", event)
        key = str(value).lower() if isinstance(value, bool) else str(value)
        if key in top.value and self._repeated is None:
            raise _failure(f"the key {key!r} stands twice in one mapping", event)
        top.key = key
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, 1)

    def _open(self, value: Any, event: Any, expected_tag: str) -> None:
        if event.tag not in (None, "!", expected_tag):
            raise _failure(f"the tag {event.tag!r} has no JSON form", event)
        if self._expects_key():
            raise _failure("a key must be a text, a number or a boolean", event)
        if len(self._stack) >= MAX_DEPTH:
            raise _failure(f"values nest deeper than {MAX_DEPTH} levels", event)
        if event.anchor is not None:
            self._anchors.pop(event.anchor, None)
        self._count_values(1, event)
        self._stack.append(_Open(value, event.anchor, self._count - 1, _line(event)))

    def _close(self, event: yaml.Event) -> None:
        closed = self._stack.pop()
        value = closed.value
        if isinstance(value, dict) and closed.merged:
            value = _merged(value, closed.merged)
        if closed.anchor is not None:
            self._anchors[closed.anchor] = (value, self._count - closed.before)
        self._add(value, event, closed.line)

    def _take_alias(self, event: yaml.AliasEvent) -> None:
        if event.anchor not in self._anchors:
            inside = any(open_.anchor == event.anchor for open_ in self._stack)
            problem = "refers to what it is a part of" if inside else "refers to nothing before it"
            raise _failure(f"the alias *{event.anchor} {problem}", event)
        if self._expects_key():
            raise _failure("a key must be a text, a number or a boolean", event)
        value, size = self._anchors[event.anchor]
        self._count_values(size, event)
        self._add(value, event, _line(event))

    def _count_values(self, more: int, event: yaml.Event) -> None:
        self._count += more
        if self._count > MAX_NODES:
            raise _failure(f"the document, its aliases expanded, has more than {MAX_NODES:,} values", event)

    def _add(self, value: Any, event: yaml.Event, line: int) -> None:
        """Put a value, which begins in a line, into what is open."""
        if not self._stack:
            self.root = value
            return
        top = self._stack[-1]
        if isinstance(top.value, list):
            top.value.append(value)
            return
        if top.merging:
            top.merged += _merge_sources(value, event)
            top.merging = False
        elif top.key is not None:
            if top.key in top.value and self._repeated is not None and len(self._repeated) < MAX_REPEATED:
                # Like Go, which finds it out when it stores the value.
                self._repeated.append(RepeatedKey(line, top.key))
            top.value[top.key] = value
        top.key = None


def _merge_sources(value: Any, event: yaml.Event) -> list[dict[str, Any]]:
    sources = value if isinstance(value, list) else [value]
    if not all(isinstance(source, dict) for source in sources):
        raise _failure("<< takes a mapping or a list of mappings", event)
    return sources


def _merged(own: dict[str, Any], sources: list[dict[str, Any]]) -> dict[str, Any]:
    """What `<<` makes: of several sources the first wins, and the mapping's own keys win over all."""
    merged: dict[str, Any] = {}
    for source in reversed(sources):
        merged.update(source)
    merged.update(own)
    return merged


def _line(event: yaml.Event) -> int:
    mark: Any = event.start_mark
    return int(mark.line) + 1


def _failure(problem: str, event: yaml.Event) -> yaml.MarkedYAMLError:
    mark: Any = event.start_mark  # libyaml's marks are not PyYAML's, but have the same attributes
    return yaml.MarkedYAMLError(problem=problem, problem_mark=mark)


def _explained(error: yaml.MarkedYAMLError) -> str:
    mark = error.problem_mark or error.context_mark
    where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
    return f"YAML does not decode: {where}{error.problem or error.context}"


def _go_text(error: yaml.MarkedYAMLError) -> str:
    """The same in the words of Go's parser, which is a port of libyaml and shares its sentences.

    It counts lines from 0 where its scanner did not fail, and leaves the first out.
    """
    line = 0
    if error.problem_mark is not None and error.problem_mark.line:
        line = error.problem_mark.line + isinstance(error, yaml.scanner.ScannerError)
    elif error.context_mark is not None:
        line = error.context_mark.line
    return f"yaml: {f'line {line}: ' if line else ''}{error.problem or error.context}"


class _Dumper(_SafeDumper):
    """Quotes what some YAML parser could take for something else than a text."""

    yaml_implicit_resolvers: dict[Any, Any] = {}  # its own, not PyYAML's

    def ignore_aliases(self, data: object) -> bool:
        return True


def _represent_text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = None
    if "\n" in text:
        # Where a block scalar cannot hold a text, as with trailing spaces, the emitter falls back to quotes.
        style = "|"
    elif must_be_quoted(text):
        style = "'"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)
for _tag, _pattern, _first in RESOLVERS:
    _Dumper.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", _pattern, _first)
