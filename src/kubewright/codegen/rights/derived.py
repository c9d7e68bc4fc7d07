"""The rights of what a `setup` function declares."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kubewright.codegen.rights.analysis import Analysis
from kubewright.codegen.rights.needs import target_of
from kubewright.codegen.rights.values import ContextValue, ObjectValue, ReviewValue
from kubewright.controllers.declared import Declarations, DeclaredController
from kubewright.controllers.rbac import Permission
from kubewright.webhooks.declaration import webhook_of

if TYPE_CHECKING:
    from kubewright.machinery.resource import Resource

__all__ = ["Rights", "derived_rights"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rights:
    """What an operator may have to do, and what of it could not be told."""

    permissions: list[Permission]
    election: list[Permission] = field(default_factory=list)
    """What being elected needs, in the namespace in which the operator runs."""
    notes: list[str] = field(default_factory=list)
    """Sentences that name a place in the code, and the mark that is missing there."""


def derived_rights(
    declared: Declarations, kinds: Iterable[type[Resource]] = (), *, folder: str = ""
) -> Rights:
    """The rights of what was declared: for its caches, its events, and the requests of its functions.

    Where the requests of a controller cannot all be told, it has the rights that most controllers need on
    its kind and on what it owns; see `DeclaredController.usual_permissions`. `kinds` are those of the
    program, for what is named by texts; notes name files by their paths below `folder`.
    """
    known = tuple(kinds)
    permissions = declared.permissions()
    notes: dict[str, None] = {}
    for controller in declared.controllers:
        analysis = _analyse(controller, known, folder)
        permissions += analysis.permissions
        if not analysis.complete:
            permissions += controller.usual_permissions()
        notes.update(analysis.notes)
    beside = Analysis(known, folder=folder)
    for function in declared.webhooks:
        webhook = webhook_of(function)
        target = target_of(webhook.kind) if webhook is not None else None
        beside.begin(function, ReviewValue(target), what=f"the webhook {_shown(function)}")
    for runnable in declared.runnables:
        beside.begin(runnable, what=_shown(runnable))
    permissions += beside.permissions
    notes.update(beside.notes)
    return Rights(permissions=permissions, notes=list(notes))


def _analyse(controller: DeclaredController, kinds: tuple[type[Resource], ...], folder: str) -> Analysis:
    own = target_of(controller.kind)
    analysis = Analysis(kinds, folder=folder, reconciled=None if controller.elsewhere else own)
    context = ContextValue(elsewhere=controller.elsewhere)
    analysis.begin(controller.reconcile, context, what=_shown(controller.reconcile))
    for function in controller.functions:
        analysis.begin(function, what=_shown(function))
    for kind, mapping in controller.mappings:
        analysis.begin(mapping, ObjectValue(target_of(kind)), what=_shown(mapping))
    return analysis


def _shown(function: object) -> str:
    return str(getattr(function, "__qualname__", type(function).__name__))
