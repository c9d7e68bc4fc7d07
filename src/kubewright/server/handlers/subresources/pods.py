"""Pods are bound to nodes."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import aggregate
from kubewright.machinery.gvk import GroupResource
from kubewright.machinery.status import Status
from kubewright.machinery.time import format_time
from kubewright.server.admission.unstored import admit_unstored, validate_unstored
from kubewright.server.errors import (
    bad_request,
    conflict,
    method_not_allowed,
    refusal,
)
from kubewright.server.handlers.bodies import read_kind
from kubewright.server.handlers.call import Answer, Call
from kubewright.server.handlers.options import write_of, write_options
from kubewright.server.handlers.respond import status_answer
from kubewright.server.kinds import kind_of
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.metadata import match_namespace
from kubewright.server.registry.modify import modify
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.store import Store

__all__ = ["bind", "set_condition", "store_of"]

_BINDING: Final = GroupResource("", "pods/binding")


async def bind(call: Call, registry: Registry, store: Store) -> Answer:
    """`pods/binding`, and the older `bindings`: gives a pod its node."""
    if call.info.verb != "create":
        raise method_not_allowed()
    options = write_options(call, "CreateOptions")
    binding = await read_kind(call, "v1", "Binding", options.validation)
    metadata = binding.setdefault("metadata", {})
    name = call.info.name or metadata.get("name", "")
    write = write_of(call, options, namespace=call.info.namespace, subresource=call.info.subresource)
    match_namespace(metadata, call.info.namespace)
    binding = await admit_unstored(store, name, binding, write)
    metadata = binding.get("metadata") or {}
    if not name:
        raise bad_request("name must be provided")
    if metadata.get("name") != name:
        raise bad_request("name in URL does not match name in Binding object")
    if errors := kind_of("", "bindings").validate(binding):
        raise refusal(500, "", aggregate(errors))
    await validate_unstored(store, name, binding, write)
    pods = store_of(registry, "", "v1", "pods")

    def assign(pod: Object) -> None:
        _assign(pod, binding, call)

    await modify(pods, call.info.namespace, name, assign, dry_run=options.dry_run)
    return status_answer(call, Status(status="Success", code=201))


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
    # The feature ClearingNominatedNodeNameAfterBinding, on since 1.35: a nomination ends with the binding.
    (pod.get("status") or {}).pop("nominatedNodeName", None)
    if given.get("annotations"):
        metadata["annotations"] = {**(metadata.get("annotations") or {}), **given["annotations"]}
    if given.get("labels"):
        metadata["labels"] = {**(metadata.get("labels") or {}), **given["labels"]}
    condition = {"type": "PodScheduled", "status": "True", "lastProbeTime": None}
    set_condition(pod, {**condition, "lastTransitionTime": format_time(call.now)})


def set_condition(pod: Object, condition: Object) -> None:
    """Put a condition into a pod; the time of its last transition stays while it says the same."""
    status = pod.setdefault("status", {})
    conditions = status.get("conditions") or []
    for position, present in enumerate(conditions):
        if present.get("type") == condition["type"]:
            if present.get("status") == condition["status"]:
                condition = {**condition, "lastTransitionTime": present.get("lastTransitionTime")}
            status["conditions"] = [*conditions[:position], condition, *conditions[position + 1 :]]
            return
    status["conditions"] = [*conditions, condition]


def store_of(registry: Registry, group: str, version: str, resource: str) -> Store:
    """The store of a built-in resource."""
    store = registry.find(group, version, resource)
    assert store is not None  # noqa: S101 - built in
    return store
