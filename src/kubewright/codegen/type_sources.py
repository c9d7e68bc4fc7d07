"""What types are made of: CustomResourceDefinitions or OpenAPI v3 documents, told apart by what they hold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from kubewright.codegen.crd_files import find_definitions, parse_definitions
from kubewright.codegen.crd_types import type_files
from kubewright.codegen.openapi_documents import Document, find_documents, parse_documents
from kubewright.codegen.openapi_types import openapi_type_files
from kubewright.machinery.errors import ParseError

__all__ = ["Sources", "type_files_of"]

Note = Callable[[str], None]
"""Takes a sentence on what the types do not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What was found: definitions, or documents, never both."""

    definitions: Sequence[Mapping[str, Any]] = ()
    documents: Sequence[Document] = ()

    @classmethod
    def of_bytes(cls, data: bytes, place: str, *, note: Note) -> Self:
        """What the bytes of a file hold. Raises ParseError, which names the place."""
        documents = parse_documents(data, place)
        return cls._checked(place, [] if documents else parse_definitions(data, place, note=note), documents)

    @classmethod
    def of_path(cls, path: Path, *, note: Note) -> Self:
        """What a file holds, or all files below a folder. Raises ParseError, which names the file."""
        found, failed = find_documents(path)
        definitions = [] if path in found else find_definitions(path, without=found.keys(), note=note)
        if failed and not definitions and not found:
            raise failed[0]
        return cls._checked(str(path), definitions, [each for these in found.values() for each in these])

    @classmethod
    def _checked(
        cls, place: str, definitions: Sequence[Mapping[str, Any]], documents: Sequence[Document]
    ) -> Self:
        if definitions and documents:
            raise ParseError(
                f"{place}: it has CustomResourceDefinitions and OpenAPI documents; name those of one kind"
            )
        if not definitions and not documents:
            raise ParseError(
                f"{place}: there is no CustomResourceDefinition in it and no OpenAPI v3 document; name "
                "another file or folder"
            )
        return cls(definitions=definitions, documents=documents)


def type_files_of(
    sources: Sources, *, groups: Collection[str] = (), builtin: bool = False, note: Note
) -> dict[str, str]:
    """File name → source text of the package of what was found, of all groups or of these.

    `builtin` is for documents: also the kinds that kubewright.models has. Raises ParseError.
    """
    if sources.documents:
        return openapi_type_files(sources.documents, builtin=builtin, groups=groups, note=note)
    if builtin:
        raise ParseError("CustomResourceDefinitions have no built-in kinds; leave out --all")
    return type_files(_of_groups(sources.definitions, groups), note=note)


def _of_groups(
    definitions: Sequence[Mapping[str, Any]], groups: Collection[str]
) -> Sequence[Mapping[str, Any]]:
    chosen = [each for each in definitions if not groups or _group(each) in groups]
    if not chosen:
        known = ", ".join(sorted({_group(each) for each in definitions}))
        raise ParseError(f"no definition is of {', '.join(groups)}; there are those of {known}")
    return chosen


def _group(definition: Mapping[str, Any]) -> str:
    spec = definition.get("spec")
    return str(spec.get("group") or "") if isinstance(spec, Mapping) else ""
