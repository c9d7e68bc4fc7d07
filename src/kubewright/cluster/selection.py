"""Which controllers a cluster has, and which of them run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from kubewright.machinery.errors import KubewrightError

__all__ = ["CONTROLLERS", "ControllerEntry", "UnknownController", "select_controllers"]


class UnknownController(KubewrightError):
    """A controller was named that there is not."""


class ControllerEntry(NamedTuple):
    """One controller that a cluster may have."""

    name: str
    """kube-controller-manager's, where it has the same."""
    alias: str
    """The shorter name that it had before, which is still known; empty for none."""
    module: str
    """Below `kubewright.cluster`: has `setup(manager, parts)`."""
    account: str = ""
    """In whose name it acts: a service account of kube-system, upstream's, or a user, which has a colon."""


CONTROLLERS: Final[tuple[ControllerEntry, ...]] = (
    ControllerEntry(
        "garbage-collector-controller", "garbagecollector", "garbage.collector", "generic-garbage-collector"
    ),
    ControllerEntry("namespace-controller", "namespace", "namespaces", "namespace-controller"),
    ControllerEntry(
        "serviceaccount-controller", "serviceaccount", "service_accounts", "service-account-controller"
    ),
    ControllerEntry(
        "root-ca-certificate-publisher-controller",
        "root-ca-cert-publisher",
        "root_ca",
        "root-ca-cert-publisher",
    ),
    ControllerEntry("replicaset-controller", "replicaset", "workloads.replicaset", "replicaset-controller"),
    ControllerEntry(
        "replicationcontroller-controller",
        "replicationcontroller",
        "workloads.replicationcontroller",
        "replication-controller",
    ),
    ControllerEntry("deployment-controller", "deployment", "workloads.deployment", "deployment-controller"),
    ControllerEntry("node-lifecycle-controller", "nodelifecycle", "nodes.lifecycle", "node-controller"),
    ControllerEntry("taint-eviction-controller", "", "nodes.taint_eviction", "node-controller"),
    ControllerEntry("pod-garbage-collector-controller", "podgc", "nodes.pod_gc", "pod-garbage-collector"),
    ControllerEntry(
        "persistentvolume-binder-controller",
        "persistentvolume-binder",
        "volumes.binder",
        "persistent-volume-binder",
    ),
    ControllerEntry(
        "persistentvolume-provisioner", "", "volumes.provisioner", "persistent-volume-provisioner"
    ),
    ControllerEntry(
        "persistentvolume-expander-controller",
        "persistentvolume-expander",
        "volumes.expander",
        "expand-controller",
    ),
    ControllerEntry(
        "persistentvolumeclaim-protection-controller",
        "pvc-protection",
        "volumes.claim_protection",
        "pvc-protection-controller",
    ),
    ControllerEntry(
        "persistentvolume-protection-controller",
        "pv-protection",
        "volumes.volume_protection",
        "pv-protection-controller",
    ),
    ControllerEntry("kube-scheduler", "scheduler", "scheduler.scheduler", "system:kube-scheduler"),
    ControllerEntry("kubelet", "", "kubelet.kubelet", "system:node"),
)
"""In the order in which they are set up."""


def select_controllers(chosen: str | Iterable[str]) -> tuple[ControllerEntry, ...]:
    """The controllers that a choice names, in their order.

    As for kube-controller-manager, `*` is all of them, `name` adds one and `-name` takes one away; names that
    are only taken away are taken from all. `none`, or nothing at all, is none. Raises UnknownController.
    """
    words = [word.strip() for word in (chosen.split(",") if isinstance(chosen, str) else chosen)]
    words = [word for word in words if word]
    if "none" in words and len(words) > 1:
        raise UnknownController("'none' stands alone; leave it out, or leave out the other controllers")
    wanted: set[str] = set()
    if "*" in words or (words and all(word.startswith("-") for word in words)):
        wanted = {entry.name for entry in CONTROLLERS}
    for word in words:
        if word in {"*", "none"}:
            continue
        name = _named(word.removeprefix("-")).name
        if word.startswith("-"):
            wanted.discard(name)
        else:
            wanted.add(name)
    return tuple(entry for entry in CONTROLLERS if entry.name in wanted)


def _named(name: str) -> ControllerEntry:
    for entry in CONTROLLERS:
        if name and name in {entry.name, entry.alias}:
            return entry
    known = ", ".join(entry.name for entry in CONTROLLERS)
    raise UnknownController(
        f"there is no controller {name!r}; there are {known}, * for all and none for none"
    )
