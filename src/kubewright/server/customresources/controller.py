"""What definitions of custom resources bring about: names, conditions, types in the registry, clean-up."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime
from typing import Final

from kubewright.machinery.errors import ApiError, NotFound
from kubewright.server.customresources.conditions import (
    CLEANUP_FINALIZER,
    api_approval_condition,
    deletion_failed_condition,
    established_condition,
    find_condition,
    is_condition_true,
    is_equivalent,
    non_structural_schema_condition,
    remove_condition,
    set_condition,
    terminating_condition,
)
from kubewright.server.customresources.conversion import Converter
from kubewright.server.customresources.custom_type import CustomType
from kubewright.server.customresources.naming import accept_names
from kubewright.server.customresources.version_schemas import VersionSchemas
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.delete import DeleteRequest, delete
from kubewright.server.registry.modify import modify
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.resource import custom_resources
from kubewright.server.registry.store import Store
from kubewright.server.registry.stored import read_meta
from kubewright.server.registry.write import User, Write
from kubewright.server.storage import Event, KeyMissing, Page, RevisionMismatch, StorageError
from kubewright.server.webhook_client import WebhookClient
from kubewright.server.webhook_services import StoredServices

__all__ = ["DefinitionController"]

_FINALIZER: Final = User(name="system:apiserver", groups=("system:masters",))
_RETRY: Final = 1.0
"""Seconds after which a clean-up that waits for finalizers looks again."""

_log: Final = logging.getLogger("kubewright.server")


class DefinitionController:
    """Keeps the registry in step with the definitions that it is told of. Close it with `close`."""

    def __init__(self, registry: Registry, store: Store) -> None:
        self._registry: Final = registry
        self._store: Final = store
        self._webhooks: Final = WebhookClient(StoredServices(registry.storage))
        self._known: Final[dict[str, Object]] = {}
        self._cleaning: Final[dict[str, asyncio.Task[None]]] = {}
        self._changed_at: Final[dict[str, int]] = {}

    @property
    def objects(self) -> list[Object]:
        """The definitions, as they are stored."""
        return list(self._known.values())

    def load(self, page: Page) -> None:
        """Serve what is stored."""
        for entry in page.entries:
            crd = self._store.type.decode(entry.value)
            self._known[crd["metadata"]["name"]] = crd
            # Nobody knows any more which objects are older than the schema: all there are may be.
            self._changed_at[crd["metadata"]["name"]] = page.revision + 1
        for crd in self.objects:
            self._serve(crd)

    async def reconcile(self) -> None:
        """Bring the status of all that was loaded to where it should be."""
        for crd in self.objects:
            await self._reconcile(crd["metadata"]["name"])

    async def stop(self) -> None:
        """End what runs beside."""
        for task in self._cleaning.values():
            task.cancel()
        await asyncio.gather(*self._cleaning.values(), return_exceptions=True)

    async def close(self) -> None:
        """Close the connections to conversion webhooks."""
        await self._webhooks.close()

    async def follow(self, event: Event) -> None:
        """Do what a definition that came, changed or went asks for; what fails is in the log."""
        try:
            await self._changed(event)
        except (ApiError, StorageError) as error:
            _log.warning("%s cannot be brought up to date: %s", event.key, error)
        except Exception:
            # One definition that cannot be served must not keep the others from being served.
            _log.exception("%s cannot be brought up to date", event.key)

    async def _changed(self, event: Event) -> None:
        crd = self._store.type.decode(event.value)
        name = crd["metadata"]["name"]
        if event.type == "DELETED":
            self._known.pop(name, None)
            self._changed_at.pop(name, None)
            self._registry.withdraw(crd["spec"]["group"], crd["spec"]["names"]["plural"])
            for other in self.objects:
                if other["spec"]["group"] == crd["spec"]["group"]:
                    # A name may be free now that others wait for.
                    await self._reconcile(other["metadata"]["name"])
            return
        before = self._known.get(name)
        self._known[name] = crd
        if before is None or before.get("spec") != crd.get("spec") or _state(before) != _state(crd):
            if before is not None and before.get("spec") != crd.get("spec"):
                self._changed_at[name] = self._store.storage.revision + 1
            self._serve(crd)
        await self._reconcile(name)

    def _serve(self, crd: Object) -> None:
        """Put the served versions of a definition into the registry, and take out all others."""
        spec = crd["spec"]
        changed_at = self._changed_at.get(crd["metadata"]["name"], 0)
        converter, schemas = self._converter(crd), VersionSchemas(crd)
        served = custom_resources(crd)
        for each in served:
            self._registry.serve(
                CustomType(each, crd, changed_at=changed_at, converter=converter, schemas=schemas)
            )
        self._registry.withdraw(
            spec["group"], spec["names"]["plural"], keep_versions=[each.version for each in served]
        )

    def _converter(self, crd: Object) -> Converter | None:
        conversion = crd["spec"].get("conversion") or {}
        if conversion.get("strategy") != "Webhook":
            return None
        return Converter(self._webhooks, conversion.get("webhook") or {}, crd["spec"]["names"]["kind"])

    async def _reconcile(self, name: str) -> None:
        """Bring a definition's status, and what follows from it, to where it should be."""
        crd = self._known.get(name)
        if crd is None:
            return
        if crd["metadata"].get("deletionTimestamp"):
            self._clean_up(name)
            return
        try:
            await modify(self._store, "", name, self._judge)
        except NotFound:
            return

    def _judge(self, crd: Object) -> None:
        """Write the conditions of a definition."""
        now = datetime.now(UTC)
        others = [other for other in self.objects if other["metadata"]["name"] != crd["metadata"]["name"]]
        group = crd["spec"]["group"]
        builtin = [each for each in self._registry.served if each.group == group and not each.custom]
        naming = accept_names(
            crd,
            others,
            resources={
                name for each in builtin for name in (each.resource, each.singular, *each.short_names)
            },
            kinds={name for each in builtin for name in (each.kind, each.list_kind)},
        )
        if naming.changes(crd):
            crd.setdefault("status", {})["acceptedNames"] = naming.accepted_names
            set_condition(crd, naming.names_accepted, now)
            set_condition(crd, naming.established, now)
        established = established_condition(crd)
        if established is not None:
            set_condition(crd, established, now)
        for kind, wanted in (
            ("NonStructuralSchema", non_structural_schema_condition(crd)),
            ("KubernetesAPIApprovalPolicyConformant", api_approval_condition(crd)),
        ):
            if wanted is not None:
                if not is_equivalent(wanted, find_condition(crd, kind)):
                    set_condition(crd, wanted, now)
            elif find_condition(crd, kind) is not None:
                remove_condition(crd, kind)

    def _clean_up(self, name: str) -> None:
        task = self._cleaning.get(name)
        if task is None or task.done():
            self._cleaning[name] = asyncio.create_task(self._cleaned_up(name))

    async def _cleaned_up(self, name: str) -> None:
        """Delete all custom resources of a definition, then let go of it."""
        try:
            await modify(self._store, "", name, _mark_terminating)
            crd = self._known[name]
            condition = terminating_condition("NeverEstablished")
            if is_condition_true(crd, "Established"):
                await self._delete_instances(crd)
                condition = terminating_condition("InstanceDeletionCompleted")
            await self._let_go(name, condition)
        except (NotFound, KeyError):
            return
        except ApiError as error:
            _log.warning("the custom resources of %s cannot be deleted: %s", name, error)
            condition = deletion_failed_condition(str(error))
            await modify(self._store, "", name, lambda obj: set_condition(obj, condition, datetime.now(UTC)))

    async def _delete_instances(self, crd: Object) -> None:
        store = self._instances(crd)
        if store is None:
            return
        while True:
            entries = store.storage.list(store.type.prefix).entries
            if not entries:
                return
            for entry in entries:
                meta = read_meta(entry.value)
                if meta.deletion_timestamp:
                    continue
                write = Write(user=_FINALIZER, now=datetime.now(UTC), namespace=meta.namespace)
                try:
                    await delete(store, meta.name, DeleteRequest(), write, admission=False)
                except NotFound:
                    continue
            if store.storage.list(store.type.prefix, limit=1).entries:
                await asyncio.sleep(_RETRY)

    def _instances(self, crd: Object) -> Store | None:
        # What is stored in the stored version needs no webhook, which may be gone already.
        for version in sorted(crd["spec"]["versions"], key=lambda each: not each.get("storage")):
            found = self._registry.find(
                crd["spec"]["group"], version["name"], crd["status"]["acceptedNames"]["plural"]
            )
            if found is not None:
                return found
        return None

    async def _let_go(self, name: str, condition: Object) -> None:
        """Remove the finalizer, or, if it is the last one, the definition.

        As upstream, where an update without finalizers deletes what is stored, so that watchers see DELETED
        with the finalizer and no MODIFIED before it.
        """
        store = self._store
        while True:
            entry = store.get("", name)
            crd = store.type.decode(entry.value)
            if set(crd["metadata"].get("finalizers") or ()) - {CLEANUP_FINALIZER}:
                break
            try:
                await store.storage.delete(
                    entry.key, store.type.encode(crd), expected_revision=entry.revision
                )
            except (RevisionMismatch, KeyMissing):
                continue
            return

        def change(crd: Object) -> None:
            set_condition(crd, condition, datetime.now(UTC))
            finalizers = crd["metadata"].get("finalizers") or []
            crd["metadata"]["finalizers"] = [each for each in finalizers if each != CLEANUP_FINALIZER]

        await modify(store, "", name, change)


def _state(crd: Object) -> tuple[object, ...]:
    """What of a definition's status decides how it is served."""
    status = crd.get("status") or {}
    return (
        is_condition_true(crd, "Established"),
        is_condition_true(crd, "Terminating"),
        status.get("acceptedNames"),
    )


def _mark_terminating(crd: Object) -> None:
    set_condition(crd, terminating_condition("InstanceDeletionInProgress"), datetime.now(UTC))
