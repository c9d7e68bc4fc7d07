"""The built-in resources: Go's reading of their JSON, the rules of `server/kinds`, the shapes of `models`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Final

import msgspec

from kubewright.machinery.apply import FieldManager, MissingVersion
from kubewright.machinery.depth import decode_json
from kubewright.machinery.schema import Schema
from kubewright.machinery.time import format_time
from kubewright.machinery.typed_schema import schema_of
from kubewright.server.kinds import kind_of
from kubewright.server.kinds.kind import Errors, Kind, Object
from kubewright.server.registry.converted import converted_rules
from kubewright.server.registry.resource import ServedResource
from kubewright.server.registry.resource_type import REGISTRY_ROOT, ResourceType, field_set
from kubewright.server.registry.stored import encode_stored
from kubewright.server.storage import Value
from kubewright.server.tables import Printer, printer
from kubewright.server.wire import Read, WireError, WireType, wire_type

__all__ = ["BuiltinType", "builtin_type"]

_DEPRECATED: Final = {
    ("", "endpoints"): "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
    ("", "componentstatuses"): "v1 ComponentStatus is deprecated in v1.19+",
}
"""What kube-apiserver 1.36 warns of whenever these are used."""

_MISSING: Final = object()
_encode: Final = msgspec.json.Encoder().encode


class BuiltinType(ResourceType):
    """A built-in resource in the version in which it is stored."""

    typed = True

    def __init__(self, served: ServedResource) -> None:
        super().__init__(served, f"{REGISTRY_ROOT}{served.resource}/")
        self.returns_deleted = served.returned_when_deleted
        self.deprecation = _DEPRECATED.get((served.group, served.resource), "")

    @cached_property
    def rules(self) -> Kind:
        return kind_of(self.served.group, self.served.resource)

    @cached_property
    def schema(self) -> Schema:
        from kubewright.models import builtin_scheme  # noqa: PLC0415 - imports the module of the kind

        cls = builtin_scheme().type_of(self.served.gvk)
        assert cls is not None  # noqa: S101 - every served kind is generated
        return schema_of(cls)

    @cached_property
    def printer(self) -> Printer:
        return printer(self.served.group, self.served.resource)

    @cached_property
    def wire(self) -> WireType:
        """Go's reading of the kind."""
        return wire_type(self.api_version, self.served.kind, managed=True)

    @property
    def always(self) -> Mapping[str, object]:
        return self.wire.always

    def read(self, data: bytes, *, strict: bool) -> Read:
        obj, problems = self.wire.read(data, strict=strict)
        return Read(self._defaulted(obj), problems)

    def read_object(self, obj: Object, *, strict: bool) -> Read:
        obj, problems = self.wire.read_object(obj, strict=strict)
        return Read(self._defaulted(obj), problems)

    def conversion_error(self, obj: Object) -> str:
        return self.wire.conversion_error(obj)

    def finalizer_errors(self, metadata: Object) -> Errors:
        # The rules of leases look at the metadata, but take any name.
        return [] if self.served.resource == "leases" else super().finalizer_errors(metadata)

    def encode(self, obj: Object) -> Value:
        return super().encode(self.complete(obj))

    def encode_unstored(self, obj: Object) -> bytes:
        return super().encode_unstored(self.complete(obj))

    def _defaulted(self, obj: Object) -> Object:
        self.rules.default(obj)
        return obj

    def complete(self, obj: Object) -> Object:
        """With the parts that Go always writes: `status: {}`, and null for lists that are empty."""
        return _underlaid(obj, self.always)


def _underlaid(obj: Object, always: Mapping[str, object]) -> Object:
    for name, value in always.items():
        found = obj.get(name, _MISSING)
        if found is _MISSING or (value is None and found == []):
            obj = {**obj, name: value}
        elif value and isinstance(value, dict) and isinstance(found, dict):
            made = _underlaid(found, value)
            if made is not found:
                obj = {**obj, name: made}
    return obj


class ConvertedType(BuiltinType):
    """A built-in resource in a version in which it is not stored."""

    def __init__(self, served: ServedResource, stored: BuiltinType) -> None:
        super().__init__(served)
        self._stored: Final = stored

    def _from_stored(self, obj: Object) -> Object:
        raise NotImplementedError

    def _to_stored(self, obj: Object) -> Object:
        raise NotImplementedError

    def decode(self, value: bytes) -> Object:
        return self._from_stored(self._stored.decode(value))

    def encode(self, obj: Object) -> Value:
        return self._stored.encode(self._to_stored(self.complete(obj)))

    def encode_unstored(self, obj: Object) -> bytes:
        return self._stored.encode_unstored(self._to_stored(self.complete(obj)))

    def present(self, value: bytes) -> bytes:
        return _encode(self.decode(value))

    def item(self, value: bytes) -> bytes:
        return encode_stored(self.decode(value), with_type=False)


