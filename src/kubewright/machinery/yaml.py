"""YAML as Kubernetes reads and writes it.

PyYAML follows YAML 1.1 in places where kubectl and the API server, through Go's parser, do not: `22:22` is a
text here and not 1342, `1e3` is a number, a date stays a text. What `dump` writes is read back the same by
both.

PyYAML is loaded with the first document: it is slow to import, and most programs speak JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from kubewright.machinery.errors import DecodeError

__all__ = ["MalformedYaml", "RepeatedKey", "dump", "dump_all", "load", "load_all", "load_first"]


class RepeatedKey(NamedTuple):
    """A key that a mapping has had before: the line of its value, from 1, and the key."""

    line: int
    key: str


class MalformedYaml(DecodeError):
    """YAML that does not parse; `go_text` says it in the words of Go's parser."""

    def __init__(self, message: str, go_text: str) -> None:
        super().__init__(message)
        self.go_text: Final = go_text


def load(text: str | bytes) -> Any:
    """The plain data of a text with exactly one document. Raises DecodeError, which names line and column."""
    documents = list(load_all(text))
    if len(documents) != 1:
        raise DecodeError(f"expected one YAML document, found {len(documents)}; use load_all for many")
    return documents[0]


def load_all(text: str | bytes) -> Iterator[Any]:
    """The plain data of each document that is not empty. Raises DecodeError, which names line and column."""
    from kubewright.machinery import yaml_documents  # noqa: PLC0415 - see above

    return yaml_documents.load_all(text)


def load_first(text: str | bytes) -> tuple[Any, list[RepeatedKey]]:
    """The plain data of the first document, None without one, as Go reads it, and its repeated keys.

    Of a repeated key the last value counts; at most 100 are reported. Raises DecodeError, and MalformedYaml.
    """
    from kubewright.machinery import yaml_documents  # noqa: PLC0415 - see above

    return yaml_documents.load_first(text)


def dump(data: Any) -> str:
    """The YAML of plain data, in the order that the data has. Raises EncodeError for other data."""
    from kubewright.machinery import yaml_documents  # noqa: PLC0415 - see above

    return yaml_documents.dump(data)


def dump_all(documents: Iterable[Any]) -> str:
    """The YAML of many documents."""
    return "---\n".join(dump(document) for document in documents)
