"""Endpoints that are more than a view of a stored object: subresources, and resources that are not stored."""

from __future__ import annotations

from collections.abc import Mapping

from kubewright.server.authentication import Authenticator
from kubewright.server.handlers.call import Call, Reply
from kubewright.server.handlers.resources import Endpoint
from kubewright.server.handlers.subresources.access_reviews import AccessReviews
from kubewright.server.handlers.subresources.connections import Connections
from kubewright.server.handlers.subresources.pods import bind
from kubewright.server.handlers.subresources.reviews import component_statuses, review_self, token_reviews
from kubewright.server.handlers.subresources.tokens import TokenRequests
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.store import Store

__all__ = ["AccessReviews", "Connections", "TokenRequests", "endpoints"]

_AUTHORIZATION = "authorization.k8s.io"
_AUTHENTICATION = "authentication.k8s.io"


async def _evict(call: Call, registry: Registry, store: Store) -> Reply:
    from kubewright.server.handlers.subresources.evictions import evict  # noqa: PLC0415 - many rules

    return await evict(call, registry, store)


async def _scale(call: Call, registry: Registry, store: Store) -> Reply:
    from kubewright.server.handlers.subresources.scale import scale  # noqa: PLC0415 - it loads all patches

    return await scale(call, registry, store)


def endpoints(
    tokens: TokenRequests, access: AccessReviews, authenticator: Authenticator, connections: Connections
) -> Mapping[tuple[str, str, str], Endpoint]:
    """By group, resource and subresource, what serves them."""
    return {
        # Of whatever has one.
        ("", "", "scale"): _scale,
        ("", "bindings", ""): bind,
        ("", "pods", "binding"): bind,
        ("", "pods", "eviction"): _evict,
        ("", "pods", "log"): connections.connect,
        ("", "pods", "exec"): connections.connect,
        ("", "pods", "attach"): connections.connect,
        ("", "pods", "portforward"): connections.connect,
        ("", "pods", "proxy"): connections.connect,
        ("", "nodes", "proxy"): connections.connect,
        ("", "services", "proxy"): connections.connect,
        ("", "serviceaccounts", "token"): tokens.request,
        ("", "componentstatuses", ""): component_statuses,
        (_AUTHENTICATION, "tokenreviews", ""): token_reviews(authenticator),
        (_AUTHENTICATION, "selfsubjectreviews", ""): review_self,
        (_AUTHORIZATION, "subjectaccessreviews", ""): access.review,
        (_AUTHORIZATION, "localsubjectaccessreviews", ""): access.review,
        (_AUTHORIZATION, "selfsubjectaccessreviews", ""): access.review_own,
        (_AUTHORIZATION, "selfsubjectrulesreviews", ""): access.review_own_rules,
    }
