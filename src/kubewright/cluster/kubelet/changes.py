"""What is changed in a pod while it runs: the images and the resources of its containers."""

from __future__ import annotations

import enum
import json

from kubewright.cluster.kubelet.containers import Notice
from kubewright.models.core_v1 import (
    Container,
    ContainerState,
    ContainerStateWaiting,
    ContainerStatus,
    Pod,
    ResourceRequirements,
)

__all__ = ["Changed", "change_of", "follow"]


class Changed(enum.Enum):
    """What is different in a container from what its status tells."""

    NOTHING = enum.auto()
    IMAGE = enum.auto()
    RESOURCES = enum.auto()
    """Which it can do with as it runs."""
    RESOURCES_WITH_RESTART = enum.auto()


def change_of(container: Container, status: ContainerStatus) -> Changed:
    """What is different; of a container that has ended nothing is, until it is started again."""
    if status.state.terminated is not None:
        return Changed.NOTHING
    if status.image != container.image:
        return Changed.IMAGE
    old, new = status.resources, container.resources
    if old == new:
        return Changed.NOTHING
    if old is not None and status.state.running is not None and _restarts(container, old):
        return Changed.RESOURCES_WITH_RESTART
    return Changed.RESOURCES


def follow(pod: Pod, container: Container, status: ContainerStatus, changed: Changed) -> list[Notice]:
    """Let the status tell what the container is now, and say what a kubelet says of that."""
    name, runs = container.name, status.state.running is not None
    notices = []
    was_told = status.resources is not None
    if changed is Changed.IMAGE:
        if runs:
            message = f"Container {name} definition changed, will be restarted"
            notices.append(Notice("Normal", "Killing", message, name))
        elif not status.restart_count:
            # An image that could not be pulled is no reason to wait for another one.
            status.state = ContainerState(waiting=ContainerStateWaiting(reason="ContainerCreating"))
        status.image = container.image
    elif was_told:
        notices.append(Notice("Normal", "ResizeStarted", f"Pod resize started: {_resources(pod)}"))
        if changed is Changed.RESOURCES_WITH_RESTART:
            notices.append(Notice("Normal", "Killing", f"Container {name} resize requires restart", name))
        notices.append(Notice("Normal", "ResizeCompleted", f"Pod resize completed: {_resources(pod)}"))
    status.resources = container.resources
    status.allocated_resources = container.resources.requests
    return notices


def _restarts(container: Container, old: ResourceRequirements) -> bool:
    """Whether one of the resources that differ asks for a restart."""
    new = container.resources
    return any(
        policy.restart_policy == "RestartContainer"
        and (
            old.requests.get(policy.resource_name) != new.requests.get(policy.resource_name)
            or old.limits.get(policy.resource_name) != new.limits.get(policy.resource_name)
        )
        for policy in container.resize_policy
    )


def _resources(pod: Pod) -> str:
    """What the containers of a pod ask for, as kubelets put it into events."""
    spec, told = pod.spec, {}
    for key, containers in (("initContainers", spec.init_containers), ("containers", spec.containers)):
        if containers:
            told[key] = [{"name": each.name, "resources": each.resources.to_dict()} for each in containers]
    return json.dumps({**told, "generation": pod.metadata.generation or 0}, separators=(",", ":"))
