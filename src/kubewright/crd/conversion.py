"""Conversion between the versions of a custom resource by functions: hub and spoke.

    @custom_resource(group="example.com", version="v1beta1", kind="App", storage=False)
    class AppV1Beta1(Resource):
        def to_hub(self) -> App: ...
        @classmethod
        def from_hub(cls, hub: App) -> AppV1Beta1: ...

The hub is the stored version; each other one, a spoke, knows how to become it and how to be made of it. So a
kind of n versions has n - 1 pairs of functions, and two spokes are converted through the hub.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from inspect import iscoroutinefunction
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec import UNSET

from kubewright.machinery.errors import DeclarationError, KubewrightError
from kubewright.machinery.resource import Resource
from kubewright.machinery.settle import present_value
from kubewright.machinery.shapes import slots_of

if TYPE_CHECKING:
    from kubewright.machinery.meta import ObjectMeta

__all__ = ["ConversionError", "check_functions", "convert", "converted", "is_spoke"]

K = TypeVar("K", bound=Resource)

_FUNCTIONS: Final = {"to_hub": FunctionType, "from_hub": classmethod}
"""What a spoke has, and as what; named after controller-runtime's Convertible."""

_SIGNATURES: Final = {"to_hub": "def to_hub(self)", "from_hub": "@classmethod def from_hub(cls, hub)"}

_FIXED: Final = ("name", "namespace", "uid")
"""What tells which object it is: a server refuses a conversion that changes one of them."""


class ConversionError(KubewrightError):
    """An object that cannot be converted; conversion functions raise it too, with words for the client."""


def convert(obj: Resource, to: type[K]) -> K:
    """The object in another version of its kind: through its hub, unless one of the two is the hub.

    The result shares nothing with `obj`, which stays as it is; in its own version it is a copy.

    Functions may leave metadata alone: all of it is the original's, and labels and annotations that a
    function sets are laid over the original's. A function that takes labels or annotations away hands on the
    metadata itself, `metadata=self.metadata`, or a copy of it, and changes that.

    Unknown fields go with the struct that they belong to: they are kept where a function hands on the struct
    itself, and lost where it makes a new one, as those of the object itself are.

    Raises ConversionError for versions of different kinds, for versions without functions, and for functions
    that return something else or change the name, the namespace or the uid; whatever a function raises
    comes through.
    """
    return converted(obj.copy(), to)


def converted(obj: Resource, to: type[K]) -> K:
    """`convert` for an object that nobody else has: it may be changed, and be a part of the result."""
    source = type(obj)
    if isinstance(obj, to):
        return obj
    own, wanted = source.gvk, to.gvk
    if (own.group, own.kind) != (wanted.group, wanted.kind):
        raise ConversionError(
            f"{source.__name__} is {own.group} {own.kind} and {to.__name__} is {wanted.group} {wanted.kind}; "
            "only versions of one kind are converted"
        )
    if not (is_spoke(source) or is_spoke(to)):
        raise ConversionError(
            f"{source.__name__} and {to.__name__} have no conversion functions; "
            "give each version but the stored one to_hub and from_hub"
        )
    hub = _called(obj, "to_hub", source, to) if is_spoke(source) else obj
    made: Any = _called(hub, "from_hub", to, to) if is_spoke(to) else hub
    return made  # type: ignore[no-any-return]


@lru_cache(None)
def is_spoke(cls: type[Resource]) -> bool:
    """Whether a version has conversion functions."""
    return _function(cls, "to_hub") is not None or _function(cls, "from_hub") is not None


def check_functions(hub: type[Resource], spokes: Sequence[type[Resource]]) -> None:
    """Raise DeclarationError unless all spokes of a hub have both functions, or none has any."""
    for name in _FUNCTIONS:
        if _function(hub, name) is not None:
            raise DeclarationError(
                f"{hub.__name__} has {name}, but it is the stored version, the hub; write storage=False, "
                f"or give {name} to the other versions"
            )
    with_functions = [each for each in spokes if is_spoke(each)]
    for spoke in spokes if with_functions else ():
        for name in _FUNCTIONS:
            if _function(spoke, name) is None:
                other = with_functions[0].__name__
                why = "it has the other" if spoke in with_functions else f"{other} is converted by functions"
                raise DeclarationError(
                    f"{spoke.__name__} ({spoke.gvk.version}) has no {name}, and {why}; "
                    f"write {_SIGNATURES[name]}"
                )
            _check_function(spoke, name)


def _check_function(cls: type[Resource], name: str) -> None:
    found = _function(cls, name)
    if not isinstance(found, _FUNCTIONS[name]):
        raise DeclarationError(
            f"{cls.__name__}.{name} cannot be called as it must; write {_SIGNATURES[name]}"
        )
    if iscoroutinefunction(getattr(found, "__func__", found)):
        raise DeclarationError(
            f"{cls.__name__}.{name} is async; conversions ask nobody: write def, not async def"
        )


def _function(cls: type[Resource], name: str) -> object:
    """What a class has under the name of a function; a field that is called so is none."""
    if name in cls.__struct_fields__:
        return None
    return next((base.__dict__[name] for base in cls.__mro__ if name in base.__dict__), None)


def _called(obj: Resource, name: str, spoke: type[Resource], to: type[Resource]) -> Resource:
    """What a function of a spoke makes of an object on its way to a version, with its metadata."""
    # A copy, because the function may change that of the object and hand it on.
    metadata = obj.metadata.copy()
    to_hub = name == "to_hub"
    made = getattr(obj, name)() if to_hub else getattr(spoke, name)(obj)
    where = f"{spoke.__name__}.{name}"
    if not (_is_hub(made, obj) if to_hub and is_spoke(to) else isinstance(made, to)):
        wanted = "an object of the stored version" if to_hub and is_spoke(to) else f"a {to.__name__}"
        raise ConversionError(f"{where} returned {_shown(made)}; return {wanted}")
    made.metadata = _carried(metadata, made.metadata, where, handed_on=made.metadata is obj.metadata)
    return made  # type: ignore[no-any-return]


def _is_hub(made: object, spoke: Resource) -> bool:
    """Whether an object may be what a spoke became: which class that is, the spoke alone does not know."""
    if not isinstance(made, Resource) or is_spoke(type(made)):
        return False
    found, own = getattr(type(made), "gvk", None), type(spoke).gvk
    return found is not None and (found.group, found.kind) == (own.group, own.kind)


def _carried(old: ObjectMeta, new: ObjectMeta, where: str, *, handed_on: bool) -> ObjectMeta:
    """The original's metadata with the labels and annotations of the converted object."""
    for name in _FIXED:
        was, given = getattr(old, name), getattr(new, name)
        if given != was and given:
            raise ConversionError(
                f"{where} changed metadata.{name} from {was!r} to {given!r}; "
                "a conversion may change labels and annotations only"
            )
    for name in ("labels", "annotations"):
        value = present_value(new, name)
        if value is UNSET:
            continue
        # A uid is there when the original's metadata was copied, which then says what shall be there.
        if handed_on or new.uid:
            slots_of(type(old))[name].__set__(old, value)
        else:
            setattr(old, name, {**getattr(old, name), **getattr(new, name)})
    return old


def _shown(made: object) -> str:
    return "None" if made is None else f"a {type(made).__name__}"
