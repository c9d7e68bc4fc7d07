"""The kinds of events.k8s.io: events, with stricter rules than those of the core group.

The rules themselves are of the core group's form of an event, and so are the fields that their messages name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubewright.server.kinds.core.event import (
    event_fields,
    validate_event,
    validate_event_update,
    validate_new_event,
)
from kubewright.server.kinds.event_conversion import event_to_core
from kubewright.server.kinds.kind import Errors, Kind, Object

__all__ = ["KINDS"]

# The fields that selectors may name here and in the core group; `source` has no name here.
_FIELD_NAMES: Final = {
    "regarding.kind": "involvedObject.kind",
    "regarding.namespace": "involvedObject.namespace",
    "regarding.name": "involvedObject.name",
    "regarding.uid": "involvedObject.uid",
    "regarding.apiVersion": "involvedObject.apiVersion",
    "regarding.resourceVersion": "involvedObject.resourceVersion",
    "regarding.fieldPath": "involvedObject.fieldPath",
    "reportingController": "reportingComponent",
    "reason": "reason",
    "type": "type",
}


def _validate(obj: Object) -> Errors:
    core = event_to_core(obj)
    return validate_event(core, controller_field="reportingController") + validate_new_event(core)


def _validate_update(obj: Object, old: Object) -> Errors:
    core = event_to_core(obj)
    errors = validate_event(core, controller_field="reportingController")
    return errors + validate_event_update(core, event_to_core(old))


def _fields(obj: Object) -> Mapping[str, str]:
    values = event_fields(event_to_core(obj))
    return {name: values[core] for name, core in _FIELD_NAMES.items()}


KINDS: Final[Mapping[str, Kind]] = {
    "events": Kind(
        validate=_validate,
        validate_update=_validate_update,
        fields=_fields,
        allow_create_on_update=True,
        resets=(),
        always={
            "eventTime": None,
            "regarding": {},
            "deprecatedSource": {},
            "deprecatedFirstTimestamp": None,
            "deprecatedLastTimestamp": None,
        },
    )
}