class AutoscalerV2(BuiltinType):
    """HorizontalPodAutoscalers in autoscaling/v2, as they are stored."""

    def _defaulted(self, obj: Object) -> Object:
        from kubewright.server.kinds.autoscaling.conversion import (  # noqa: PLC0415 - with the first write
            drop_conversion_annotations,
        )

        # Before managedFields are made, so that nobody owns them.
        drop_conversion_annotations(obj)
        return super()._defaulted(obj)

    def _make_manager(self, subresource: str) -> FieldManager:
        return _autoscaler_manager(self, subresource)


def _autoscaler_manager(resource: BuiltinType, subresource: str) -> FieldManager:
    """The keeper of managedFields of autoscalers, which may be managed in both versions."""
    from kubewright.models import autoscaling_v1, autoscaling_v2  # noqa: PLC0415 - with the first write

    rules = resource.rules
    resets = rules.subresources[subresource].resets if subresource in rules.subresources else rules.resets
    ignored = field_set(resets)
    return FieldManager(
        resource.schema,
        api_version=resource.api_version,
        kind=resource.served.kind,
        subresource=subresource,
        convert=_convert_autoscaler,
        schemas={
            "autoscaling/v1": schema_of(autoscaling_v1.HorizontalPodAutoscaler),
            "autoscaling/v2": schema_of(autoscaling_v2.HorizontalPodAutoscaler),
        },
        ignore={"autoscaling/v1": ignored, "autoscaling/v2": ignored},
        empty=resource.always,
        typed=resource.typed,
    )


def _convert_autoscaler(obj: Object, api_version: str) -> Object:
    from kubewright.server.kinds.autoscaling.conversion import to_v1, to_v2  # noqa: PLC0415

    if obj.get("apiVersion") == api_version:
        return obj
    if api_version not in {"autoscaling/v1", "autoscaling/v2"}:
        raise MissingVersion(f"there is no version {api_version} of HorizontalPodAutoscaler")
    if obj.keys() <= {"apiVersion", "kind"}:
        return {**obj, "apiVersion": api_version}
    return to_v1(obj) if api_version == "autoscaling/v1" else to_v2(obj)


class AutoscalerV1(ConvertedType):
    """HorizontalPodAutoscalers in autoscaling/v1; they are stored in v2."""

    def _make_manager(self, subresource: str) -> FieldManager:
        return _autoscaler_manager(self, subresource)

    def internal(self, obj: Object) -> Object:
        return self._to_stored(obj)

    @cached_property
    def rules(self) -> Kind:
        made = converted_rules(self._stored.rules, to_stored=self._to_stored, from_stored=self._from_stored)
        return msgspec.structs.replace(made, default=self._default)

    def _default(self, obj: Object) -> None:
        # The conversion has v1's defaults; v2's are filled in once an object is stored.
        converted = self._from_stored(self._to_stored(obj))
        obj.clear()
        obj.update(converted)

    def encode(self, obj: Object) -> Value:
        return self._stored.encode(self._completed(obj))

    def encode_unstored(self, obj: Object) -> bytes:
        return self._stored.encode_unstored(self._completed(obj))

    def _completed(self, obj: Object) -> Object:
        stored = self._to_stored(self.complete(obj))
        self._stored.rules.default(stored)
        return stored

    def _from_stored(self, obj: Object) -> Object:
        from kubewright.server.kinds.autoscaling.conversion import to_v1  # noqa: PLC0415

        return to_v1(obj)

    def _to_stored(self, obj: Object) -> Object:
        from kubewright.server.kinds.autoscaling.conversion import to_v2  # noqa: PLC0415

        return to_v2(obj)


class EventsV1(ConvertedType):
    """Events of events.k8s.io/v1; they are stored as those of the core group, and errors say so."""

    collects_garbage = False
    shares_storage = True

    def __init__(self, served: ServedResource, stored: BuiltinType) -> None:
        super().__init__(served, stored)
        self.group_kind = stored.group_kind

    def _from_stored(self, obj: Object) -> Object:
        from kubewright.server.kinds.event_conversion import event_from_core  # noqa: PLC0415

        return event_from_core(obj)

    def _to_stored(self, obj: Object) -> Object:
        from kubewright.server.kinds.event_conversion import event_to_core  # noqa: PLC0415

        return event_to_core(obj)


class EventType(BuiltinType):
    """Events of the core group, which own nothing."""

    collects_garbage = False
    shares_storage = True


class DaemonSetType(BuiltinType):
    """DaemonSets, which carry an annotation that upstream's conversion writes into every one of them."""

    def _defaulted(self, obj: Object) -> Object:
        metadata = obj.setdefault("metadata", {})
        # Before managedFields are made, so that whoever creates one owns it.
        metadata.setdefault("annotations", {}).setdefault("deprecated.daemonset.template.generation", "0")
        return super()._defaulted(obj)


class DataType(BuiltinType):
    """Secrets and ConfigMaps, in whose maps of bytes null is another value until they are stored."""

    def complete(self, obj: Object) -> Object:
        name = "data" if self.served.resource == "secrets" else "binaryData"
        values = obj.get(name)
        if values and None in values.values():
            obj = {**obj, name: {key: value or "" for key, value in values.items()}}
        return super().complete(obj)


