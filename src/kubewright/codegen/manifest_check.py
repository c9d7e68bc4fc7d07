"""Whether the definitions of the code can take the place of older ones without harm to stored objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kubewright.machinery.errors import DecodeError, ParseError

__all__ = ["harmful_changes"]


def harmful_changes(old: Iterable[Mapping[str, Any]], new: Iterable[Mapping[str, Any]]) -> list[str]:
    """A line for each change that breaks what was made with the old definitions, with a definition's name.

    Definitions are those of v1 as plain data. One of `old` that the code has no more is such a change too:
    when it is deleted, its objects are. Raises ParseError for old ones that do not decode.
    """
    from kubewright.crd.compatibility import breaking_changes  # noqa: PLC0415 - for this alone
    from kubewright.models.apiextensions_v1 import CustomResourceDefinition  # noqa: PLC0415 - as above

    by_name = {each["metadata"]["name"]: each for each in new}
    found: list[str] = []
    for document in old:
        try:
            before = CustomResourceDefinition.from_dict(document)
        except DecodeError as error:
            raise ParseError(f"an old definition does not decode: {error}") from None
        name = before.metadata.name
        if name not in by_name:
            found.append(f"{name}: the code has no such kind any more; its objects go away with it")
            continue
        after = CustomResourceDefinition.from_dict(by_name[name])
        found += [f"{name}: {change}" for change in breaking_changes(before, after)]
    return found
