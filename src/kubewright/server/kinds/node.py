"""The kinds of node.k8s.io: RuntimeClasses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kubewright.machinery.field_errors import duplicate, invalid, required
from kubewright.machinery.names import name_is_dns_label
from kubewright.server.kinds.core.container_resources import check_container_resources
from kubewright.server.kinds.core.pod_options import NEW_TEMPLATE
from kubewright.server.kinds.core.pod_scheduling import check_tolerations
from kubewright.server.kinds.kind import Errors, Kind, Object
from kubewright.server.kinds.metadata_rules import validate_immutable, validate_labels
from kubewright.server.kinds.node_labels import DEPRECATED_NODE_LABELS

__all__ = ["KINDS"]


def _validate(obj: Object) -> Errors:
    handler = obj.get("handler") or ""
    errors: Errors = []
    if not handler:
        errors.append(required("handler"))
    else:
        errors += [invalid("handler", handler, message) for message in name_is_dns_label(handler)]
    overhead = obj.get("overhead")
    if overhead is not None:
        # Upstream puts the overhead into the limits of a container's requirements to check it.
        limits = overhead.get("podFixed") or {}
        check_container_resources(errors, {"limits": limits} if limits else {}, (), "overhead")
    scheduling = obj.get("scheduling")
    if scheduling is not None:
        errors += validate_labels(scheduling.get("nodeSelector"), "scheduling.nodeSelector")
        errors += _validate_tolerations(scheduling.get("tolerations") or (), "scheduling.tolerations")
    return errors


def _validate_tolerations(tolerations: Sequence[Object], path: str) -> Errors:
    errors: Errors = []
    check_tolerations(errors, tolerations, path, NEW_TEMPLATE)
    seen: set[tuple[str, ...]] = set()
    for index, toleration in enumerate(tolerations):
        key = tuple(toleration.get(field) or "" for field in ("key", "operator", "value", "effect"))
        if key in seen:
            shown = dict(zip(("Key", "Operator", "Value", "Effect"), key, strict=True))
            seconds = {"TolerationSeconds": toleration.get("tolerationSeconds")}
            errors.append(duplicate(f"{path}[{index}]", {**shown, **seconds}))
        seen.add(key)
    return errors


def _validate_update(obj: Object, old: Object) -> Errors:
    handler, old_handler = obj.get("handler") or "", old.get("handler") or ""
    return _validate(obj) + validate_immutable(handler, old_handler, "handler")


def _warnings(obj: Object, old: Object | None) -> list[str]:
    selector = (obj.get("scheduling") or {}).get("nodeSelector") or {}
    return [
        f"scheduling.nodeSelector: {DEPRECATED_NODE_LABELS[key]}"
        for key in selector
        if key in DEPRECATED_NODE_LABELS
    ]


KINDS: Final[Mapping[str, Kind]] = {
    "runtimeclasses": Kind(
        validate=_validate,
        validate_update=_validate_update,
        warnings=_warnings,
        allow_create_on_update=True,
        allow_unconditional_update=False,
        resets=(),
    )
}
