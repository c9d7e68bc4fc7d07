"""CA bundles put where API servers look for them: webhook configurations and definitions with conversions."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from msgspec import structs

from kubewright.controllers.rbac import Permission
from kubewright.machinery.errors import ApiError, Conflict, NotFound, TransportError

if TYPE_CHECKING:
    from kubewright.client.client import Client

__all__ = ["Injection", "inject"]

_ATTEMPTS: Final = 5
"""How often an object is written that others keep changing; the next check tries again anyway."""

_CONFIGURATIONS: Final = ("mutatingwebhookconfigurations", "validatingwebhookconfigurations")

_log: Final = logging.getLogger("kubewright.webhooks")


@dataclass(frozen=True, kw_only=True)
class Injection:
    """Which objects get the CA bundle of a webhook server, in all their client configurations.

    `configurations` are names of webhook configurations, `mutating` and `validating` those of one kind alone,
    `definitions` those of CustomResourceDefinitions with a conversion webhook, and `labels` selects objects
    of all three kinds.
    An object that is not there gets it when it comes. The operator may get and update them, and list them
    for `labels`, as `permissions` says.
    """

    configurations: Sequence[str] = ()
    mutating: Sequence[str] = ()
    validating: Sequence[str] = ()
    definitions: Sequence[str] = ()
    labels: str = ""

    def __post_init__(self) -> None:
        for option in ("configurations", "mutating", "validating", "definitions"):
            given = getattr(self, option)
            if isinstance(given, str):
                raise TypeError(f"{option}={given!r} is one text; write {option}=[{given!r}]")

    def permissions(self) -> list[Permission]:
        """The rights that it takes; those for `labels` are for all objects, since which is not known."""
        mutating, validating = _CONFIGURATIONS
        found: list[Permission] = []
        for group, resource, names in (
            ("admissionregistration.k8s.io", mutating, (*self.configurations, *self.mutating)),
            ("admissionregistration.k8s.io", validating, (*self.configurations, *self.validating)),
            ("apiextensions.k8s.io", "customresourcedefinitions", tuple(self.definitions)),
        ):
            allowed = Permission(groups=(group,), resources=(resource,), names=names, verbs=("get", "update"))
            if names:
                found.append(allowed)
            if self.labels:
                found.append(structs.replace(allowed, names=(), verbs=("get", "list", "update")))
        return found


async def inject(
    client: Client, targets: Injection, bundle: bytes, current: Callable[[], Awaitable[bytes]]
) -> bool:
    """Put a bundle into all targets that have another one; whether all have it now.

    `current` reads the bundle anew: it is asked after an object was read and before it is written, so that no
    replica puts an older bundle over a newer one. Failures are logged.
    """
    done = True
    try:
        async for kind, name in _found(client, targets):
            done = await _inject_one(client, kind, name, bundle, current) and done
    except (ApiError, TransportError) as error:
        _log.warning("the CA bundle of the webhooks could not be injected: %s", error)
        return False
    return done


async def _found(client: Client, targets: Injection) -> AsyncIterator[tuple[type[Any], str]]:
    from kubewright.models.admissionregistration_v1 import (  # noqa: PLC0415 - large, and seldom used
        MutatingWebhookConfiguration,
        ValidatingWebhookConfiguration,
    )
    from kubewright.models.apiextensions_v1 import CustomResourceDefinition  # noqa: PLC0415 - as above

    configurations = (MutatingWebhookConfiguration, ValidatingWebhookConfiguration)
    named: list[tuple[type[Any], str]] = [
        (kind, name) for name in targets.configurations for kind in configurations
    ]
    named += [(MutatingWebhookConfiguration, name) for name in targets.mutating]
    named += [(ValidatingWebhookConfiguration, name) for name in targets.validating]
    named += [(CustomResourceDefinition, name) for name in targets.definitions]
    for each in named:
        yield each
    if targets.labels:
        for kind in (*configurations, CustomResourceDefinition):
            async for found in client.api(kind).metadata().list(labels=targets.labels):
                if (kind, found.metadata.name) not in named:
                    yield kind, found.metadata.name


async def _inject_one(
    client: Client, kind: type[Any], name: str, bundle: bytes, current: Callable[[], Awaitable[bytes]]
) -> bool:
    api = client.api(kind)
    for _ in range(_ATTEMPTS):
        try:
            present = await api.get(name)
            configs = _client_configs(present)
            if all(each.ca_bundle == bundle for each in configs):
                return True
            bundle = await current()
            if all(each.ca_bundle == bundle for each in configs):
                return True
            for each in configs:
                each.ca_bundle = bundle
            await api.update(present)
        except NotFound:
            return True
        except Conflict:
            continue
        _log.info("the CA bundle was injected into %s %s", kind.__name__, name)
        return True
    _log.warning("%s %s keeps changing; the CA bundle is injected later", kind.__name__, name)
    return False


def _client_configs(obj: Any) -> list[Any]:
    """The client configurations of an object."""
    if hasattr(obj, "webhooks"):
        return [each.client_config for each in obj.webhooks]
    conversion = obj.spec.conversion
    webhook = conversion.webhook if conversion is not None else None
    config = webhook.client_config if webhook is not None else None
    return [config] if config is not None else []
