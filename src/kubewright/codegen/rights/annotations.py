"""What annotations of parameters say of their values."""

from __future__ import annotations

import inspect
import sys
import types
import typing
from collections import abc
from typing import TYPE_CHECKING, Any

from kubewright.codegen.rights.needs import target_of
from kubewright.codegen.rights.values import (
    NOTHING,
    ApiValue,
    ClientValue,
    ContextValue,
    EventsValue,
    Instance,
    Items,
    ManagerValue,
    ObjectValue,
    ReviewValue,
    Values,
)

if TYPE_CHECKING:
    from types import FunctionType

__all__ = ["annotated", "annotations_of", "class_annotation", "is_followed", "resolved"]

_COLLECTIONS = (abc.Iterable, abc.AsyncIterable)


def annotations_of(function: FunctionType) -> dict[str, Any]:
    """The annotations of a function, as far as they can be evaluated where it stands."""
    try:
        return typing.get_type_hints(function)
    except Exception:
        raw = getattr(function, "__annotations__", {})
        return {name: resolved(text, function.__globals__) for name, text in raw.items()}


def resolved(annotation: object, namespace: dict[str, Any]) -> Any:
    """An annotation that is a text, as the object that it means; None where that cannot be told."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, namespace)  # noqa: S307 - of the program, whose modules were imported
    except Exception:
        return None


def annotated(annotation: object) -> Values:
    """The values of a parameter that is annotated so."""
    origin = typing.get_origin(annotation)
    arguments = typing.get_args(annotation)
    if origin is typing.Annotated:
        return annotated(arguments[0])
    if origin in (typing.Union, types.UnionType):
        return frozenset(value for each in arguments for value in annotated(each))
    if origin is not None:
        return _generic(origin, arguments)
    if not isinstance(annotation, type):
        return NOTHING
    if (target := target_of(annotation)) is not None:
        return frozenset({ObjectValue(target)})
    return _plain(annotation)


def class_annotation(cls: type, name: str) -> object:
    """The annotation of an attribute in a class or in one of its bases; None without one."""
    for each in cls.__mro__:
        text = inspect.get_annotations(each).get(name)
        if text is not None:
            return resolved(text, vars(sys.modules.get(each.__module__, object)))
    return None


def _plain(cls: type) -> Values:
    from kubewright.client.api import Api  # noqa: PLC0415 - with the client, which marks need not
    from kubewright.client.client import Client  # noqa: PLC0415 - as above
    from kubewright.controllers.cached_client import CachedApi, CachedClient  # noqa: PLC0415 - as above
    from kubewright.controllers.context import Context  # noqa: PLC0415 - as above
    from kubewright.controllers.events import EventRecorder  # noqa: PLC0415 - as above
    from kubewright.controllers.manager import Manager  # noqa: PLC0415 - as above
    from kubewright.machinery.unstructured import Unstructured  # noqa: PLC0415 - as above
    from kubewright.webhooks.review import Review  # noqa: PLC0415 - as above

    for known, value in (
        (CachedClient, ClientValue(cached=True)),
        (Client, ClientValue()),
        (CachedApi, ApiValue(None, cached=True)),
        (Api, ApiValue(None)),
        (Context, ContextValue()),
        (EventRecorder, EventsValue()),
        (Manager, ManagerValue()),
        (Unstructured, ObjectValue(None)),
        (Review, ReviewValue(None)),
    ):
        if issubclass(cls, known):
            return frozenset({value})
    return frozenset({Instance(cls)}) if is_followed(cls.__module__) else NOTHING


def _generic(origin: Any, arguments: tuple[Any, ...]) -> Values:
    if not isinstance(origin, type):
        return NOTHING
    target = target_of(arguments[0]) if arguments else None
    outer = _plain(origin)
    for value in outer:
        match value:
            case ApiValue(_, cached, elsewhere):
                return frozenset({ApiValue(target, cached, elsewhere)})
            case ReviewValue():
                return frozenset({ReviewValue(target)})
            case _:
                return outer
    if issubclass(origin, _COLLECTIONS):
        return frozenset({Items(frozenset(value for each in arguments for value in annotated(each)))})
    return NOTHING


def is_followed(module: str | None) -> bool:
    """Whether the code of a module is analysed: neither Python's nor the library's own is."""
    top = (module or "").partition(".")[0]
    return bool(top) and top != "kubewright" and top not in sys.stdlib_module_names
