"""Stand-ins for a generated client, so that a project can be imported whose client is stale or missing.

A controller imports the client; the client is made from the kinds; and the kinds are found by importing the
project, controllers included. So that a client whose kinds were renamed does not stand in the way of its own
renewal, and one that is not there yet neither, modules get stand-ins while kinds are looked for.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

__all__ = ["client_left_out"]


class _StandIn:
    """What any name of the client is: it can be called, indexed and derived from, and does nothing."""

    def __init__(self, *arguments: object, **options: object) -> None:
        pass

    def __getattr__(self, name: str) -> _StandIn:
        return _StandIn()

    def __call__(self, *arguments: object, **options: object) -> _StandIn:
        return self

    def __class_getitem__(cls, parameters: object) -> type[_StandIn]:
        return cls


class _StandIns(MetaPathFinder, Loader):
    """Finds the client's package and all modules below it, whether there are such or not."""

    def __init__(self, package: str) -> None:
        self._package = package

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(name, self, is_package=True) if _is_within(name, self._package) else None

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        def stand_in(name: str) -> type[_StandIn]:
            if name.startswith("__"):
                raise AttributeError(name)
            return _StandIn

        module.__dict__["__getattr__"] = stand_in


@contextmanager
def client_left_out(package: str) -> Iterator[None]:
    """Have stand-ins for a package while a block runs. What was imported before is there again after it.

    Modules that were imported in the block and use the client keep the stand-ins: they are for being looked
    at, and not for being run.
    """
    parent, _, name = package.rpartition(".")
    kept = {each: sys.modules.pop(each) for each in list(sys.modules) if _is_within(each, package)}
    finder = _StandIns(package)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for each in [each for each in sys.modules if _is_within(each, package)]:
            del sys.modules[each]
        sys.modules.update(kept)
        within = vars(sys.modules[parent]) if parent in sys.modules else {}
        within.pop(name, None)
        if package in kept:
            within[name] = kept[package]


def _is_within(name: str, package: str) -> bool:
    return f"{name}.".startswith(f"{package}.")
