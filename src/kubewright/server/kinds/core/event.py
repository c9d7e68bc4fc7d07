"""The Event kind of the core group; that of events.k8s.io is stored as this one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import invalid, required
from kubewright.machinery.names import (
    is_dns1123_subdomain,
    is_path_segment_name,
    is_path_segment_prefix,
    is_qualified_name,
)
from kubewright.machinery.time import parse_time
from kubewright.server.kinds.core.internal_json import internal_json
from kubewright.server.kinds.kind import Errors, Kind, Object
from kubewright.server.kinds.metadata_rules import byte_length, validate_immutable

__all__ = ["EVENT", "event_fields", "validate_event", "validate_event_update", "validate_new_event"]

_TEXT_LENGTH: Final = 128
"""Upstream's limit of reportingInstance, action and reason."""

_NOTE_LENGTH: Final = 1024
"""Upstream's NoteLengthLimit."""

_MISMATCH: Final = "does not match event.namespace"


def validate_event(obj: Object, *, controller_field: str = "reportingComponent") -> Errors:
    """What both groups check of an event, in the form of the core group."""
    errors: Errors = []
    namespace = (obj.get("metadata") or {}).get("namespace") or ""
    involved = (obj.get("involvedObject") or {}).get("namespace") or ""
    path = "involvedObject.namespace"
    if not obj.get("eventTime"):
        matches = namespace == involved if involved else namespace in {"", "default"}
        if not matches:
            errors.append(invalid(path, involved, _MISMATCH))
    else:
        if not involved and namespace not in {"default", "kube-system"}:
            errors.append(invalid(path, involved, _MISMATCH))
        errors += _validate_reporting(obj, controller_field)
    return errors + [invalid("namespace", namespace, message) for message in is_dns1123_subdomain(namespace)]


def _validate_reporting(obj: Object, controller_field: str) -> Errors:
    errors: Errors = []
    controller = obj.get("reportingComponent") or ""
    if not controller:
        errors.append(required(controller_field))
    errors += [invalid(controller_field, controller, message) for message in is_qualified_name(controller)]
    for field in ("reportingInstance", "action", "reason"):
        value = obj.get(field) or ""
        if not value:
            errors.append(required(field))
        if byte_length(value) > _TEXT_LENGTH:
            errors.append(invalid(field, "", f"can have at most {_TEXT_LENGTH} characters"))
    if byte_length(obj.get("message") or "") > _NOTE_LENGTH:
        errors.append(invalid("message", "", f"can have at most {_NOTE_LENGTH} characters"))
    return errors


def _validate_update(obj: Object, old: Object) -> Errors:
    return validate_event(obj)


def validate_new_event(obj: Object) -> Errors:
    """What events.k8s.io checks of a new event besides, in the form of the core group."""
    errors = _validate_series(obj)
    if not obj.get("eventTime"):
        errors.append(required("eventTime"))
    kind = obj.get("type") or ""
    if kind not in {"Normal", "Warning"}:
        errors.append(invalid("type", "", f"has invalid value: {kind}"))
    for field in ("firstTimestamp", "lastTimestamp", "count"):
        if obj.get(field):
            errors.append(invalid(field, "", "needs to be unset"))
    source = obj.get("source") or {}
    if source.get("component") or source.get("host"):
        errors.append(invalid("source", "", "needs to be unset"))
    return errors


def _validate_series(obj: Object) -> Errors:
    series = obj.get("series")
    if series is None:
        return []
    errors: Errors = []
    if (series.get("count") or 0) < 2:
        errors.append(invalid("series.count", "", "should be at least 2"))
    if not series.get("lastObservedTime"):
        errors.append(required("series.lastObservedTime"))
    return errors


def validate_event_update(obj: Object, old: Object) -> Errors:
    """What events.k8s.io checks of an update besides: only the series may change. In the core form."""
    errors = [] if obj.get("series") == old.get("series") else _validate_series(obj)
    errors += _immutable_struct(obj, old, "involvedObject", "ObjectReference")
    errors += _immutable_texts(obj, old, ("reason", "message"))
    errors += _immutable_struct(obj, old, "source", "EventSource")
    for field in ("firstTimestamp", "lastTimestamp"):
        errors += validate_immutable(obj.get(field), old.get(field), field)
    errors += validate_immutable(obj.get("count") or 0, old.get("count") or 0, "count")
    errors += _immutable_texts(obj, old, ("reason", "type"))
    time, old_time = obj.get("eventTime"), old.get("eventTime")
    if time != old_time and _moment(time) != _moment(old_time):
        errors += validate_immutable(time, old_time, "eventTime")
    errors += _immutable_texts(obj, old, ("action",))
    related, old_related = obj.get("related"), old.get("related")
    if related != old_related:
        shown = None if related is None else internal_json(related, "ObjectReference")
        errors += validate_immutable(shown, object(), "related")
    if (obj.get("reportingComponent") or "") != (old.get("reportingComponent") or ""):
        errors += validate_immutable(obj.get("reportingComponent") or "", None, "reportingController")
    return errors + _immutable_texts(obj, old, ("reportingInstance",))


def _immutable_texts(obj: Object, old: Object, fields: tuple[str, ...]) -> Errors:
    errors: Errors = []
    for field in fields:
        errors += validate_immutable(obj.get(field) or "", old.get(field) or "", field)
    return errors


def _immutable_struct(obj: Object, old: Object, field: str, kind: str) -> Errors:
    value, old_value = obj.get(field) or {}, old.get(field) or {}
    if value == old_value:
        return []
    return validate_immutable(internal_json(value, kind), internal_json(old_value, kind), field)


def _moment(text: str | None) -> datetime | None:
    try:
        return parse_time(text) if text else None
    except ParseError:
        return None


def event_fields(obj: Object) -> Mapping[str, str]:
    """The fields that selectors of events may name, of the core group's form."""
    involved, controller = obj.get("involvedObject") or {}, obj.get("reportingComponent") or ""
    names = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
    return {
        **{f"involvedObject.{name}": involved.get(name) or "" for name in names},
        "reason": obj.get("reason") or "",
        "reportingComponent": controller,
        "source": (obj.get("source") or {}).get("component") or controller,
        "type": obj.get("type") or "",
    }


def _name(name: str, *, prefix: bool = False) -> list[str]:
    # No more is asked of the names of events than that they fit into a path.
    return is_path_segment_prefix(name) if prefix else is_path_segment_name(name)


EVENT: Final = Kind(
    name=_name,
    validate=validate_event,
    validate_update=_validate_update,
    fields=event_fields,
    allow_create_on_update=True,
    resets=(),
    always={
        "involvedObject": {},
        "source": {},
        "firstTimestamp": None,
        "lastTimestamp": None,
        "eventTime": None,
        "reportingComponent": "",
        "reportingInstance": "",
    },
)
