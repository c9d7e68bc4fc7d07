"""What is there when a cluster begins: the objects that kube-apiserver itself makes and everybody counts on.

The namespaces, and the roles and bindings (see `authorization.bootstrap`), are there before the server is
ready, all else a moment later. There are no flow schemas: nothing reads them.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from kubewright.machinery.errors import ApiError
from kubewright.machinery.gvk import GroupVersion
from kubewright.machinery.time import format_time
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.create import admit_create, create, create_admitted
from kubewright.server.registry.modify import modify
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.store import Store
from kubewright.server.registry.write import User, Write

__all__ = ["bootstrap_namespaces", "bootstrap_rest"]

_SERVER: Final = User(name="system:apiserver", groups=("system:masters",))
"""Who writes what the server itself writes."""

_NAMESPACES: Final = ("default", "kube-system", "kube-public", "kube-node-lease")

_GROUP_PRIORITIES: Final = {
    "": 18000,
    "admissionregistration.k8s.io": 16700,
    "apiextensions.k8s.io": 16700,
    "apps": 17800,
    "authentication.k8s.io": 17700,
    "authorization.k8s.io": 17600,
    "autoscaling": 17500,
    "batch": 17400,
    "certificates.k8s.io": 17300,
    "coordination.k8s.io": 16500,
    "discovery.k8s.io": 16200,
    "events.k8s.io": 17750,
    "flowcontrol.apiserver.k8s.io": 16100,
    "networking.k8s.io": 17200,
    "node.k8s.io": 16300,
    "policy": 17100,
    "rbac.authorization.k8s.io": 17000,
    "resource.k8s.io": 16200,
    "scheduling.k8s.io": 16600,
    "storage.k8s.io": 16800,
}
"""The groupPriorityMinimum of the APIServices of kube-apiserver 1.36."""

_VERSION_PRIORITIES: Final = {
    ("", "v1"): 1,
    ("autoscaling", "v2"): 30,
    ("flowcontrol.apiserver.k8s.io", "v1"): 21,
    ("resource.k8s.io", "v1"): 21,
}
"""Their versionPriority, where it is not 15."""

_PRIORITY_CLASSES: Final = (
    ("system-cluster-critical", 2_000_000_000),
    ("system-node-critical", 2_000_001_000),
)


async def bootstrap_namespaces(registry: Registry) -> None:
    """Create the namespaces that are missing; nobody else may write yet."""
    store = _store(registry, "v1", "namespaces")
    for name in _NAMESPACES:
        if store.storage.get(store.key("", name)) is not None:
            continue
        write = _write("")
        given = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        obj = store.type.read_object(given, strict=False).obj
        # What a field manager would find; that one loads the model of all core kinds, which takes long.
        obj["metadata"]["managedFields"] = [_namespace_manager(write)]
        await admit_create(store, obj, write)
        await create_admitted(store, obj, write)


def _namespace_manager(write: Write) -> Object:
    """The managedFields of a new namespace: the label with its name is all that anybody wrote."""
    return {
        "manager": write.manager,
        "operation": "Update",
        "apiVersion": "v1",
        "time": format_time(write.now),
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:metadata": {"f:labels": {".": {}, "f:kubernetes.io/metadata.name": {}}}},
    }


async def bootstrap_rest(registry: Registry, *, port: int) -> None:
    """Create what else is missing; the server's own service leads to `port`."""
    await _ensure(registry, "v1", "services", _service(port))
    for name, value in _PRIORITY_CLASSES:
        obj = {"kind": "PriorityClass", "metadata": {"name": name}, "value": value}
        await _ensure(registry, "scheduling.k8s.io/v1", "priorityclasses", obj)
    for version in sorted({each.group_version for each in registry.served if not each.custom}):
        # The group of the APIServices has none itself.
        if version.group in _GROUP_PRIORITIES:
            await _ensure_api_service(registry, version)


def _service(port: int) -> Object:
    return {
        "kind": "Service",
        "metadata": {
            "name": "kubernetes",
            "namespace": "default",
            "labels": {"component": "apiserver", "provider": "kubernetes"},
        },
        "spec": {
            "clusterIP": "10.0.0.1",
            "ports": [{"name": "https", "port": 443, "targetPort": port, "protocol": "TCP"}],
        },
    }


async def _ensure_api_service(registry: Registry, version: GroupVersion) -> None:
    name = f"{version.version}.{version.group}"
    spec: Object = {"group": version.group} if version.group else {}
    spec["version"] = version.version
    spec["groupPriorityMinimum"] = _GROUP_PRIORITIES[version.group]
    spec["versionPriority"] = _VERSION_PRIORITIES.get((version.group, version.version), 15)
    labels = {"kube-aggregator.kubernetes.io/automanaged": "onstart"}
    obj = {"kind": "APIService", "metadata": {"name": name, "labels": labels}, "spec": spec}
    await _ensure(registry, "apiregistration.k8s.io/v1", "apiservices", obj)
    await modify(_store(registry, "apiregistration.k8s.io/v1", "apiservices"), "", name, _available)


def _available(obj: Object) -> None:
    if (obj.get("status") or {}).get("conditions"):
        return
    obj["status"] = {
        "conditions": [
            {
                "type": "Available",
                "status": "True",
                "lastTransitionTime": format_time(datetime.now(UTC)),
                "reason": "Local",
                "message": "Local APIServices are always available",
            }
        ]
    }


async def _ensure(registry: Registry, api_version: str, resource: str, obj: Object) -> None:
    store = _store(registry, api_version, resource)
    metadata = obj["metadata"]
    namespace = metadata.get("namespace", "")
    if store.storage.get(store.key(namespace, metadata["name"])) is not None:
        return
    given = store.type.read_object({"apiVersion": api_version, **obj}, strict=False).obj
    try:
        await create(store, given, _write(namespace))
    except ApiError as error:
        if error.status.reason != "AlreadyExists":
            raise


def _write(namespace: str) -> Write:
    return Write(user=_SERVER, now=datetime.now(UTC), namespace=namespace, manager="kube-apiserver")


def _store(registry: Registry, api_version: str, resource: str) -> Store:
    version = GroupVersion.parse(api_version)
    store = registry.find(version.group, version.version, resource)
    assert store is not None  # noqa: S101 - built in
    return store
