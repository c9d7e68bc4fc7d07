"""The fields of features that are off in 1.36: dropped from what is written, unless it is stored already."""

from __future__ import annotations

from collections.abc import Iterator

from kubewright.server.kinds.kind import Object

__all__ = ["drop_disabled_spec", "drop_disabled_status"]

_STATUSES = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")


def drop_disabled_spec(spec: Object, old: Object | None) -> None:
    """Drop from a pod spec what is off: trust bundles, pod certificates, scheduling groups, stop signals."""
    volumes = spec.get("volumes")
    if volumes:
        for kind in ("clusterTrustBundle", "podCertificate"):
            found = [source for source in _projections(spec) if kind in source]
            if found and not any(kind in source for source in _projections(old or {})):
                for source in found:
                    del source[kind]
    if "schedulingGroup" in spec and "schedulingGroup" not in (old or ()):
        del spec["schedulingGroup"]
    for kind in ("containers", "initContainers", "ephemeralContainers"):
        for container in spec.get(kind) or ():
            if "lifecycle" in container and "stopSignal" in (container["lifecycle"] or ()):
                _drop_stop_signals(spec, old)
                return


def _projections(spec: Object) -> Iterator[Object]:
    for volume in spec.get("volumes") or ():
        projected = volume.get("projected")
        if projected:
            yield from projected.get("sources") or ()


def _lifecycles(spec: Object) -> Iterator[Object]:
    for kind in ("containers", "initContainers", "ephemeralContainers"):
        for container in spec.get(kind) or ():
            if container.get("lifecycle"):
                yield container


def _drop_stop_signals(spec: Object, old: Object | None) -> None:
    if any("stopSignal" in container["lifecycle"] for container in _lifecycles(old or {})):
        return
    for container in _lifecycles(spec):
        if "stopSignal" in container["lifecycle"]:
            del container["lifecycle"]["stopSignal"]
            if not container["lifecycle"]:
                del container["lifecycle"]


def drop_disabled_status(status: Object, old: Object) -> None:
    """Drop from a pod's status what is off: digests of image volumes, claims of node resources."""
    if "nodeAllocatableResourceClaimStatuses" in status and not old.get(
        "nodeAllocatableResourceClaimStatuses"
    ):
        del status["nodeAllocatableResourceClaimStatuses"]
    found = [mount for mount in _mounts(status) if "volumeStatus" in mount]
    if found and not any("volumeStatus" in mount for mount in _mounts(old)):
        for mount in found:
            del mount["volumeStatus"]


def _mounts(status: Object) -> Iterator[Object]:
    for field in _STATUSES:
        for container in status.get(field) or ():
            yield from container.get("volumeMounts") or ()
