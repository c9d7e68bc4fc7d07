"""What nodes still have of features that are gone: config sources, and taints in annotations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from kubewright.machinery.depth import decode_json
from kubewright.machinery.field_errors import forbidden, invalid, required
from kubewright.machinery.names import is_config_map_key, name_is_dns_label, name_is_dns_subdomain
from kubewright.server.kinds.core.go_json_errors import go_syntax_error
from kubewright.server.kinds.core.internal_json import internal_json
from kubewright.server.kinds.kind import Errors, Object

__all__ = ["validate_annotations", "validate_config"]

_TAINTS: Final = "scheduler.alpha.kubernetes.io/taints"
_AVOID_PODS: Final = "scheduler.alpha.kubernetes.io/preferAvoidPods"


def validate_annotations(obj: Object, validate_taints: Callable[[Sequence[Object], str], Errors]) -> Errors:
    """All that is wrong with the annotations of a node that hold JSON.

    JSON of another shape than expected counts as empty here, where upstream says which field does not fit.
    """
    annotations = (obj.get("metadata") or {}).get("annotations")
    if not annotations:
        return []
    errors: Errors = []
    path = "metadata.annotations"
    if annotations.get(_TAINTS):
        wrong = go_syntax_error(annotations[_TAINTS].encode(errors="replace"))
        if wrong:
            errors.append(invalid(path, _TAINTS, wrong))
        else:
            errors += validate_taints(_objects(_decoded(annotations[_TAINTS])), f"{path}.{_TAINTS}")
    if annotations.get(_AVOID_PODS):
        wrong = go_syntax_error(annotations[_AVOID_PODS].encode(errors="replace"))
        if wrong:
            errors.append(invalid(f"{path}.AvoidPods", _AVOID_PODS, wrong))
        else:
            errors += _validate_avoid_pods(_decoded(annotations[_AVOID_PODS]), f"{path}.{_AVOID_PODS}")
    return errors


def _decoded(text: str) -> object:
    try:
        return decode_json(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None


def _objects(value: object) -> list[Object]:
    return [element for element in value if isinstance(element, dict)] if isinstance(value, list) else []


def _validate_avoid_pods(value: object, path: str) -> Errors:
    errors: Errors = []
    entries = _objects(value.get("preferAvoidPods")) if isinstance(value, dict) else []
    for index, entry in enumerate(entries):
        place = f"{path}[{index}].PodSignature"
        signature = entry.get("podSignature")
        controller = signature.get("podController") if isinstance(signature, dict) else None
        if not isinstance(controller, dict):
            errors.append(required(place))
        elif controller.get("controller") is False:
            errors.append(invalid(f"{place}.PodController.Controller", False, "must point to a controller"))
    return errors


def validate_config(spec: Object, status: Object) -> Errors:
    """All that is wrong with the sources of the kubelet's configuration."""
    errors: Errors = []
    source = spec.get("configSource")
    if source is not None:
        errors += _validate_source(source, "spec.configSource", in_spec=True)
    config = status.get("config") or {}
    for field in ("assigned", "active", "lastKnownGood"):
        if config.get(field) is not None:
            errors += _validate_source(config[field], f"status.config.{field}", in_spec=False)
    return errors


def _validate_source(source: Object, path: str, *, in_spec: bool) -> Errors:
    config_map = source.get("configMap")
    if config_map is None:
        shown = internal_json(source, "NodeConfigSource")
        return [invalid(path, shown, "exactly one reference subfield must be non-nil")]
    errors: Errors = []
    path = f"{path}.configMap"
    for field in ("uid", "resourceVersion"):
        if in_spec and config_map.get(field):
            errors.append(forbidden(f"{path}.{field}", f"{field} must not be set in spec"))
        elif not in_spec and not config_map.get(field):
            errors.append(required(f"{path}.{field}"))
    for field, rule in (
        ("namespace", name_is_dns_label),
        ("name", name_is_dns_subdomain),
        ("kubeletConfigKey", is_config_map_key),
    ):
        value = config_map.get(field)
        if not value:
            errors.append(required(f"{path}.{field}"))
        else:
            errors += [invalid(f"{path}.{field}", value, message) for message in rule(value)]
    return errors
