"""OpenAPI v3 documents that somebody gave: files, or what the current cluster serves."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec

from kubewright.codegen.openapi import ServedResource, group_version_kinds, read_documents
from kubewright.machinery import yaml
from kubewright.machinery.depth import decode_json
from kubewright.machinery.errors import ApiError, DecodeError, NotFound, ParseError
from kubewright.machinery.gvk import GroupVersionKind

__all__ = [
    "Document",
    "cluster_documents",
    "explained_document",
    "find_documents",
    "parse_document",
    "parse_documents",
]

_ENDINGS: Final = (".json", ".yaml", ".yml")
_WORDS: Final = re.compile(rb'^(?:openapi|swagger)\s*:|"(?:openapi|swagger)"\s*:', re.MULTILINE)
"""What stands in a document, and in little else."""
_INDEX: Final = re.compile(r"(?:api|apis/(?P<group>[a-z0-9.-]+))/(?P<version>[a-z0-9]+)")
"""The entries of a server's index that are of a group-version; a group alone has no types."""
_FETCH: Final = "kubectl get --raw /openapi/v3/apis/GROUP/VERSION"

Fetch = Callable[[str], bytes]
"""Gives what a server answers to a GET of a path. Raises ApiError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What one document says: its schemas by name, and what is served at which path."""

    place: str
    schemas: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    served: Mapping[GroupVersionKind, ServedResource] = field(default_factory=dict)


def parse_documents(data: bytes, place: str) -> list[Document]:
    """The OpenAPI v3 documents in the bytes of a file; none for a file of something else.

    Raises ParseError for documents of other versions of OpenAPI, and for those that do not make sense.
    """
    if not _WORDS.search(data):
        return []
    found: list[Any]
    try:
        found = [decode_json(data)] if data.lstrip()[:1] == b"{" else list(yaml.load_all(data))
    except (msgspec.DecodeError, RecursionError, DecodeError) as error:
        raise ParseError(f"{place}: it does not decode ({error}); fetch it again with {_FETCH}") from None
    return [parse_document(each, place) for each in found if _is_document(each)]


def _is_document(document: Any) -> bool:
    if not isinstance(document, Mapping) or "kind" in document:
        return False
    return "openapi" in document or "swagger" in document


def parse_document(document: Any, place: str) -> Document:
    """One document. Raises ParseError, which names the place, for what is no OpenAPI v3."""
    if not _is_document(document):
        raise ParseError(f"{place}: this is no OpenAPI v3 document; fetch one with {_FETCH}")
    if "swagger" in document:
        raise ParseError(f"{place}: this is OpenAPI v2, of which no types are made; fetch v3 with {_FETCH}")
    version = document["openapi"]
    if not isinstance(version, str) or not version.startswith("3."):
        raise ParseError(f"{place}: this is OpenAPI {version!r}, not 3; fetch the document with {_FETCH}")
    with explained_document(place):
        api = read_documents([{name: document.get(name) or {} for name in ("components", "paths")}])
        for name, schema in api.schemas.items():
            _check_schema(name, schema)
    return Document(place=place, schemas=api.schemas, served=api.served)


def _check_schema(name: str, schema: object) -> None:
    """Raises TypeError for what the types are not even looked for in."""
    if not isinstance(schema, Mapping) or not isinstance(schema.get("properties") or {}, Mapping):
        raise TypeError(f"the schema {name} is no mapping")
    group_version_kinds(schema)


@contextmanager
def explained_document(place: str) -> Iterator[None]:
    """Make a ParseError of what comes of a part that is of another type than it must be."""
    try:
        yield
    except ParseError as error:
        told = str(error)
        raise ParseError(told if told.startswith(place) else f"{place}: {told}") from None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        told = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise ParseError(
            f"{place}: this is no correct OpenAPI v3 ({told}); fetch it again with {_FETCH}"
        ) from None


def find_documents(source: Path) -> tuple[dict[Path, list[Document]], list[ParseError]]:
    """The OpenAPI v3 documents in a file, or in all JSON and YAML files below a directory.

    A directory may hold documents that have nothing to do with Kubernetes, which are passed over, and others
    that cannot be read, whose errors are returned. Those of a single file are raised.
    """
    if not source.is_dir():
        documents = parse_documents(source.read_bytes(), str(source))
        return ({source: documents} if documents else {}), []
    found: dict[Path, list[Document]] = {}
    failed: list[ParseError] = []
    for path in sorted(path for path in source.rglob("*") if path.suffix in _ENDINGS and path.is_file()):
        try:
            documents = parse_documents(path.read_bytes(), str(path))
        except ParseError as error:
            failed.append(error)
            continue
        if any(group_version_kinds(schema) for each in documents for schema in each.schemas.values()):
            found[path] = documents
    return found, failed


def cluster_documents(
    fetch: Fetch, *, groups: Collection[str] = (), note: Callable[[str], None]
) -> list[Document]:
    """The documents that a cluster serves, of all groups or of these; the core group is the empty text.

    A document that cannot be read is left out, and said: an aggregated API server may be away. Raises
    ParseError for a cluster without OpenAPI v3, for groups that it does not serve, and if nothing is left.
    """
    found: list[Document] = []
    for path in _listed(fetch, groups):
        place = f"the cluster's {path.removeprefix('apis/').removeprefix('api/')}"
        try:
            document = decode_json(fetch(f"/openapi/v3/{path}"))
            found.append(parse_document(document, place))
        except (ApiError, ParseError, msgspec.DecodeError, RecursionError) as error:
            note(f"{place} is left out, its OpenAPI cannot be read ({error})")
    if not found:
        raise ParseError("none of the cluster's OpenAPI documents could be read; ask its administrator")
    return found


def _listed(fetch: Fetch, groups: Collection[str]) -> Sequence[str]:
    """The paths of the documents of group-versions."""
    try:
        index = decode_json(fetch("/openapi/v3"))
    except NotFound:
        raise ParseError(
            "the cluster serves no OpenAPI v3, which Kubernetes has since 1.24; leave out --openapi for CRDs"
        ) from None
    except msgspec.DecodeError as error:
        raise ParseError(f"the cluster's /openapi/v3 does not decode ({error}); is it a cluster?") from None
    with explained_document("the cluster's /openapi/v3"):
        matches = [match for path in sorted(index["paths"]) if (match := _INDEX.fullmatch(path))]
    served = {match["group"] or "" for match in matches}
    for group in groups:
        if group not in served:
            known = ", ".join(sorted(each or "core" for each in served))
            raise ParseError(f"the cluster does not serve the group {group or 'core'}; it has {known}")
    return [match[0] for match in matches if not groups or (match["group"] or "") in groups]
