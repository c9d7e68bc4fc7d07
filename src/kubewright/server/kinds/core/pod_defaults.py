"""The defaults of pod specs: of containers, probes, volumes and what else they hold.

Some conversions that upstream makes between its versioned and its internal kinds are made here as well,
because like defaults they apply to everything that is read: the two names of the service account and of the
pod's address.
"""

from __future__ import annotations

from typing import Final

from kubewright.server.kinds.core.container_image import is_latest_image
from kubewright.server.kinds.core.pod_resources import (
    aggregate_limits,
    aggregate_requests,
    is_huge_page,
    is_overcommit_allowed,
    is_pod_level_resource,
    round_resources,
)
from kubewright.server.kinds.core.volume_defaults import default_volume
from kubewright.server.kinds.kind import Object

__all__ = ["default_pod", "default_pod_spec", "default_pod_template"]

_GRACE_SECONDS: Final = 30
"""Upstream's DefaultTerminationGracePeriodSeconds."""

_PROBE: Final = (
    ("timeoutSeconds", 1),
    ("periodSeconds", 10),
    ("successThreshold", 1),
    ("failureThreshold", 3),
)

_INIT_ANNOTATIONS: Final = frozenset(
    f"pod.{stage}.kubernetes.io/{what}"
    for stage in ("alpha", "beta")
    for what in ("init-containers", "init-container-statuses")
)
"""Annotations that init containers once were; upstream drops them from all it reads and writes."""


def default_pod(pod: Object) -> None:
    """Fill in the defaults of a pod, which are those of its spec and a few that templates do not have."""
    metadata = pod.get("metadata")
    if metadata:
        _drop_init_annotations(metadata)
    spec = pod.setdefault("spec", {})
    _default_requests(spec)
    resources = spec.get("resources")
    if resources:
        _default_pod_resources(spec, resources)
    spec.setdefault("enableServiceLinks", True)
    if spec.get("hostNetwork"):
        _default_host_ports(spec)
    default_pod_spec(spec)
    if spec["terminationGracePeriodSeconds"] < 0:
        spec["terminationGracePeriodSeconds"] = 1
    status = pod.get("status")
    if status:
        _default_status(status)


def default_pod_template(template: Object) -> None:
    """Fill in the defaults of a pod template, whose metadata and spec are made if they are not there."""
    _drop_init_annotations(template.setdefault("metadata", {}))
    default_pod_spec(template.setdefault("spec", {}))


def default_pod_spec(spec: Object) -> None:
    """Fill in the defaults of a pod spec: its own, and those of its containers, probes, volumes and so on."""
    if not spec.get("dnsPolicy"):
        spec["dnsPolicy"] = "ClusterFirst"
    if not spec.get("restartPolicy"):
        spec["restartPolicy"] = "Always"
    spec.setdefault("securityContext", {})
    spec.setdefault("terminationGracePeriodSeconds", _GRACE_SECONDS)
    if not spec.get("schedulerName"):
        spec["schedulerName"] = "default-scheduler"
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        spec["serviceAccountName"] = spec["serviceAccount"] = account
    for volume in spec.get("volumes") or ():
        default_volume(volume)
    for container in spec.get("containers") or ():
        _default_container(container)
    for container in spec.get("initContainers") or ():
        _default_container(container)
    for container in spec.get("ephemeralContainers") or ():
        _default_container(container)
    overhead = spec.get("overhead")
    if overhead:
        round_resources(overhead)
    resources = spec.get("resources")
    if resources:
        _round_requirements(resources)


def _default_container(container: Object) -> None:
    if not container.get("imagePullPolicy"):
        latest = is_latest_image(container.get("image") or "")
        container["imagePullPolicy"] = "Always" if latest else "IfNotPresent"
    if not container.get("terminationMessagePath"):
        container["terminationMessagePath"] = "/dev/termination-log"
    if not container.get("terminationMessagePolicy"):
        container["terminationMessagePolicy"] = "File"
    for port in container.get("ports") or ():
        if not port.get("protocol"):
            port["protocol"] = "TCP"
    for variable in container.get("env") or ():
        source = variable.get("valueFrom")
        if source:
            _default_env_source(source)
    resources = container.setdefault("resources", {})
    if resources:
        _round_requirements(resources)
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        probe = container.get(name)
        if probe is not None:
            _default_probe(probe)
    lifecycle = container.get("lifecycle")
    if lifecycle:
        for name in ("postStart", "preStop"):
            _default_http_get(lifecycle.get(name))


