"""What clients and their `Api`s are asked for, and what comes of it."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final

from kubewright.codegen.rights.annotations import annotated, annotations_of
from kubewright.codegen.rights.frames import Call
from kubewright.codegen.rights.needs import API_METHODS, READ, Need, target_named, target_of
from kubewright.codegen.rights.values import (
    NOTHING,
    ApiValue,
    ClientValue,
    GroupVersionValue,
    Items,
    Live,
    Method,
    ObjectValue,
    Target,
    Values,
    literals,
)
from kubewright.machinery.gvk import GroupVersion

if TYPE_CHECKING:
    from kubewright.codegen.rights.analysis import Analysis

__all__ = ["api_attribute", "api_call", "client_call", "group_call", "is_api_method"]

_SAME: Final = frozenset({"in_namespace", "metadata"})
_MANY: Final = frozenset({"list", "by", "watch"})
_HARMLESS: Final = frozenset(
    {"version", "close", "request_counts", "config", "endpoint", "namespace", "gvk", "form", "kind"}
)
"""Attributes of clients and Apis that send no request, or one that every account may send."""


def is_api_method(name: str) -> bool:
    """Whether a method of `Api` sends requests."""
    return name in API_METHODS


def api_attribute(
    analysis: Analysis, value: ClientValue | GroupVersionValue | ApiValue, name: str, call: Call
) -> Values:
    """An attribute of a client, of its `core_v1` and the like, or of an Api."""
    if isinstance(value, ApiValue | GroupVersionValue):
        return frozenset({Method(value, name)})
    if name == "uncached":
        return frozenset({ClientValue(elsewhere=value.elsewhere)})
    if name in {"api", "dynamic", "resource"}:
        return frozenset({Method(value, name)})
    if (group := _group_version(name)) is not None:
        return frozenset({GroupVersionValue(value, group)})
    if name not in _HARMLESS:
        where = f"client.{name}"
        analysis.escapes({value}, call.node, call.frame, where=where)
    return NOTHING


def client_call(analysis: Analysis, client: ClientValue, name: str, call: Call) -> Values:
    """`client.api(Pod)`, `client.dynamic("v1", "Pod")` and `client.resource("pods")`."""
    targets: set[Target | None]
    if name == "api":
        classes = [each.value for each in call.argument(0, "kind") if isinstance(each, Live)]
        targets = {target_of(each) for each in classes} or {None}
    elif name == "dynamic":
        versions, kinds = literals(call.argument(0, "api_version")), literals(call.argument(1, "kind"))
        targets = {target_named(v, kind, analysis.kinds) for v in versions for kind in kinds} or {None}
    else:
        targets = {_target_called(each, analysis) for each in literals(call.argument(0, "name"))} or {None}
    if client.guessed:
        targets.discard(None)
    return frozenset(ApiValue(each, client.cached, client.elsewhere) for each in targets)


def group_call(value: GroupVersionValue, name: str) -> Values:
    """`client.core_v1.pods("default")`."""
    function = inspect.getattr_static(value.cls, name, None)
    if function is None:
        return NOTHING
    client = value.client
    return frozenset(
        ApiValue(each.target, client.cached, client.elsewhere)
        for each in annotated(annotations_of(function).get("return"))
        if isinstance(each, ApiValue)
    )


def api_call(analysis: Analysis, api: ApiValue, name: str, call: Call) -> Values:
    """A method of an Api, whose requests are added."""
    if name in _SAME:
        return frozenset({api})
    if name not in API_METHODS:
        if name not in _HARMLESS:
            analysis.escapes({api}, call.node, call.frame, where=f"{name}()")
        return NOTHING
    result = ObjectValue(api.target)
    for callback in call.argument(1, "change") if name == "retry_on_conflict" else ():
        analysis.apply(callback, Call(call.node, call.frame, [frozenset({result})], {}))
    if not api.elsewhere:
        needs = _needs(api, name, call)
        if api.target is None:
            analysis.unresolved(call, f"the Api of {name}()", needs)
        else:
            for need in needs:
                analysis.need(api.target, need)
    return frozenset({Items(frozenset({result}))}) if name in _MANY else frozenset({result})


def _needs(api: ApiValue, name: str, call: Call) -> list[Need]:
    subresources = literals(call.keywords.get("subresource", NOTHING))
    needs: list[Need] = []
    for need in API_METHODS[name]:
        if api.cached and name in {"get", "list"} and not any(subresources):
            needs.append(Need(READ))
        elif not any(subresources) or (name == "retry_on_conflict" and need.verbs == ("get",)):
            needs.append(need)
        else:
            # A subresource is never created by applying it.
            verbs = ("patch",) if name == "apply" else need.verbs
            needs += [Need(verbs, each) for each in subresources]
    return needs


def _group_version(name: str) -> type | None:
    from kubewright.client.clientset import Clientset  # noqa: PLC0415 - with the client

    found: Any = inspect.getattr_static(Clientset, name, None)
    if not isinstance(found, property) or found.fget is None:
        return None
    from importlib import import_module  # noqa: PLC0415 - as above

    module = import_module(f"kubewright.client.clientset.{name}")
    return getattr(module, str(found.fget.__annotations__["return"]), None)


def _target_called(name: str, analysis: Analysis) -> Target | None:
    """The resource that kubectl calls by a name: one of the program's, or a built-in one."""
    for kind in analysis.kinds:
        if name in {kind.gvr.resource, kind.gvk.kind, kind.gvk.kind.lower()}:
            return target_of(kind)
    from kubewright.models.served import RESOURCES  # noqa: PLC0415 - large, and seldom used

    for row in RESOURCES:
        if name in {row.plural, row.singular, row.kind, *row.short_names.split()}:
            return Target(GroupVersion.parse(row.api_version).group, row.plural, row.kind)
    return None
