"""The parameters of a policy: the objects that a binding names or selects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kubewright.machinery.errors import ParseError
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.machinery.label_selectors import Selector
from kubewright.server.admission.policies.policy import Binding, Policy
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.store import Store
from kubewright.server.registry.stored import read_meta
from kubewright.server.storage import Entry

__all__ = ["ConfigurationError", "Params"]

_MAX_KEPT: Final = 256
"""How many parameters are kept decoded; what is read anew has changed, or stands beside many others."""


class ConfigurationError(Exception):
    """A policy or binding that cannot be followed; the text is upstream's."""


class Params:
    """Finds parameters, and keeps those that were read last: each write reads them."""

    def __init__(self, registry: Registry) -> None:
        self._registry: Final = registry
        self._stores: dict[GroupVersionKind, Store | None] = {}
        self._stores_at = -1
        self._kept: Final[dict[tuple[str, str], tuple[int, Object]]] = {}

    def store(self, policy: Policy) -> Store | None:
        """Where the parameters of a policy are; None if it has none. Raises ConfigurationError."""
        kind = policy.param_kind
        if kind is None:
            return None
        if self._stores_at != self._registry.generation:
            self._stores.clear()
            self._stores_at = self._registry.generation
        if kind not in self._stores:
            self._stores[kind] = self._find(kind)
        found = self._stores[kind]
        if found is None:
            shown = f"{kind.group}/{kind.version}, Kind={kind.kind}"
            raise ConfigurationError(f"failed to find resource referenced by paramKind: '{shown}'")
        return found

    async def collect(self, store: Store | None, binding: Binding, namespace: str) -> Sequence[Object | None]:
        """The parameters of a binding, with each of which its policy is judged; None stands for no parameter.

        `namespace` is that of the write. Raises ConfigurationError.
        """
        reference = binding.param_ref
        if store is None or reference is None:
            return (None,)
        where = self._namespace(store, reference, namespace)
        name = reference.get("name")
        try:
            selector = binding.param_selector
        except ParseError as error:
            raise ConfigurationError(str(error)) from None
        if name:
            if selector is not None:
                raise ConfigurationError("paramRef.name and paramRef.selector are mutually exclusive")
            entry = store.storage.get(store.key(where, name))
            entries = [] if entry is None else [entry]
        elif selector is not None:
            entries = _selected(store, where, selector)
        else:
            raise ConfigurationError("one of name or selector must be provided")
        if not entries and reference.get("parameterNotFoundAction") == "Deny":
            raise ConfigurationError("no params found for policy binding with `Deny` parameterNotFoundAction")
        return [await self._read(store, entry) for entry in entries]

    @staticmethod
    def _namespace(store: Store, reference: Object, namespace: str) -> str:
        given: str = reference.get("namespace") or ""
        if not store.type.served.namespaced:
            if given:
                why = "paramRef.namespace must not be provided for a cluster-scoped `paramKind`"
                raise ConfigurationError(why)
            return ""
        if not given and not namespace:
            why = "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
            raise ConfigurationError(why)
        return given or namespace

    def _find(self, kind: GroupVersionKind) -> Store | None:
        for served in self._registry.served:
            if served.gvk == kind:
                return self._registry.find(served.group, served.version, served.resource)
        return None

    async def _read(self, store: Store, entry: Entry) -> Object:
        place = (store.type.api_version, entry.key)
        kept = self._kept.get(place)
        if kept is not None and kept[0] == entry.revision:
            return kept[1]
        obj = await store.load(entry.value)
        if len(self._kept) >= _MAX_KEPT:
            self._kept.clear()
        self._kept[place] = (entry.revision, obj)
        return obj


def _selected(store: Store, namespace: str, selector: Selector) -> list[Entry]:
    page = store.storage.list(store.root(namespace))
    return [entry for entry in page.entries if selector.matches(read_meta(entry.value).labels or {})]
