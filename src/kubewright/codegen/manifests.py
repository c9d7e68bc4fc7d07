"""The manifests of an operator, made from its code: definitions, roles and webhook configurations."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from kubewright.codegen.project import Project, ProjectError
from kubewright.codegen.rights.derived import Rights, derived_rights
from kubewright.codegen.webhook_manifests import (
    SERVICE_NAME,
    SERVICE_NAMESPACE,
    webhook_configurations,
)
from kubewright.controllers.declared import Declarations
from kubewright.controllers.rbac import Permission, permissions_of
from kubewright.controllers.roles import LEADER_ELECTION_ROLE, own_namespace_role, roles
from kubewright.crd.declaration import declaration_of
from kubewright.crd.definition import Declaration
from kubewright.machinery.errors import DeclarationError, KubewrightError, quoted
from kubewright.webhooks.declaration import WebhookDeclaration, webhook_of

if TYPE_CHECKING:
    from kubewright.machinery.resource import Resource

__all__ = ["Manifest", "Manifests", "declarations_of", "definitions_of_project", "manifests_of", "rights_of"]

Manifest: TypeAlias = dict[str, Any]
"""An object of the API as plain data; those of one run share parts and are not to be changed."""

_NO_SETUP: Final = 'write it as "package.module:function"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifests:
    """All that an operator's code declares, each sorted by name."""

    definitions: Sequence[Manifest] = ()
    roles: Sequence[Manifest] = ()
    leader_election: Sequence[Manifest] = ()
    """The Role with which an operator is elected; it holds where it is deployed, and says no namespace."""
    webhooks: Sequence[Manifest] = ()
    notes: list[str] = field(default_factory=list)
    """Sentences for the person who asked: what was left out, and why."""

    def in_order(self) -> list[Manifest]:
        """All of them in an order in which they can be applied."""
        return [*self.definitions, *self.roles, *self.leader_election, *self.webhooks]


def manifests_of(project: Project, *, setup: str = "") -> Manifests:
    """The manifests of a project; `setup`, as "module:function", declares controllers and webhooks.

    Without it the webhooks are all decorated functions of the project's modules. Raises ProjectError and
    DeclarationError for what cannot be.
    """
    declared = declarations_of(setup) if setup else None
    rights = rights_of(project.modules, declared, kinds=project.kinds, folder=project.folder)
    notes = list(rights.notes)
    found = {id(each): each for each in _webhooks(project.modules)}
    if declared is not None:
        registered = {id(each): each for each in map(webhook_of, declared.webhooks) if each is not None}
        notes += [
            f"{each.name} is not written: {setup} does not register the function that serves {each.path}"
            for key, each in found.items()
            if key not in registered
        ]
        found = registered
    return Manifests(
        definitions=definitions_of_project(project.kinds),
        roles=[each.to_dict() for each in roles(rights.permissions)],
        leader_election=[own_namespace_role(rights.election, name=LEADER_ELECTION_ROLE).to_dict()]
        if rights.election
        else [],
        webhooks=[each.to_dict() for each in webhook_configurations(found.values())],
        notes=sorted(notes),
    )


def rights_of(
    modules: Sequence[ModuleType],
    declared: Declarations | None,
    *,
    kinds: Iterable[type[Resource]],
    folder: Path,
) -> Rights:
    """The rights of an operator: by the marks in its modules, and by what its `setup` function declared."""
    permissions = list(_marks(modules))
    if declared is None:
        return Rights(permissions=permissions)
    derived = derived_rights(declared, kinds, folder=str(folder.absolute()))
    for controller in declared.controllers:
        permissions += _marks_of_code(controller.reconcile)
    return Rights(
        permissions=permissions + derived.permissions,
        election=declared.leader_election(),
        notes=derived.notes,
    )


def declarations_of(setup: str) -> Declarations:
    """What a setup function declares when it is given something that only listens. Raises ProjectError."""
    function = _function(setup)
    declared = Declarations()
    try:
        result = function(declared)
        if inspect.iscoroutine(result):
            asyncio.run(result)
    except KubewrightError as error:
        raise ProjectError(f"the setup function {setup} cannot be used: {error}") from error
    except (Exception, SystemExit) as error:  # whatever its author's code raises
        said = " ".join(str(error).split())
        what = f"{type(error).__name__}: {said}" if said else type(error).__name__
        raise ProjectError(f"the setup function {setup} failed: {what}") from error
    return declared


