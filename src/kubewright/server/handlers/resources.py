"""Which handler a request to a resource goes to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeAlias

from kubewright.server.errors import method_not_allowed, no_such_resource, not_found
from kubewright.server.handlers.call import Answer, Call, PiecedAnswer, Reply
from kubewright.server.handlers.reads import get_object, list_objects, watch_objects
from kubewright.server.handlers.upgrades import is_websocket, watch_over_websocket
from kubewright.server.handlers.writes import (
    create_object,
    delete_collection,
    delete_object,
    update_object,
)
from kubewright.server.large_requests import LARGE
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.resource import CUSTOM_VERBS
from kubewright.server.registry.store import Store

__all__ = ["Endpoint", "PageNotFound", "handle_resource"]

Endpoint: TypeAlias = Callable[[Call, Registry, Store], Awaitable[Reply]]
"""What serves a subresource, or a resource, that is not simply a stored object."""

_METHODS: Final = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE"})
"""HEAD is not among them, as upstream has it."""

_SUBRESOURCE_VERBS: Final = frozenset({"get", "update", "patch"})


class PageNotFound(Exception):
    """There is nothing at this path, not even an API: upstream answers with plain text."""


async def handle_resource(
    call: Call, registry: Registry, endpoints: Mapping[tuple[str, str, str], Endpoint]
) -> Reply:
    """Serve a request to a resource. Raises ApiError and PageNotFound.

    `endpoints` are what is particular, by group, resource and subresource.
    """
    if len(call.body) < LARGE:
        return await _dispatch(call, registry, endpoints)
    async with registry.large_requests.slot():
        return await _dispatch(call, registry, endpoints)


async def _dispatch(
    call: Call, registry: Registry, endpoints: Mapping[tuple[str, str, str], Endpoint]
) -> Reply:
    info = call.info
    store = registry.find(info.api_group, info.api_version, info.resource)
    if store is None:
        if registry.has_builtin(info.api_group):
            raise no_such_resource()
        raise PageNotFound
    served = store.type.served
    if call.method not in _METHODS or (info.verb == "watch" and call.method != "GET"):
        raise method_not_allowed()
    if info.namespace and not served.namespaced and info.resource != "namespaces":
        raise PageNotFound
    if store.type.deprecation:
        call.warnings.append(store.type.deprecation)
        call.annotations["k8s.io/deprecated"] = "true"
    particular = endpoints.get((info.api_group, info.resource, info.subresource))
    if particular is None and info.subresource == "scale" and "scale" in served.subresources:
        particular = endpoints["", "", "scale"]
    if len(info.parts) > 3 and info.subresource != "proxy":
        raise no_such_resource()
    if particular is not None:
        return await particular(call, registry, store)
    if info.subresource:
        return await _subresource(call, store)
    # Of a definition that is being deleted discovery shows fewer verbs than are served.
    verbs = CUSTOM_VERBS if served.custom else served.verbs
    if info.verb not in verbs or (not info.name and info.verb in {"update", "patch"}):
        raise method_not_allowed()
    return await _object(call, store)


async def _object(call: Call, store: Store) -> Reply:
    info = call.info
    match info.verb:
        case "get":
            return await get_object(call, store, info.name)
        case "list":
            return await list_objects(call, store)
        case "watch":
            if "Upgrade" in call.headers and is_websocket(call):
                return await watch_over_websocket(
                    call, lambda: watch_objects(call, store, name=_watched_name(call))
                )
            return await watch_objects(call, store, name=_watched_name(call))
        case "create":
            if info.name:
                raise method_not_allowed()
            if store.type.served.namespaced and not info.namespace:
                raise PageNotFound if store.type.served.custom else method_not_allowed()
            return await create_object(call, store)
        case "update":
            return await update_object(call, store, info.name)
        case "patch":
            return await _patch_object(call, store)
        case "delete":
            return await delete_object(call, store, info.name)
        case "deletecollection":
            if store.type.served.namespaced and not info.namespace:
                raise method_not_allowed()
            return await delete_collection(call, store)
    raise method_not_allowed()


async def _subresource(call: Call, store: Store) -> Answer | PiecedAnswer:
    """A subresource that shows and writes the stored object itself."""
    info = call.info
    known = store.type.served.subresources.get(info.subresource)
    if known is None:
        if store.type.served.custom:
            raise not_found(store.type.group_resource, info.name)
        raise no_such_resource()
    if info.verb not in known.verbs or info.verb not in _SUBRESOURCE_VERBS:
        raise method_not_allowed()
    if info.verb == "get":
        return await get_object(call, store, info.name)
    if info.verb == "update":
        return await update_object(call, store, info.name, info.subresource)
    return await _patch_object(call, store)


async def _patch_object(call: Call, store: Store) -> Answer:
    # Four kinds of patches are many modules, which the start of a server need not wait for.
    from kubewright.server.handlers.patches import patch_object  # noqa: PLC0415

    return await patch_object(call, store, call.info.name, call.info.subresource)


def _watched_name(call: Call) -> str:
    """The name in the path of an old-style watch of one object."""
    parts = call.info.parts
    return parts[1] if len(parts) > 1 else ""
