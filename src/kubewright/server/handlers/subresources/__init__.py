"""Endpoints that are more than a view of a stored object: subresources, and resources that are not stored."""

from __future__ import annotations

from collections.abc import Mapping

from kubewright.server.handlers.call import Call, Reply
from kubewright.server.handlers.resources import Endpoint
from kubewright.server.handlers.subresources.pods import bind, connect
from kubewright.server.handlers.subresources.reviews import (
    component_statuses,
    review_access,
    review_own_access,
    review_own_rules,
    review_self,
    review_token,
)
from kubewright.server.handlers.subresources.tokens import Tokens
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.store import Store

__all__ = ["Tokens", "endpoints"]

_AUTHORIZATION = "authorization.k8s.io"
_AUTHENTICATION = "authentication.k8s.io"


async def _evict(call: Call, registry: Registry, store: Store) -> Reply:
    from kubewright.server.handlers.subresources.evictions import evict  # noqa: PLC0415 - many rules

    return await evict(call, registry, store)


async def _scale(call: Call, registry: Registry, store: Store) -> Reply:
    from kubewright.server.handlers.subresources.scale import scale  # noqa: PLC0415 - it loads all patches

    return await scale(call, registry, store)


def endpoints(tokens: Tokens) -> Mapping[tuple[str, str, str], Endpoint]:
    """By group, resource and subresource, what serves them."""
    return {
        # Of whatever has one.
        ("", "", "scale"): _scale,
        ("", "bindings", ""): bind,
        ("", "pods", "binding"): bind,
        ("", "pods", "eviction"): _evict,
        ("", "pods", "log"): connect,
        ("", "pods", "exec"): connect,
        ("", "pods", "attach"): connect,
        ("", "pods", "portforward"): connect,
        ("", "pods", "proxy"): connect,
        ("", "nodes", "proxy"): connect,
        ("", "services", "proxy"): connect,
        ("", "serviceaccounts", "token"): tokens.request,
        ("", "componentstatuses", ""): component_statuses,
        (_AUTHENTICATION, "tokenreviews", ""): review_token,
        (_AUTHENTICATION, "selfsubjectreviews", ""): review_self,
        (_AUTHORIZATION, "subjectaccessreviews", ""): review_access,
        (_AUTHORIZATION, "localsubjectaccessreviews", ""): review_access,
        (_AUTHORIZATION, "selfsubjectaccessreviews", ""): review_own_access,
        (_AUTHORIZATION, "selfsubjectrulesreviews", ""): review_own_rules,
    }
