"""The functions of `kubewright.controllers` that send requests for a reconciler."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from kubewright.codegen.rights.frames import Call
from kubewright.codegen.rights.needs import READ, Helper, Need, has_subresource
from kubewright.codegen.rights.values import (
    NOTHING,
    ApiValue,
    Closure,
    ContextValue,
    Items,
    Live,
    ObjectValue,
    Target,
    Values,
    literals,
)

if TYPE_CHECKING:
    from kubewright.codegen.rights.analysis import Analysis

__all__ = ["helper_call", "owner_call"]


def helper_call(analysis: Analysis, helper: Helper, call: Call, *, shown: str) -> Values:
    """`finalize(ctx, obj, ...)` and its like; the object, as they return it."""
    targets = call.argument(0, "target")
    objects = frozenset(each for each in call.argument(1, "obj") if isinstance(each, ObjectValue))
    apis = [each for each in targets if isinstance(each, ApiValue)]
    if apis:
        objects = frozenset(ObjectValue(each.target) for each in apis)
    elsewhere = bool(targets) and all(
        isinstance(each, ApiValue | ContextValue) and each.elsewhere for each in targets
    )
    callbacks = call.argument(3 if helper.callback == "cleanup" else 2, helper.callback)
    if not elsewhere:
        cached = any(each.cached for each in apis) or not apis
        _need(analysis, _needs(helper, call, callbacks, cached=cached), objects, call, shown)
    for each in callbacks:
        analysis.apply(each, Call(call.node, call.frame, [objects], {}))
    return objects | {Items(objects)} if helper.reads else objects


def _needs(helper: Helper, call: Call, callbacks: Values, *, cached: bool) -> list[Need]:
    needs = [Need(READ) if cached else Need(("get",))] if helper.reads else []
    subresources = literals(call.keywords.get("subresource", NOTHING))
    for need in helper.needs:
        if helper.reads and need.subresource == "status" and not _mentions_status(callbacks):
            continue
        if any(subresources) and not need.subresource:
            needs += [Need(("patch",), each) for each in subresources]
        else:
            needs.append(need)
    return needs


def _need(
    analysis: Analysis, needs: list[Need], objects: frozenset[ObjectValue], call: Call, shown: str
) -> None:
    targets = {each.target for each in objects} or {None}
    for target in sorted(targets, key=str):
        if target is None:
            analysis.unresolved(call, f"the object of {shown}()", needs)
            continue
        for need in needs:
            if need.subresource != "status" or has_subresource(target, "status", analysis.kinds):
                analysis.need(target, need)


def _mentions_status(callbacks: Values) -> bool:
    """Whether a change may be one of the status: not if its source has no word of it."""
    for each in callbacks:
        if not isinstance(each, Closure):
            return True
        if any(isinstance(part, ast.Attribute) and part.attr == "status" for part in ast.walk(each.node)):
            return True
        if any(isinstance(part, ast.Call) for part in ast.walk(each.node)):
            # What it calls may set it.
            return True
    return not callbacks


def owner_call(analysis: Analysis, function: Any, call: Call) -> bool:
    """Whether a function makes an owner wait for what it owns, which needs a right where admission asks.

    The admission plugin OwnerReferencesPermissionEnforcement wants `update` of the owner's `finalizers` from
    clients that set `blockOwnerDeletion`.
    """
    from kubewright.controllers import owners  # noqa: PLC0415 - with the client

    if function is owners.set_controller_reference:
        blocks = call.keywords.get("block_owner_deletion", frozenset({Live(True)}))
    elif function in (owners.set_owner_reference, owners.owner_reference):
        blocks = call.keywords.get("block_owner_deletion", frozenset({Live(False)}))
    else:
        return False
    if all(isinstance(each, Live) and each.value in (False, None) for each in blocks) and blocks:
        return True
    targets: set[Target] = {
        each.target
        for each in call.argument(0, "owner")
        if isinstance(each, ObjectValue) and each.target is not None
    }
    for target in targets or {analysis.reconciled} - {None}:
        if target is not None:
            analysis.need(target, Need(("update",), "finalizers"))
    return True
