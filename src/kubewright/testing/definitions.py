"""`define`: kinds of one's own, made known to a cluster before a test uses them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from kubewright.client.client import Client
    from kubewright.machinery.resource import Resource
    from kubewright.webhooks.server import WebhookServer

__all__ = ["define"]

_SERVED_WITHIN: Final = 30.0
"""Seconds: a server does it in milliseconds, and machines of CI are slow."""


async def define(client: Client, *kinds: type[Resource], webhooks: WebhookServer | None = None) -> None:
    """Create the definitions of kinds, and return when their objects can be written.

    Of several versions it is the class that lists the others. With `webhooks` a kind that has conversion
    functions has its objects converted there, if `add_conversion` was told of it; without, only their
    apiVersion changes. Raises AlreadyExists, and what else a server says of a definition.
    """
    from kubewright.crd.declaration import declaration_of  # noqa: PLC0415 - for few tests
    from kubewright.models.apiextensions_v1 import (  # noqa: PLC0415 - as above
        CustomResourceConversion,
        CustomResourceDefinition,
    )

    definitions = client.api(CustomResourceDefinition)
    for kind in kinds:
        options: dict[str, Any] = {}
        if declaration_of(kind).has_conversions:
            options["conversion"] = (
                CustomResourceConversion(strategy="None") if webhooks is None else webhooks.conversion()
            )
        made = await definitions.create(kind.crd(**options))
        await definitions.wait_for(made.metadata.name, "Established", timeout=_SERVED_WITHIN)
