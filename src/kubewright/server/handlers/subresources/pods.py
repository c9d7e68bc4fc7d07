"""What is done to pods: bound to nodes, and reached through the kubelets that are not there."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import aggregate
from kubewright.machinery.field_errors import invalid as invalid_field
from kubewright.machinery.gvk import GroupKind, GroupResource
from kubewright.machinery.label_selectors import parse_int64
from kubewright.machinery.status import Status
from kubewright.machinery.time import format_time
from kubewright.server.admission.unstored import admit_connect, admit_unstored, validate_unstored
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
from kubewright.server.handlers.options import write_of, write_options
from kubewright.server.handlers.respond import status_answer
from kubewright.server.handlers.subresources.connect_options import connect_options
from kubewright.server.kinds import kind_of
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.metadata import match_namespace
from kubewright.server.registry.modify import modify
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.resource_type import REGISTRY_ROOT
from kubewright.server.registry.store import Store
from kubewright.server.registry.write import Write

__all__ = ["bind", "connect", "set_condition", "store_of"]

_BINDING: Final = GroupResource("", "pods/binding")


async def bind(call: Call, registry: Registry, store: Store) -> Answer:
    """`pods/binding`, and the older `bindings`: gives a pod its node."""
    if call.info.verb != "create":
        raise method_not_allowed()
    options = write_options(call, "CreateOptions")
    binding = read_kind(call, "v1", "Binding", options.validation)
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


async def connect(call: Call, registry: Registry, store: Store) -> Reply:
    """log, exec, attach, portforward and proxy: no kubelet and no pod network is behind this server."""
    if call.info.subresource != "log":
        namespace = call.info.namespace if store.type.served.namespaced else ""
        write = Write(
            user=call.user,
            now=call.now,
            namespace=namespace,
            subresource=call.info.subresource,
            warnings=call.warnings,
            annotations=call.annotations,
        )
        await admit_connect(store, call.info.name, connect_options(call, store), write)
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
