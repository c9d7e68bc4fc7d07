"""What is done to pods: bound to nodes, evicted, and reached through the kubelets that are not there."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.errors import ApiError, Conflict
from kubewright.machinery.field_errors import aggregate
from kubewright.machinery.field_errors import invalid as invalid_field
from kubewright.machinery.gvk import GroupKind, GroupResource
from kubewright.machinery.label_selectors import parse_int64
from kubewright.machinery.status import Status
from kubewright.machinery.time import format_time
from kubewright.server.errors import (
    bad_request,
    conflict,
    invalid,
    method_not_allowed,
    not_found,
    refusal,
    service_unavailable,
)
from kubewright.server.handlers.bodies import read_kind
from kubewright.server.handlers.call import TEXT, Answer, Call, Reply
from kubewright.server.handlers.options import WriteOptions, write_of, write_options
from kubewright.server.handlers.respond import status_answer
from kubewright.server.kinds import kind_of
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
from kubewright.server.registry.modify import modify
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.resource_type import REGISTRY_ROOT
from kubewright.server.registry.store import Store
from kubewright.server.registry.write import Write

__all__ = ["bind", "connect", "evict"]

_BINDING: Final = GroupResource("", "pods/binding")


async def bind(call: Call, registry: Registry, store: Store) -> Answer:
    """`pods/binding`, and the older `bindings`: gives a pod its node."""
    if call.info.verb != "create":
        raise method_not_allowed()
    options = write_options(call, "CreateOptions")
    binding = read_kind(call, "v1", "Binding", options.validation)
    metadata = binding.get("metadata") or {}
    name = call.info.name or metadata.get("name", "")
    if not name:
        raise bad_request("name must be provided")
    if metadata.get("name") != name:
        raise bad_request("name in URL does not match name in Binding object")
    if errors := kind_of("", "bindings").validate(binding):
        raise refusal(500, "", aggregate(errors))
    pods = _store(registry, "", "v1", "pods")

    def assign(pod: Object) -> None:
        _assign(pod, binding, call)

    await modify(pods, call.info.namespace, name, assign, dry_run=options.dry_run)
    return status_answer(call, Status(status="Success", code=201))


async def evict(call: Call, registry: Registry, store: Store) -> Answer:
    """`pods/eviction`: deletes a pod, if its disruption budget allows it."""
    if call.info.verb != "create":
        raise method_not_allowed()
    options = write_options(call, "CreateOptions")
    eviction = read_kind(_as_v1(call), "policy/v1", "Eviction", options.validation)
    name, namespace = call.info.name, call.info.namespace
    wanted = eviction_options(name, eviction, ["All"] if options.dry_run else [])
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


async def connect(call: Call, registry: Registry, store: Store) -> Reply:
    """log, exec, attach, portforward and proxy: no kubelet and no pod network is behind this server."""
    entry = store.get(call.info.namespace, call.info.name)
    if store.type.served.kind == "Pod":
        pod = await store.load(entry.value)
        if call.info.subresource == "log":
            _check_log_options(call)
            _check_container(pod, call.query.get("container", ""))
        node = (pod.get("spec") or {}).get("nodeName", "")
        if not node and call.info.subresource == "log":
            return Answer(b"", 204, TEXT)
        if not node:
            raise bad_request(f"pod {call.info.name} does not have a host assigned")
        if store.storage.get(f"{REGISTRY_ROOT}nodes/{node}") is None:
            # Upstream says pods where it means nodes.
            raise not_found(store.type.group_resource, node)
    what = f"{store.type.served.kind.lower()} {call.info.name}"
    raise service_unavailable(f"{what} cannot be reached: this server has no kubelets and no pod network")


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


def _check_log_options(call: Call) -> None:
    """Raises Invalid for numbers that are too small."""
    for name, least in (("tailLines", 0), ("sinceSeconds", 1), ("limitBytes", 1)):
        given = parse_int64(call.query.get(name, "1"))
        if given is not None and given < least:
            detail = f"must be greater than {'or equal to 0' if not least else '0'}"
            where = GroupKind("", "PodLogOptions")
            raise invalid(where, call.info.name, [invalid_field(name, given, detail)])


def _check_container(pod: Object, wanted: str) -> None:
    """Raises BadRequest for the log of a container that is not named or not there."""
    spec, name = pod.get("spec") or {}, pod["metadata"]["name"]
    groups = ("containers", "initContainers", "ephemeralContainers")
    names = {group: [each["name"] for each in spec.get(group) or ()] for group in groups}
    if wanted:
        if not any(wanted in each for each in names.values()):
            raise bad_request(f"container {wanted} is not valid for pod {name}")
        return
    if len(names["containers"]) == 1:
        return
    choices = " ".join(names["containers"])
    text = f"a container name must be specified for pod {name}, choose one of: [{choices}]"
    if names["initContainers"]:
        text += f" or one of the init containers: [{' '.join(names['initContainers'])}]"
    raise bad_request(text)


def _assign(pod: Object, binding: Object, call: Call) -> None:
    name, metadata, spec = pod["metadata"]["name"], pod["metadata"], pod["spec"]
    given = binding.get("metadata") or {}
    for field, shown in (("uid", "UID"), ("resourceVersion", "ResourceVersion")):
        if given.get(field) and given[field] != metadata.get(field):
            raise conflict(
                GroupResource("", "pods"),
                name,
                "StorageError: invalid object, Code: 4, Key: "
                f"/registry/pods/{metadata.get('namespace', '')}/{name}, ResourceVersion: 0, "
                f"AdditionalErrorMsg: Precondition failed: {shown} in precondition: {given[field]}, {shown} "
                f"in object meta: {metadata.get(field, '')}",
            )
    if metadata.get("deletionTimestamp"):
        raise conflict(_BINDING, name, f"pod {name} is being deleted, cannot be assigned to a host")
    if spec.get("nodeName"):
        raise conflict(_BINDING, name, f'pod {name} is already assigned to node "{spec["nodeName"]}"')
    if spec.get("schedulingGates"):
        raise conflict(_BINDING, name, f"pod {name} has non-empty .spec.schedulingGates")
    spec["nodeName"] = binding["target"]["name"]
    if given.get("annotations"):
        metadata["annotations"] = {**(metadata.get("annotations") or {}), **given["annotations"]}
    if given.get("labels"):
        metadata["labels"] = {**(metadata.get("labels") or {}), **given["labels"]}
    condition = {"type": "PodScheduled", "status": "True", "lastProbeTime": None}
    _set_condition(pod, {**condition, "lastTransitionTime": format_time(call.now)})


def _set_condition(pod: Object, condition: Object) -> None:
    status = pod.setdefault("status", {})
    conditions = status.get("conditions") or []
    for position, present in enumerate(conditions):
        if present.get("type") == condition["type"]:
            if present.get("status") == condition["status"]:
                condition = {**condition, "lastTransitionTime": present.get("lastTransitionTime")}
            status["conditions"] = [*conditions[:position], condition, *conditions[position + 1 :]]
            return
    status["conditions"] = [*conditions, condition]


async def _budgets(registry: Registry, namespace: str) -> list[Object]:
    store = _store(registry, "policy", "v1", "poddisruptionbudgets")
    page = store.storage.list(store.root(namespace))
    return [await store.load(entry.value) for entry in page.entries]


async def _counted(registry: Registry, namespace: str, plan: EvictionPlan) -> bool:
    """Write the budget of a plan; False when it has changed meanwhile."""
    store = _store(registry, "policy", "v1", "poddisruptionbudgets")
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
            _set_condition(pod, {"lastProbeTime": None, **disruption_condition(write.now)})

        await modify(store, write.namespace, name, mark)
    request = DeleteRequest(
        grace_period_seconds=options.get("gracePeriodSeconds"),
        uid=preconditions.get("uid"),
        orphan_dependents=options.get("orphanDependents"),
        propagation_policy=options.get("propagationPolicy") or "",
    )
    await delete(store, name, request, write)


def _store(registry: Registry, group: str, version: str, resource: str) -> Store:
    store = registry.find(group, version, resource)
    assert store is not None  # noqa: S101 - built in
    return store
