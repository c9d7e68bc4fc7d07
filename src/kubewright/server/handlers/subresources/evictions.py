"""`pods/eviction`: deletes a pod, if its disruption budget allows it."""

from __future__ import annotations

from kubewright.machinery.errors import ApiError, Conflict
from kubewright.machinery.status import Status
from kubewright.server.admission.unstored import admit_unstored, validate_unstored
from kubewright.server.errors import conflict, method_not_allowed
from kubewright.server.handlers.bodies import read_kind
from kubewright.server.handlers.call import Answer, Call
from kubewright.server.handlers.options import WriteOptions, write_of, write_options
from kubewright.server.handlers.respond import status_answer
from kubewright.server.handlers.subresources.pods import set_condition, store_of
from kubewright.server.kinds.kind import Object
from kubewright.server.kinds.policy.eviction import (
    EvictionPlan,
    disruption_condition,
    eviction_options,
    matching_budgets,
    plan_eviction,
    still_processed,
)
from kubewright.server.registry.delete import DeleteRequest, delete
from kubewright.server.registry.metadata import match_namespace
from kubewright.server.registry.modify import modify
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.store import Store
from kubewright.server.registry.write import Write

__all__ = ["evict"]


async def evict(call: Call, registry: Registry, store: Store) -> Answer:
    """`pods/eviction`: deletes a pod, if its disruption budget allows it."""
    if call.info.verb != "create":
        raise method_not_allowed()
    options = write_options(call, "CreateOptions")
    eviction = await read_kind(_as_v1(call), "policy/v1", "Eviction", options.validation)
    name, namespace = call.info.name, call.info.namespace
    asked = write_of(call, options, namespace=namespace, subresource=call.info.subresource)
    match_namespace(eviction.setdefault("metadata", {}), namespace)
    eviction = await admit_unstored(store, name, eviction, asked)
    wanted = eviction_options(name, eviction, ["All"] if options.dry_run else [])
    await validate_unstored(store, name, eviction, asked)
    while True:
        pod = await store.load(store.get(namespace, name).value)
        budgets = matching_budgets(pod, await _budgets(registry, namespace))
        plan = plan_eviction(pod, budgets, wanted, call.now)
        dry_run = bool(plan.delete_options.get("dryRun"))
        write = write_of(call, WriteOptions(dry_run=dry_run), namespace=namespace)
        if plan.budget is not None and not await _counted(registry, namespace, plan):
            continue
        try:
            await _delete(store, name, plan, write)
        except Conflict:
            if plan.retry_conflicts:
                continue
            if plan.deny_conflicts:
                raise still_processed(plan.budget_name) from None
            raise
        return status_answer(call, Status(status="Success", code=201))


def _as_v1(call: Call) -> Call:
    """Evictions of policy/v1beta1 are taken as those of v1, as upstream takes them."""
    body = (
        call.body.replace(b'"policy/v1beta1"', b'"policy/v1"') if b'"policy/v1beta1"' in call.body else None
    )
    if body is None:
        return call
    return Call(
        method=call.method,
        info=call.info,
        query=call.query,
        headers=call.headers,
        body=body,
        user=call.user,
        now=call.now,
    )


async def _budgets(registry: Registry, namespace: str) -> list[Object]:
    store = store_of(registry, "policy", "v1", "poddisruptionbudgets")
    page = store.storage.list(store.root(namespace))
    return [await store.load(entry.value) for entry in page.entries]


async def _counted(registry: Registry, namespace: str, plan: EvictionPlan) -> bool:
    """Write the budget of a plan; False when it has changed meanwhile."""
    store = store_of(registry, "policy", "v1", "poddisruptionbudgets")
    budget = plan.budget
    assert budget is not None  # noqa: S101 - the caller looked

    def count(current: Object) -> None:
        if current["metadata"]["resourceVersion"] != budget["metadata"]["resourceVersion"]:
            raise conflict(store.type.group_resource, plan.budget_name)
        current["status"] = budget["status"]

    try:
        await modify(store, namespace, plan.budget_name, count)
    except ApiError:
        return False
    return True


async def _delete(store: Store, name: str, plan: EvictionPlan, write: Write) -> None:
    options = plan.delete_options
    preconditions = options.get("preconditions") or {}
    if not write.dry_run:

        def mark(pod: Object) -> None:
            wanted = preconditions.get("resourceVersion")
            if wanted and wanted != pod["metadata"].get("resourceVersion"):
                raise conflict(store.type.group_resource, name)
            set_condition(pod, {"lastProbeTime": None, **disruption_condition(write.now)})

        await modify(store, write.namespace, name, mark)
    request = DeleteRequest(
        grace_period_seconds=options.get("gracePeriodSeconds"),
        uid=preconditions.get("uid"),
        orphan_dependents=options.get("orphanDependents"),
        propagation_policy=options.get("propagationPolicy") or "",
    )
    await delete(store, name, request, write, admission=False)