def _function(setup: str) -> Callable[[Declarations], object]:
    name, colon, attribute = setup.partition(":")
    if not colon or not all(word.isidentifier() for word in [*name.split("."), *attribute.split(".")]):
        raise ProjectError(f"setup is {quoted(setup)}; {_NO_SETUP}")
    try:
        found: Any = import_module(name)
        for word in attribute.split("."):
            found = getattr(found, word)
    except ModuleNotFoundError as error:
        raise ProjectError(f"setup is {quoted(setup)}, but {error}; {_NO_SETUP}") from error
    except AttributeError as error:
        raise ProjectError(f"setup is {quoted(setup)}, but there is no such function; {_NO_SETUP}") from error
    except (Exception, SystemExit) as error:  # whatever its author's code raises
        what = f"{type(error).__name__}: {error}"
        raise ProjectError(f"the module {name} cannot be imported: {what}") from error
    if not callable(found):
        raise ProjectError(f"setup is {quoted(setup)}, which is no function; {_NO_SETUP}")
    function: Callable[[Declarations], object] = found
    return function


def definitions_of_project(kinds: Iterable[type[Resource]]) -> list[Manifest]:
    """The definitions of a project's own kinds, by name; each has all versions of its kind.

    Kinds whose declaration is deferred are somebody else's, whose definitions a server knows already. Raises
    DeclarationError for versions of one kind that no class has together, and for rules that were not checked.
    """
    by_name: defaultdict[str, list[Declaration]] = defaultdict(list)
    for each in map(declaration_of, kinds):
        if not each.deferred:
            if each.unchecked is not None:
                raise DeclarationError(f"{_shown(each)} has rules: {each.unchecked}")
            by_name[f"{each.names.plural}.{each.names.group}"].append(each)
    return [_definition(_whole(name, found)) for name, found in sorted(by_name.items())]


def _whole(name: str, versions: list[Declaration]) -> Declaration:
    """The one of a kind's versions that knows all the others."""
    for each in versions:
        known = {id(each), *map(id, each.others)}
        if all(id(other) in known for other in versions):
            return each
    shown = " and ".join(_shown(each) for each in versions)
    raise DeclarationError(
        f"{shown} are versions of {name}, and none knows the others; put them among versions=[...] of one, "
        "and give storage=False to all but one"
    )


def _definition(declared: Declaration) -> Manifest:
    if not declared.has_conversions:
        return declared.manifest()
    from kubewright.crd import webhook_conversion  # noqa: PLC0415 - few kinds have it

    service = webhook_conversion(service_name=SERVICE_NAME, service_namespace=SERVICE_NAMESPACE)
    return declared.manifest(conversion=service)


def _shown(declared: Declaration) -> str:
    return f"{declared.cls.__module__}.{declared.cls.__name__} ({declared.version.name})"


def _marks(modules: Sequence[ModuleType]) -> Iterator[Permission]:
    for each in _visible(modules):
        yield from permissions_of(each)


def _webhooks(modules: Sequence[ModuleType]) -> Iterator[WebhookDeclaration]:
    for each in _visible(modules):
        found = webhook_of(each)
        if found is not None:
            yield found


def _visible(modules: Sequence[ModuleType]) -> Iterator[object]:
    """All that modules have names for, and what is in classes of their own."""
    own = {module.__name__ for module in modules}
    for module in modules:
        for value in list(vars(module).values()):
            yield value
            if isinstance(value, type) and value.__module__ in own:
                yield from _members(value)


def _members(cls: type) -> Iterator[object]:
    for value in list(vars(cls).values()):
        if isinstance(value, staticmethod | classmethod):
            yield value.__func__
        elif isinstance(value, type) and value.__qualname__.startswith(f"{cls.__qualname__}."):
            yield value
            yield from _members(value)
        elif callable(value):
            yield value


def _marks_of_code(code: object) -> Iterator[Permission]:
    """The marks of what is registered: a function, a method, a partial, or an object with a class."""
    if isinstance(code, functools.partial):
        yield from _marks_of_code(code.func)
        return
    yield from permissions_of(code)
    owner = getattr(code, "__self__", None) if inspect.ismethod(code) else code
    if owner is None or inspect.isfunction(owner) or inspect.ismodule(owner):
        return
    for cls in (owner if isinstance(owner, type) else type(owner)).__mro__:
        for each in (cls, *_members(cls)):
            yield from permissions_of(each)
