"""The `/scale` subresource of workloads: how many pods are wanted, and how many there are."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.errors import ParseError
from kubewright.machinery.label_selectors import Selector
from kubewright.server.kinds.kind import Object

__all__ = ["apply_scale", "scale_of", "scale_uid_error"]

_METADATA: Final = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
"""What a Scale shows of the metadata of its object."""


def scale_of(kind: str, obj: Object) -> Object:
    """The Scale of a Deployment, ReplicaSet, StatefulSet or ReplicationController, as `kind` says."""
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    metadata = obj.get("metadata") or {}
    shown: Object = {"replicas": status.get("replicas") or 0}
    selector = _selector_text(kind, spec.get("selector"))
    if selector:
        shown["selector"] = selector
    replicas = spec.get("replicas") or 0
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {name: metadata[name] for name in _METADATA if name in metadata},
        "spec": {"replicas": replicas} if replicas else {},
        "status": shown,
    }


def _selector_text(kind: str, selector: Object | None) -> str:
    try:
        if kind == "ReplicationController":
            return str(Selector.from_labels(selector or {}))
        return str(Selector.from_label_selector(selector))
    except ParseError:
        # Validation lets no such selector be stored.
        return ""


def apply_scale(obj: Object, scale: Object) -> Object:
    """The object with the number of replicas that the Scale wants, and with its resourceVersion.

    A Scale without resourceVersion makes the update unconditional. Neither object is changed, and what does
    not change is shared with `obj`.
    """
    metadata = dict(obj.get("metadata") or {})
    version = (scale.get("metadata") or {}).get("resourceVersion")
    if version:
        metadata["resourceVersion"] = version
    else:
        metadata.pop("resourceVersion", None)
    replicas = (scale.get("spec") or {}).get("replicas") or 0
    return {**obj, "metadata": metadata, "spec": {**(obj.get("spec") or {}), "replicas": replicas}}


def scale_uid_error(obj: Object, scale: Object) -> str:
    """What to say of a Scale that is meant for another object of the same name; "" if it is not.

    For patches; of a Scale that is put, the uid is a precondition of the write, as it is of any object.
    """
    wanted = (scale.get("metadata") or {}).get("uid") or ""
    actual = (obj.get("metadata") or {}).get("uid") or ""
    if not wanted or wanted == actual:
        return ""
    return f"Precondition failed: UID in precondition: {wanted}, UID in object meta: {actual}"
