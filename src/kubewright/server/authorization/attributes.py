"""What an authorizer is asked: who wants to do what, and where."""

from __future__ import annotations

import msgspec

from kubewright.machinery.paths import RequestInfo
from kubewright.server.registry.write import User

__all__ = ["Attributes", "attributes_of"]


class Attributes(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One question, in upstream's terms; texts are empty where it says nothing."""

    user: User
    verb: str
    is_resource_request: bool = True
    group: str = ""
    version: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""
    """What is asked for outside of the resources."""


def attributes_of(user: User, info: RequestInfo) -> Attributes:
    """What a request asks for."""
    if not info.is_resource_request:
        return Attributes(user=user, verb=info.verb, is_resource_request=False, path=info.path)
    return Attributes(
        user=user,
        verb=info.verb,
        group=info.api_group,
        version=info.api_version,
        resource=info.resource,
        subresource=info.subresource,
        namespace=info.namespace,
        name=info.name,
        path=info.path,
    )
