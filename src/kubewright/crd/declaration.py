"""`@custom_resource`: a typed class becomes a kind of the API, and its CRD is derived from it.

    @custom_resource(group="example.com", version="v1", short_names=["cpod"], subresources=["status"])
    class CustomPod(Resource):
        spec: CustomPodSpec
        status: CustomPodStatus | None = None

    CustomPod.crd()

The schema is made and checked here, so that what a server would refuse fails when the class is made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from kubewright.crd.columns import PrinterColumn
from kubewright.crd.definition import Declaration, VersionOptions
from kubewright.crd.naming import ResourceNames, Scope, check_approval, check_names, plural_of
from kubewright.crd.subresources import Scale
from kubewright.machinery.errors import DeclarationError
from kubewright.machinery.resource import Resource

__all__ = ["custom_resource", "declaration_of"]

R = TypeVar("R", bound=Resource)

_NOTHING: Final[Mapping[str, str]] = {}


def custom_resource(  # noqa: PLR0913 - a definition has as many parts
    *,
    group: str,
    version: str,
    kind: str = "",
    plural: str = "",
    singular: str = "",
    list_kind: str = "",
    short_names: Sequence[str] = (),
    categories: Sequence[str] = (),
    scope: Scope = "Namespaced",
    subresources: Sequence[str | Scale] = (),
    columns: Sequence[PrinterColumn] = (),
    selectable_fields: Sequence[str] = (),
    storage: bool = True,
    served: bool = True,
    deprecated: bool | str = False,
    versions: Sequence[type[Resource] | str] = (),
    labels: Mapping[str, str] = _NOTHING,
    annotations: Mapping[str, str] = _NOTHING,
    extra: Mapping[str, Any] = _NOTHING,
    deferred: bool = False,
) -> Callable[[type[R]], type[R]]:
    """A class decorator: the class is a custom resource, with `gvk`, `gvr` and `crd()`.

    `kind` is the class's name, `plural` its English plural, `singular` the kind in lower case, `list_kind`
    the kind with List, unless they are given. `subresources` are "status", "scale" or a `Scale` with paths of
    its own. `deprecated` may be the warning that clients get. `versions` are the classes of the kind's other
    versions, each a custom resource of the same names; of all one has `storage`, the version in which objects
    are kept; one in another module may be given as the text ".module:Class", which is imported and checked
    when it is needed. Methods `to_hub` and `from_hub` of the other versions convert between them and the
    stored one; see `conversion`. `labels` and `annotations` are those of the definition, `extra` are keywords
    of the schema of the whole object that nothing else says. `deferred` puts off all checks of the schema
    until it is needed: for generated modules, whose definitions a server knows already.

    Raises DeclarationError, a TypeError, with the class, the field and the remedy, for all that a server
    would refuse. Rules in CEL are checked where `kubewright[cel]` is installed.
    """
    options = VersionOptions(
        name=version,
        served=served,
        storage=storage,
        deprecated=deprecated,
        columns=_listed("columns", columns),
        subresources=_listed("subresources", subresources),
        selectable_fields=_listed("selectable_fields", selectable_fields),
    )
    short, grouped = _listed("short_names", short_names), _listed("categories", categories)

    def decorate(cls: type[R]) -> type[R]:
        name = _checked_class(cls)
        own_kind = kind or name
        names = ResourceNames(
            group=group,
            kind=own_kind,
            plural=plural or plural_of(own_kind),
            singular=singular or own_kind.lower(),
            list_kind=list_kind or f"{own_kind}List",
            scope=scope,
            short_names=short,
            categories=grouped,
        )
        check_names(name, names, version)
        if not deferred:
            check_approval(name, group, annotations)
        made = _with_kind(cls, names, version)
        made.__custom_resource__ = Declaration(
            made,
            names,
            options,
            others=lambda: tuple(declaration_of(_resolved(each, cls.__module__)) for each in versions),
            labels=labels,
            annotations=annotations,
            extra=extra,
            deferred=deferred,
        )
        if not deferred:
            made.__custom_resource__.check()
            # A module that is given as a text may import this one, which is not whole yet.
            if not any(isinstance(each, str) for each in versions):
                made.__custom_resource__.check_others()
        decorated: type[R] = made
        return decorated

    return decorate


def declaration_of(cls: type[Resource]) -> Declaration:
    """What `@custom_resource` knows of a class. Raises DeclarationError for a class without it."""
    found: Declaration | None = getattr(cls, "__custom_resource__", None)
    if found is None:
        name = getattr(cls, "__name__", repr(cls))
        raise DeclarationError(f"{name} is no custom resource; decorate it with @custom_resource(...)")
    return found


def _resolved(version: type[Resource] | str, module: str) -> type[Resource]:
    """The class of another version, imported where it is given as a text."""
    if not isinstance(version, str):
        return version
    from importlib import import_module  # noqa: PLC0415 - for versions in other modules only

    place, _, name = version.partition(":")
    try:
        found: type[Resource] = getattr(import_module(place, module.rpartition(".")[0]), name)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise DeclarationError(
            f"versions has {version!r}, which cannot be imported from {module} ({error}); write .module:Class"
        ) from None
    return found


def _listed(option: str, values: Sequence[Any]) -> tuple[Any, ...]:
    if isinstance(values, str):
        raise DeclarationError(f"{option}={values!r} is one text; write {option}=[{values!r}]")
    return tuple(values)


def _checked_class(cls: object) -> str:
    if not (isinstance(cls, type) and issubclass(cls, Resource)):
        shown = getattr(cls, "__name__", repr(cls))
        raise DeclarationError(
            f"{shown} is no Resource; write class {shown}(Resource) below @custom_resource"
        )
    if hasattr(cls, "gvk"):
        raise DeclarationError(
            f"{cls.__name__} has a kind already ({cls.gvk.api_version} {cls.gvk.kind}); declare a class of "
            "its own for each version, and give it no api_version"
        )
    return cls.__name__


def _with_kind(cls: Any, names: ResourceNames, version: str) -> Any:
    """A subclass that stands in for the class: a kind is fixed when a class is made."""
    namespace = {
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__doc__": cls.__doc__,
    }
    return type(cls)(
        cls.__name__,
        (cls,),
        namespace,
        api_version=f"{names.group}/{version}",
        kind=names.kind,
        plural=names.plural,
        namespaced=names.scope == "Namespaced",
    )
