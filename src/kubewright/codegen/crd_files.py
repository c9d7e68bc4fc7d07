"""Reading CustomResourceDefinitions, and writing generated modules without harm to what a person wrote."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

from kubewright.codegen.crd_convert import V1, V1BETA1, convert_definition, is_definition
from kubewright.codegen.crd_types import HEADER
from kubewright.machinery import yaml
from kubewright.machinery.errors import DecodeError, ParseError

__all__ = ["definitions_of", "read_definitions", "read_stream", "write_files"]

_ENDINGS: Final = (".json", ".yaml", ".yml")
_OPTIONAL: Final = frozenset({"__init__.py", "py.typed"})
"""Files that are written where there are none, and left alone where a person wrote them."""


def read_definitions(source: Path, *, note: Callable[[str], None]) -> list[dict[str, Any]]:
    """The CustomResourceDefinitions in a file, or in all YAML and JSON files below a directory, as v1.

    Those of v1beta1 are converted. Other objects are passed over, and in a directory all files that do not
    mention definitions. Raises ParseError, which names the file.
    """
    paths: list[Path] = [source]
    if source.is_dir():
        paths = sorted(path for path in source.rglob("*") if path.suffix in _ENDINGS and path.is_file())
    found: list[dict[str, Any]] = []
    for path in paths:
        data = path.read_bytes()
        if path is source or b"CustomResourceDefinition" in data:
            found += _read(data, str(path), note)
    return _some(found, str(source))


def read_stream(stream: BinaryIO, *, note: Callable[[str], None]) -> list[dict[str, Any]]:
    """The CustomResourceDefinitions in an open file; as `read_definitions`."""
    return _some(_read(stream.read(), "standard input", note), "standard input")


def _read(data: bytes, place: str, note: Callable[[str], None]) -> list[dict[str, Any]]:
    try:
        return definitions_of(list(yaml.load_all(data)), note=note)
    except (DecodeError, ParseError) as error:
        raise ParseError(f"{place}: {error}") from None


def _some(found: list[dict[str, Any]], place: str) -> list[dict[str, Any]]:
    if not found:
        raise ParseError(f"{place}: there is no CustomResourceDefinition in it; name another file or folder")
    return found


def definitions_of(documents: Sequence[Any], *, note: Callable[[str], None]) -> list[dict[str, Any]]:
    """The CustomResourceDefinitions among documents, and in lists of them, as v1."""
    found: list[dict[str, Any]] = []
    for document in documents:
        if is_definition(document, V1):
            found.append(document)
        elif is_definition(document, V1BETA1):
            found.append(convert_definition(document, prune=True, note=note))
        elif isinstance(document, Mapping) and isinstance(document.get("items"), list):
            items = [_with_header(document, each) for each in document["items"]]
            found += definitions_of(items, note=note)
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
    wanted: dict[Path, str] = {}
    for name, text in files.items():
        path = output / name
        old = path.read_text(errors="replace") if path.exists() else None
        if old is None or (old != text and not (name in _OPTIONAL and HEADER not in old)):
            _check(path, old, text)
            wanted[path] = text
    output.mkdir(parents=True, exist_ok=True)
    for path, text in wanted.items():
        path.write_text(text)
    return sorted(wanted)


def _check(path: Path, old: str | None, text: str) -> None:
    if old is None:
        return
    if HEADER not in old.splitlines()[:3]:
        raise ParseError(
            f"{path} was not generated and stays as it is; name another --output, or move it away"
        )
    holds, wants = (each.removeprefix('"""').partition(":")[0] for each in (old, text))
    if path.name not in _OPTIONAL and holds != wants:
        raise ParseError(f"{path} holds the types of {holds}; name another --output for those of {wants}")
