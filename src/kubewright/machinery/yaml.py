"""YAML as Kubernetes reads and writes it.

PyYAML follows YAML 1.1 in places where kubectl and the API server, through Go's parser, do not: `22:22` is a
text here and not 1342, `1e3` is a number, a date stays a text. What `dump` writes is read back the same by
both.

PyYAML is loaded with the first document: it is slow to import, and most programs speak JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kubewright.machinery.errors import DecodeError

__all__ = ["dump", "dump_all", "load", "load_all"]


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


def dump(data: Any) -> str:
    """The YAML of plain data, in the order that the data has. Raises EncodeError for other data."""
    from kubewright.machinery import yaml_documents  # noqa: PLC0415 - see above

    return yaml_documents.dump(data)


def dump_all(documents: Iterable[Any]) -> str:
    """The YAML of many documents."""
    return "---\n".join(dump(document) for document in documents)