class JobType(BuiltinType):
    """Jobs, whose pods stay behind unless the delete says otherwise."""

    orphans_by_default = True
    orphan_warning = (
        "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to "
        "remove them or set propagationPolicy=Orphan to suppress this warning"
    )

    def unknown_field(self, field: str) -> str:
        return f'field label "{field}" not supported for Job'


class ReplicationControllerType(BuiltinType):
    """ReplicationControllers, whose pods stay behind unless the delete says otherwise."""

    orphans_by_default = True


class PodType(BuiltinType):
    """Pods, which get time to end."""

    def grace_period(self, obj: Object, requested: int | None) -> int | None:
        from kubewright.server.kinds.core.pod import grace_period  # noqa: PLC0415 - with the first delete

        return grace_period(obj, requested)


class NamespaceType(BuiltinType):
    """Namespaces, which stay until whoever empties them has taken the finalizers out of their spec."""

    pins_uid = True

    def begin_delete(
        self, obj: Object, now: datetime, propagation_policy: str, orphan_dependents: bool | None
    ) -> bool:
        metadata = obj["metadata"]
        metadata["deletionTimestamp"] = format_time(now)
        obj["status"] = {**(obj.get("status") or {}), "phase": "Terminating"}
        finalizers = list(metadata.get("finalizers") or ())
        for finalizer, wanted in _gc_finalizers(propagation_policy, orphan_dependents):
            if wanted and finalizer not in finalizers:
                finalizers.append(finalizer)
            elif not wanted and finalizer in finalizers:
                finalizers.remove(finalizer)
        if finalizers:
            metadata["finalizers"] = finalizers
        else:
            metadata.pop("finalizers", None)
        return True

    def holds(self, obj: Object) -> bool:
        deleting = bool(obj["metadata"].get("deletionTimestamp"))
        return deleting and bool((obj.get("spec") or {}).get("finalizers"))


def _gc_finalizers(policy: str, orphan: bool | None) -> Sequence[tuple[str, bool]]:
    if orphan is not None:
        return (("orphan", orphan), ("foregroundDeletion", not orphan))
    if policy:
        return (("orphan", policy == "Orphan"), ("foregroundDeletion", policy == "Foreground"))
    return ()


class DefinitionType(BuiltinType):
    """CustomResourceDefinitions, whose resources are deleted first."""

    pins_uid = True

    def begin_delete(
        self, obj: Object, now: datetime, propagation_policy: str, orphan_dependents: bool | None
    ) -> bool:
        from kubewright.server.customresources.conditions import (  # noqa: PLC0415 - with the first delete
            CLEANUP_FINALIZER,
            condition,
            set_condition,
        )

        metadata = obj["metadata"]
        metadata["deletionTimestamp"] = format_time(now)
        finalizers = metadata.get("finalizers") or []
        if CLEANUP_FINALIZER not in finalizers:
            metadata["finalizers"] = [*finalizers, CLEANUP_FINALIZER]
        message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"
        set_condition(obj, condition("Terminating", "True", "InstanceDeletionPending", message), now)
        return True

    def read(self, data: bytes, *, strict: bool) -> Read:
        try:
            return super().read(data, strict=strict)
        except WireError as error:
            raise _explained(error, data) from None


def _explained(error: WireError, data: bytes) -> WireError:
    """For definitions in the form that old tutorials show, what to write instead."""
    if error.api_version != "apiextensions.k8s.io/v1beta1":
        return error
    from kubewright.server.customresources.v1beta1 import explain_v1beta1  # noqa: PLC0415 - seldom

    try:
        sent = decode_json(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return error
    return Outdated(explain_v1beta1(sent if isinstance(sent, dict) else {}))


class Outdated(WireError):
    """A body in a form that is served no more; says what to write instead."""

    def bad_request(self, expected_kind: str) -> str:
        return str(self)


_TYPES: Final[Mapping[tuple[str, str], type[BuiltinType]]] = {
    ("", "pods"): PodType,
    ("batch", "jobs"): JobType,
    ("", "replicationcontrollers"): ReplicationControllerType,
    ("apps", "daemonsets"): DaemonSetType,
    ("", "namespaces"): NamespaceType,
    ("", "events"): EventType,
    ("", "secrets"): DataType,
    ("", "configmaps"): DataType,
    ("autoscaling", "horizontalpodautoscalers"): AutoscalerV2,
    ("apiextensions.k8s.io", "customresourcedefinitions"): DefinitionType,
}


def builtin_type(served: ServedResource, types: Mapping[tuple[str, str, str], BuiltinType]) -> BuiltinType:
    """The type of a built-in resource; `types` are those made before, which the stored versions are among."""
    place = (served.group, served.resource)
    if place == ("autoscaling", "horizontalpodautoscalers") and served.version == "v1":
        return AutoscalerV1(served, types["autoscaling", "v2", served.resource])
    if place == ("events.k8s.io", "events"):
        return EventsV1(served, types["", "v1", "events"])
    return _TYPES.get(place, BuiltinType)(served)
