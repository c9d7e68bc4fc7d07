"""Reading CustomResourceDefinitions, and writing generated modules without harm to what a person wrote."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

from kubewright.codegen.crd_convert import V1, V1BETA1, convert_definition, is_definition
from kubewright.codegen.crd_types import HEADER
from kubewright.codegen.generated_files import write_generated
from kubewright.machinery import yaml
from kubewright.machinery.errors import DecodeError, ParseError

__all__ = [
    "definitions_of",
    "find_definitions",
    "parse_definitions",
    "read_definitions",
    "read_stream",
    "write_files",
]

_ENDINGS: Final = (".json", ".yaml", ".yml")
_OPTIONAL: Final = frozenset({"__init__.py", "py.typed"})
"""Files that are written where there are none, and left alone where a person wrote them."""


def read_definitions(source: Path, *, note: Callable[[str], None]) -> list[dict[str, Any]]:
    """The CustomResourceDefinitions in a file, or in all YAML and JSON files below a directory, as v1.

    Those of v1beta1 are converted, and keep the fields that they kept. Other objects are passed over, and in
    a directory all files that do not mention definitions. Raises ParseError, which names the file; also if
    there are none.
    """
    return _some(find_definitions(source, prune=False, note=note), str(source))


def find_definitions(
    source: Path, *, without: Collection[Path] = (), prune: bool = True, note: Callable[[str], None]
) -> list[dict[str, Any]]:
    """As `read_definitions`, of all files but these; none is no error.

    With `prune`, those of v1beta1 no longer keep fields that their schemas do not name.
    """
    paths: list[Path] = [source]
    if source.is_dir():
        paths = sorted(path for path in source.rglob("*") if path.suffix in _ENDINGS and path.is_file())
    found: list[dict[str, Any]] = []
    for path in paths:
        data = b"" if path in without else path.read_bytes()
        if path is source or b"CustomResourceDefinition" in data:
            found += parse_definitions(data, str(path), prune=prune, note=note)
    return found


def read_stream(stream: BinaryIO, *, note: Callable[[str], None]) -> list[dict[str, Any]]:
    """The CustomResourceDefinitions in an open file; as `read_definitions`."""
    place = "standard input"
    return _some(parse_definitions(stream.read(), place, prune=False, note=note), place)


def parse_definitions(
    data: bytes, place: str, *, prune: bool = True, note: Callable[[str], None]
) -> list[dict[str, Any]]:
    """The CustomResourceDefinitions in the bytes of a file; as `find_definitions`."""
    try:
        return definitions_of(list(yaml.load_all(data)), prune=prune, note=note)
    except (DecodeError, ParseError) as error:
        raise ParseError(f"{place}: {error}") from None


def _some(found: list[dict[str, Any]], place: str) -> list[dict[str, Any]]:
    if not found:
        raise ParseError(f"{place}: there is no CustomResourceDefinition in it; name another file or folder")
    return found


def definitions_of(
    documents: Sequence[Any], *, prune: bool = True, note: Callable[[str], None]
) -> list[dict[str, Any]]:
    """The CustomResourceDefinitions among documents, and in lists of them, as v1; as `find_definitions`."""
    found: list[dict[str, Any]] = []
    for document in documents:
        if is_definition(document, V1):
            found.append(document)
        elif is_definition(document, V1BETA1):
            found.append(convert_definition(document, prune=prune, note=note))
        elif isinstance(document, Mapping) and isinstance(document.get("items"), list):
            items = [_with_header(document, each) for each in document["items"]]
            found += definitions_of(items, prune=prune, note=note)
    return found


def _with_header(listed: Mapping[str, Any], item: Any) -> Any:
    """An item of a list as an object of its own: a typed list says once what its items are."""
    kind = str(listed.get("kind"))
    if not isinstance(item, Mapping) or "kind" in item or kind == "List":
        return item
    return {"apiVersion": listed.get("apiVersion"), "kind": kind.removesuffix("List"), **item}


def write_files(output: Path, files: Mapping[str, str]) -> list[Path]:
    """Write generated files where they differ, and say which; nothing at all is written if one may not be.

    Raises ParseError for a module that a person wrote, or that holds the types of another group-version.
    """
    return write_generated(output, files, header=HEADER, optional=_OPTIONAL, check=_check).written


def _check(path: Path, old: str, text: str) -> None:
    holds, wants = (each.removeprefix('"""').partition(":")[0] for each in (old, text))
    if path.name not in _OPTIONAL and holds != wants:
        raise ParseError(f"{path} holds the types of {holds}; name another --output for those of {wants}")