def _default_env_source(source: Object) -> None:
    field = source.get("fieldRef")
    if field is not None:
        field["apiVersion"] = field.get("apiVersion") or "v1"
    resource = source.get("resourceFieldRef")
    if resource is not None:
        # A quantity that is no pointer: Go writes the zero.
        resource.setdefault("divisor", "0")
    file = source.get("fileKeyRef")
    if file is not None:
        file.setdefault("optional", False)


def _default_probe(probe: Object) -> None:
    for name, number in _PROBE:
        if not probe.get(name):
            probe[name] = number
    _default_http_get(probe)
    grpc = probe.get("grpc")
    if grpc is not None and grpc.get("service") is None:
        grpc["service"] = ""


def _default_http_get(handler: Object | None) -> None:
    http = handler.get("httpGet") if handler else None
    if http is not None:
        if not http.get("path"):
            http["path"] = "/"
        if not http.get("scheme"):
            http["scheme"] = "HTTP"


def _round_requirements(requirements: Object) -> None:
    for name in ("limits", "requests"):
        resources = requirements.get(name)
        if resources:
            round_resources(resources)


def _default_requests(spec: Object) -> None:
    for container in spec.get("containers") or ():
        _requests_from_limits(container)
    for container in spec.get("initContainers") or ():
        _requests_from_limits(container)


def _requests_from_limits(container: Object) -> None:
    resources = container.get("resources")
    limits = resources.get("limits") if resources else None
    if resources is not None and limits:
        requests = resources.get("requests")
        # The names stand sorted, as Go writes maps.
        resources["requests"] = {**limits, **requests} if requests else dict(limits)


def _default_pod_resources(spec: Object, resources: Object) -> None:
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    if limits or requests:
        limits = dict(limits)
        for name, amount in aggregate_limits(spec).items():
            if is_huge_page(name) and name not in requests:
                limits.setdefault(name, str(amount))
        if limits:
            resources["limits"] = limits
    if not limits:
        return
    requests = dict(requests)
    for name, amount in aggregate_requests(spec).items():
        if is_pod_level_resource(name) and is_overcommit_allowed(name):
            requests.setdefault(name, str(amount))
    for name, text in limits.items():
        if is_pod_level_resource(name):
            requests.setdefault(name, text)
    if requests:
        resources["requests"] = requests


def _default_host_ports(spec: Object) -> None:
    for containers in (spec.get("containers"), spec.get("initContainers")):
        for container in containers or ():
            for port in container.get("ports") or ():
                if not port.get("hostPort") and port.get("containerPort"):
                    port["hostPort"] = port["containerPort"]


def _default_status(status: Object) -> None:
    address, addresses = status.get("podIP"), status.get("podIPs")
    if address:
        if not addresses or addresses[0].get("ip") != address:
            status["podIPs"] = [{"ip": address}]
    elif addresses and addresses[0].get("ip"):
        status["podIP"] = addresses[0]["ip"]
    for name in ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"):
        for container in status.get(name) or ():
            container.setdefault("state", {})
            container.setdefault("lastState", {})
            _default_status_resources(container)
    _default_status_resources(status)


def _default_status_resources(status: Object) -> None:
    allocated = status.get("allocatedResources")
    if allocated:
        round_resources(allocated)
    resources = status.get("resources")
    if resources:
        _round_requirements(resources)


def _drop_init_annotations(metadata: Object) -> None:
    annotations = metadata.get("annotations")
    if annotations and not _INIT_ANNOTATIONS.isdisjoint(annotations):
        kept = {key: value for key, value in annotations.items() if key not in _INIT_ANNOTATIONS}
        if kept:
            metadata["annotations"] = kept
        else:
            del metadata["annotations"]
