"""Kinds that are imported when they are first asked for: a server starts faster than all rules are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final

from kubewright.server.kinds.kind import Kind

__all__ = ["LazyKinds"]


class LazyKinds(Mapping[str, Kind]):
    """The kinds of a group by resource, each from a module of the group's package.

    `places` says for a resource in which module its kind is, and under which name: `"pod.POD"`.
    """

    def __init__(self, package: str, places: Mapping[str, str]) -> None:
        self._package: Final = package
        self._places: Final = places

    def __getitem__(self, resource: str) -> Kind:
        module, _, name = self._places[resource].partition(".")
        kind: Kind = getattr(import_module(f"{self._package}.{module}"), name)
        return kind

    def __contains__(self, resource: object) -> bool:
        # What Mapping does for this imports the kind.
        return resource in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)
