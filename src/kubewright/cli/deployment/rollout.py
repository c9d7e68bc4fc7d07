"""Whether a Deployment is rolled out, and why not, in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubewright.cli.deployment.applying import pauses
from kubewright.machinery.errors import ApiError, KubewrightError

if TYPE_CHECKING:
    from kubewright.cli.deployment.progress import Progress
    from kubewright.models.apps_v1 import Deployment
    from kubewright.models.core_v1 import ContainerStatus, Pod
    from kubewright.sync import Client

__all__ = ["NotRolledOut", "await_rollout", "is_rolled_out", "why_not"]

_FIRST_WORD: Final = 3.0
"""Seconds after which a rollout that takes long is explained."""

_LONGEST: Final = 300
"""Characters of a message of the cluster that are told."""

_WAITING: Final = frozenset({"ContainerCreating", "PodInitializing", ""})
"""Reasons of containers that have not started yet and will, as far as is known: events tell more of them."""

_TELLING: Final = ("FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox", "Unhealthy", "Failed")
"""Events of pods that say what is wrong with them, in the order in which they are told."""


class NotRolledOut(KubewrightError):
    """The pods of a Deployment are not what they should be; the message says why."""


def await_rollout(client: Client, name: str, namespace: str, *, progress: Progress, timeout: float) -> None:
    """Wait until all pods of a Deployment are of its present template and available, as kubectl decides it.

    What it waits for is told when it takes long. Raises NotRolledOut, ApiError and TransportError.
    """
    from kubewright.models.apps_v1 import Deployment  # noqa: PLC0415 - the help needs none of it

    api = client.api(Deployment, namespace)
    told = ""
    for since in pauses(timeout):
        found = api.get(name)
        if is_rolled_out(found):
            progress.say(f"deployment.apps/{name} rolled out")
            return
        if since >= _FIRST_WORD:
            why = why_not(client, found)
            if why != told:
                progress.say(f"waiting: {why}")
                told = why
    raise NotRolledOut(
        f"Deployment {name} in {namespace} is not rolled out after {timeout:g} seconds: "
        f"{why_not(client, api.get(name))}; correct that, and give the command again"
    )


def is_rolled_out(deployment: Deployment) -> bool:
    """Whether the controller knows this generation, and has all its pods available and no other ones."""
    status = deployment.status
    wanted = 1 if deployment.spec.replicas is None else deployment.spec.replicas
    updated = status.updated_replicas or 0
    return (
        (status.observed_generation or 0) >= (deployment.metadata.generation or 0)
        and updated >= wanted
        and (status.replicas or 0) <= updated
        and (status.available_replicas or 0) >= updated
    )


def why_not(client: Client, deployment: Deployment) -> str:
    """What keeps a Deployment from being rolled out, as far as the cluster tells."""
    status = deployment.status
    if (status.observed_generation or 0) < (deployment.metadata.generation or 0):
        return "no controller has looked at it; see whether kube-controller-manager runs"
    for condition in status.conditions:
        # Pods that may not be made: a quota, or the rules of the namespace.
        if condition.type == "ReplicaFailure" and condition.status == "True":
            return _cut(condition.message)
    pods = _unready(client, deployment)
    told = next((text for pod in pods if (text := _why_pod(client, pod))), "")
    if told:
        return told
    wanted = 1 if deployment.spec.replicas is None else deployment.spec.replicas
    return f"{status.available_replicas or 0} of {wanted} pods are available"


def _unready(client: Client, deployment: Deployment) -> list[Pod]:
    """The pods of a Deployment that are not ready, the newest first."""
    from kubewright.models.core_v1 import Pod  # noqa: PLC0415 - the help needs none of it

    labels = str(deployment.spec.selector.to_selector())
    pods = client.api(Pod, deployment.metadata.namespace).list(labels=labels).to_list()
    unready = [
        pod
        for pod in pods
        if pod.metadata.deletion_timestamp is None
        and not any(each.type == "Ready" and each.status == "True" for each in pod.status.conditions)
    ]
    return sorted(unready, key=lambda pod: str(pod.metadata.creation_timestamp), reverse=True)


def _why_pod(client: Client, pod: Pod) -> str:
    """What is wrong with a pod; empty when nothing is known."""
    for condition in pod.status.conditions:
        if condition.type == "PodScheduled" and condition.status == "False":
            return f"the pod {pod.metadata.name} is not scheduled: {_cut(condition.message)}"
    for container in (*pod.status.init_container_statuses, *pod.status.container_statuses):
        if told := _why_container(pod, container):
            return f"the container {container.name} of the pod {pod.metadata.name} {told}"
    if told := _event(client, pod):
        return f"the pod {pod.metadata.name} is not ready: {told}"
    if pod.status.phase == "Running":
        return f"the pod {pod.metadata.name} runs, but is not ready"
    return ""


def _why_container(pod: Pod, container: ContainerStatus) -> str:
    waiting, ended = container.state.waiting, container.state.terminated
    last = container.last_state.terminated
    if waiting is not None and waiting.reason == "CrashLoopBackOff" and last is not None:
        ended = last
    if ended is not None and ended.exit_code != 0:
        reason = f" ({ended.reason})" if ended.reason not in {"", "Error"} else ""
        return (
            f"ends with the exit code {ended.exit_code}{reason}; see kubectl logs "
            f"-n {pod.metadata.namespace} {pod.metadata.name} -c {container.name} --previous"
        )
    if waiting is not None and waiting.reason not in _WAITING:
        message = f": {_cut(waiting.message)}" if waiting.message else ""
        return f"does not start: {waiting.reason}{message}"
    return ""


def _event(client: Client, pod: Pod) -> str:
    """The newest event of a pod that says what is wrong with it."""
    from kubewright.models.core_v1 import Event  # noqa: PLC0415 - the help needs none of it

    try:
        found = client.api(Event, pod.metadata.namespace).list(
            fields=f"involvedObject.uid={pod.metadata.uid},type=Warning"
        )
        messages = {each.reason: each.message for each in found}
    except ApiError:
        return ""  # no right to look
    return next((_cut(messages[each]) for each in _TELLING if each in messages), "")


def _cut(message: str) -> str:
    text = " ".join(message.split()).rstrip(".")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
