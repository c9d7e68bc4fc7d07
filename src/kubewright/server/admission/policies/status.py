"""Writing what type checking finds into the status of ValidatingAdmissionPolicies.

In a cluster that is done by kube-controller-manager's validatingadmissionpolicy-status controller.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Final

import msgspec

from kubewright.machinery.errors import ApiError
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.server.errors import not_found
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.write import User, Write
from kubewright.server.storage import SlowWatcher, StorageError

__all__ = ["PolicyStatus"]

_GROUP: Final = "admissionregistration.k8s.io"
_API_VERSION: Final = f"{_GROUP}/v1"
_KIND: Final = "ValidatingAdmissionPolicy"
_MANAGER: Final = "validatingadmissionpolicy-status"
"""The name of upstream's controller, under which it applies."""

_USER: Final = User(
    f"system:serviceaccount:kube-system:{_MANAGER}-controller",
    groups=("system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"),
)

_log: Final = logging.getLogger("kubewright.server")


class PolicyStatus:
    """Follows the policies and keeps their status."""

    def __init__(self, registry: Registry, document: Callable[[str], bytes | None]) -> None:
        """`document` gives the OpenAPI document of a group and version, such as `apis/apps/v1`."""
        store = registry.find(_GROUP, "v1", "validatingadmissionpolicies")
        assert store is not None  # noqa: S101 - built in
        self._registry: Final = registry
        self._store: Final = store
        self._document: Final = document

    async def run(self) -> None:
        """Follow until cancelled."""
        storage, prefix = self._store.storage, self._store.type.prefix
        while True:
            page = storage.list(prefix)
            for entry in page.entries:
                await self._reconcile(entry.value)
            try:
                with storage.watch(prefix, after_revision=page.revision) as events:
                    async for batch in events:
                        for event in batch:
                            if event.type != "DELETED":
                                await self._reconcile(event.value)
            except SlowWatcher:
                continue
            else:
                return

    async def _reconcile(self, value: bytes) -> None:
        policy = self._store.type.decode(value)
        metadata, status = policy["metadata"], policy.get("status") or {}
        generation = metadata.get("generation") or 0
        if generation <= (status.get("observedGeneration") or 0):
            return
        # CEL is large, and is imported when there is a policy.
        from kubewright.crd.cel.engine import CelUnavailableError  # noqa: PLC0415
        from kubewright.server.admission.policies.type_checking import expression_warnings  # noqa: PLC0415

        try:
            warnings = expression_warnings(policy, self._registry.served, self._schema)
            await self._apply(metadata["name"], generation, warnings)
        except CelUnavailableError:
            # Whoever writes what the policy is for is told so.
            return
        except (ApiError, StorageError) as error:
            # It is gone, or the next change tries again.
            _log.debug("the status of policy %s is not written: %s", metadata["name"], error)

    def _schema(self, kind: GroupVersionKind, words: frozenset[str]) -> Object | None:
        from kubewright.server.admission.policies.type_checking import resolved_schema  # noqa: PLC0415

        name = f"apis/{kind.group}/{kind.version}" if kind.group else f"api/{kind.version}"
        body = self._document(name)
        return None if body is None else resolved_schema(msgspec.json.decode(body), kind, words)

    async def _apply(self, name: str, generation: int, warnings: list[Object]) -> None:
        resource = self._store.type
        manager = resource.manager("status")
        now = datetime.now(UTC)
        checked = {"expressionWarnings": warnings} if warnings else {}
        wanted = {
            "apiVersion": _API_VERSION,
            "kind": _KIND,
            "metadata": {"name": name},
            "status": {"observedGeneration": generation, "typeChecking": checked},
        }

        async def change(live: Object | None) -> Object:
            if live is None:
                raise not_found(resource.group_resource, name)
            merged = await resource.managed(
                partial(manager.apply, live, wanted, manager=_MANAGER, now=now, force=True), live
            )
            obj = resource.read_applied(merged, strict=False).obj
            return {**obj, "apiVersion": _API_VERSION, "kind": _KIND}

        write = Write(
            user=_USER, now=now, namespace="", manager=_MANAGER, path_name=name, subresource="status"
        )
        # Updates import what plugins are.
        from kubewright.server.registry.update import update  # noqa: PLC0415

        await update(self._store, name, change, write)
