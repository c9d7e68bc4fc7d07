"""The webhook configurations of a server, followed from its storage, and the plugins that ask them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Final

from kubewright.server.admission.attributes import NOTHING, Attributes
from kubewright.server.registry.registry import Registry
from kubewright.server.storage import SlowWatcher, Watch

if TYPE_CHECKING:
    from kubewright.server.admission.webhooks.calls import Caller
    from kubewright.server.admission.webhooks.webhook import Webhook
    from kubewright.server.authorization import Authorizer

__all__ = ["AdmissionWebhooks", "Configurations", "MutatingWebhooks", "ValidatingWebhooks"]

_GROUP: Final = "admissionregistration.k8s.io"

EXEMPT: Final = frozenset(
    {
        "validatingwebhookconfigurations",
        "mutatingwebhookconfigurations",
        "validatingadmissionpolicies",
        "validatingadmissionpolicybindings",
        "mutatingadmissionpolicies",
        "mutatingadmissionpolicybindings",
    }
)
"""Resources that no webhook is asked about, so that nobody can lock himself out; upstream's list."""


def is_exempt(attributes: Attributes) -> bool:
    """Whether a write is about the configuration of admission itself."""
    served = attributes.type.served
    return served.group == _GROUP and served.resource in EXEMPT


class Configurations:
    """The webhooks of all configurations of one kind, in the order in which they are asked.

    A configuration counts for every write after its own: what was written meanwhile is looked at when
    `webhooks` is asked for.
    """

    def __init__(self, registry: Registry, resource: str) -> None:
        store = registry.find(_GROUP, "v1", resource)
        assert store is not None  # noqa: S101 - built in
        self._store: Final = store
        self._by_name: Final[dict[str, Sequence[Webhook]]] = {}
        self._webhooks: Sequence[Webhook] = ()
        self._watch = self._load()

    def webhooks(self) -> Sequence[Webhook]:
        """All webhooks, by the names of their configurations and then in the order of each."""
        try:
            events = self._watch.take()
        except SlowWatcher:
            # So many at once are rare; what they came to is all that counts.
            self._watch = self._load()
            return self._webhooks
        if events:
            for event in events:
                if event.type == "DELETED":
                    self._by_name.pop(event.key.rpartition("/")[2], None)
                else:
                    self._take(event.value)
            self._order()
        return self._webhooks

    def close(self) -> None:
        """Follow the configurations no more."""
        self._watch.close()

    def _load(self) -> Watch:
        storage, prefix = self._store.storage, self._store.type.prefix
        page = storage.list(prefix)
        self._by_name.clear()
        for entry in page.entries:
            self._take(entry.value)
        self._order()
        return storage.watch(prefix, after_revision=page.revision)

    def _take(self, value: bytes) -> None:
        from kubewright.server.admission.webhooks.webhook import prepare  # noqa: PLC0415 - with the first one

        configuration = self._store.type.decode(value)
        self._by_name[configuration["metadata"]["name"]] = prepare(configuration)

    def _order(self) -> None:
        self._webhooks = tuple(hook for name in sorted(self._by_name) for hook in self._by_name[name])


class AdmissionWebhooks:
    """Both plugins, and what they share. Close it with `close`."""

    def __init__(self, registry: Registry, authorizer: Authorizer) -> None:
        """`authorizer` answers the questions of match conditions."""
        self._registry: Final = registry
        self._authorizer: Final = authorizer
        self._made: Caller | None = None
        self._mutating: Final = Configurations(registry, "mutatingwebhookconfigurations")
        self._validating: Final = Configurations(registry, "validatingwebhookconfigurations")
        self.mutating: Final = MutatingWebhooks(self._mutating, self._caller)
        self.validating: Final = ValidatingWebhooks(self._validating, self._caller)

    async def close(self) -> None:
        """Close the connections to webhooks, and follow the configurations no more."""
        self._mutating.close()
        self._validating.close()
        if self._made is not None:
            await self._made.close()

    def _caller(self) -> Caller:
        if self._made is None:
            # Reviews, patches and selectors: a server whose writes nobody wants to see needs none of them.
            from kubewright.server.admission.webhooks.calls import Caller  # noqa: PLC0415

            self._made = Caller(self._registry, self._authorizer)
        return self._made


class MutatingWebhooks:
    """The plugin that asks webhooks which may change objects, one after the other."""

    def __init__(self, configurations: Configurations, caller: Callable[[], Caller]) -> None:
        self._configurations: Final = configurations
        self._caller: Final = caller

    def admit(self, attributes: Attributes) -> Awaitable[None]:
        """Raises what a webhook refuses with, or InternalError when one fails."""
        webhooks = self._configurations.webhooks()
        if not webhooks or is_exempt(attributes):
            return NOTHING
        from kubewright.server.admission.webhooks.mutating import dispatch  # noqa: PLC0415 - see _caller

        return dispatch(self._caller(), webhooks, attributes)

    def validate(self, attributes: Attributes) -> Awaitable[None]:
        """These webhooks are asked in `admit`."""
        return NOTHING


class ValidatingWebhooks:
    """The plugin that asks webhooks which only judge, all at once."""

    def __init__(self, configurations: Configurations, caller: Callable[[], Caller]) -> None:
        self._configurations: Final = configurations
        self._caller: Final = caller

    def admit(self, attributes: Attributes) -> Awaitable[None]:
        """These webhooks are asked in `validate`."""
        return NOTHING

    def validate(self, attributes: Attributes) -> Awaitable[None]:
        """Raises what a webhook refuses with, or InternalError when one fails."""
        webhooks = self._configurations.webhooks()
        if not webhooks or is_exempt(attributes):
            return NOTHING
        from kubewright.server.admission.webhooks.validating import dispatch  # noqa: PLC0415 - see _caller

        return dispatch(self._caller(), webhooks, attributes)
