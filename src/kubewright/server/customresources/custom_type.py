"""Custom resources: read, kept and shown by the schema of their CustomResourceDefinition."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from typing import Any, Final, TypeVar

import msgspec

from kubewright.crd.defaulting import default
from kubewright.crd.go_values import as_stored, deep_equal, may_have_whole_floats
from kubewright.crd.object_meta import coerce_metadata
from kubewright.crd.pruning import drop_unknown_fields, prune
from kubewright.crd.structural import StructuralSchema
from kubewright.crd.validation import Rules, validate, validate_status
from kubewright.machinery.apply import FieldManager
from kubewright.machinery.errors import ApiError, ParseError
from kubewright.machinery.field_errors import invalid as invalid_field
from kubewright.machinery.gvk import GroupKind, version_sort_key
from kubewright.machinery.names import is_qualified_name
from kubewright.machinery.schema import Schema
from kubewright.server.customresources.conversion import Converter
from kubewright.server.customresources.custom_scale import custom_scale, with_custom_replicas
from kubewright.server.customresources.version_schemas import VersionSchemas
from kubewright.server.errors import internal_error, invalid
from kubewright.server.kinds.kind import Context, Errors, Kind, Object, Subresource
from kubewright.server.kinds.metadata_rules import are_too_large, validate_object_meta
from kubewright.server.registry.resource import ServedResource
from kubewright.server.registry.resource_type import REGISTRY_ROOT, ResourceType, field_set
from kubewright.server.registry.stored import decode_stored, encode_stored, read_meta, read_stored_version
from kubewright.server.storage import Value
from kubewright.server.tables import Printer
from kubewright.server.tables.custom import crd_printer
from kubewright.server.tables.json_path import compile_json_path
from kubewright.server.wire import Read, WireError, WrongKind, read_json

__all__ = ["CustomType"]

_CONVERTED_AT_ONCE: Final = 500
"""How many objects a webhook is sent in one request, so that its answer has a bound; any number would do."""

_T = TypeVar("_T")

_encode: Final = msgspec.json.Encoder().encode


_WAITING_FOR_CONVERSIONS: Final = 16
"""How many writes may wait for conversions in the middle of their work, each in a thread. A webhook that does
not answer keeps one for 30 seconds; other work has other threads."""


@lru_cache(1)
def _conversion_threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_WAITING_FOR_CONVERSIONS, thread_name_prefix="kubewright-conversions")


class CustomType(ResourceType):
    """One version of a custom resource.

    `changed_at` is the revision since which objects are written by this schema: those of before are pruned
    and get their defaults when they are read, by the schema of the version in which they are stored. The
    types of one definition share `schemas`, those of all versions.

    What is written in another version than the stored one is stored as that version's schema has it, with its
    defaults; upstream fills in those when it reads, which differs only when a default is changed later.
    """

    stores_type = True
    strategic = False

    def __init__(
        self,
        served: ServedResource,
        crd: Object,
        *,
        changed_at: int = 0,
        converter: Converter | None = None,
        schemas: VersionSchemas | None = None,
    ) -> None:
        super().__init__(served, f"{REGISTRY_ROOT}{served.group}/{served.resource}/")
        spec = crd["spec"]
        self._version: Final = next(each for each in spec["versions"] if each["name"] == served.version)
        self._schemas: Final = schemas or VersionSchemas(crd)
        self._openapi: Final = self._schemas.openapi(self.api_version)
        self._preserves: Final = bool(spec.get("preserveUnknownFields"))
        self._subresources: Final = self._version.get("subresources") or {}
        storage = next(each["name"] for each in spec["versions"] if each.get("storage"))
        self._stored_version: Final = f"{served.group}/{storage}"
        self._as_stored: Final = self._schemas.are_same(self.api_version, self._stored_version)
        self._own: Final = _type_prefix(self.api_version, served.kind)
        self._changed_at: Final = changed_at
        self.deprecation = _deprecation(self._version, spec, served)
        self._converter: Final = converter
        self._loop: asyncio.AbstractEventLoop | None = None
        self.converts = converter is not None

    @cached_property
    def structural(self) -> StructuralSchema:
        """The schema, prepared."""
        return self._schemas.structural(self.api_version)

    @cached_property
    def cel(self) -> Rules | None:
        """The CEL rules of the schema; None when it has none."""
        from kubewright.crd.cel import compile_schema  # noqa: PLC0415 - large, and most schemas have no rules

        return compile_schema(self._openapi)

    @cached_property
    def schema(self) -> Schema:
        return self._schemas[self.api_version]

    @cached_property
    def printer(self) -> Printer:
        return crd_printer(self._version.get("additionalPrinterColumns"))

    @cached_property
    def rules(self) -> Kind:
        has_status = "status" in self._subresources
        return Kind(
            default=lambda obj: default(obj, self.structural),
            prepare_create=_without_status if has_status else _as_it_is,
            prepare_update=_with_old_status if has_status else _as_it_was,
            validate=self._validate,
            validate_update=self._validate_update,
            warnings=_warnings,
            generation=_has_changed,
            subresources={"status": self._status_rules()} if has_status else {},
            resets=("status",) if has_status else (),
            fields=self._selected_fields if self._version.get("selectableFields") else None,
            allow_unconditional_update=False,
        )

    def read(self, data: bytes, *, strict: bool) -> Read:
        obj, problems = read_json(data, strict=strict)
        return self._completed(obj, problems)

    def read_object(self, obj: Object, *, strict: bool) -> Read:
        return self._completed(msgspec.json.decode(_encode(obj)), ())

    def read_applied(self, obj: Object, *, strict: bool) -> Read:
        # Upstream does not decode it again: nobody is told of times that are none and of what is below a
        # value that may be anything, and nulls stay for the schema to refuse.
        made: Object = msgspec.json.decode(_encode(obj))
        self._check_type(made)
        drop_unknown_fields(made, self.structural, resource=True)
        if "metadata" in made:
            made["metadata"] = coerce_metadata(_without_bad_times(made["metadata"]))
        default(made, self.structural)
        return Read(made)

    def read_admitted(self, obj: Object) -> Object:
        made = self.read_object(obj, strict=False).obj
        if not isinstance(made.get("metadata"), dict):
            made["metadata"] = {}
        return made

    async def as_version(self, obj: Object, other: ResourceType) -> Object:
        made: Object = msgspec.json.decode(_encode(obj))
        if self._converter is None:
            made["apiVersion"] = other.api_version
        else:
            (made,) = await self._converter.convert([made], other.api_version)
        return made

    def decode(self, value: bytes) -> Object:
        obj = decode_stored(value)
        if self._converter is not None:
            # `convert` has done all the rest.
            return obj
        self._schemas.refresh(obj)
        if obj["apiVersion"] != self.api_version:
            obj["apiVersion"] = self.api_version
            self._schemas.coerce(obj)
        return obj

    def present(self, value: bytes) -> bytes:
        if self._converter is not None:
            return value
        if self._is_old(value):
            return encode_stored(self.decode(value), with_type=True)
        if value.startswith(self._own):
            return value
        stored = read_stored_version(value)
        if self._schemas.are_same(stored, self.api_version):
            return self._own + value[len(_type_prefix(stored, self.served.kind)) :]
        return encode_stored(self.decode(value), with_type=True)

    def item(self, value: bytes) -> bytes:
        return self.present(value)

    async def convert(self, values: Sequence[bytes]) -> Sequence[bytes]:
        converter = self._converter
        assert converter is not None  # noqa: S101 - only asked when there is one
        made = list(values)
        foreign: list[tuple[int, Object]] = []
        for place, value in enumerate(values):
            is_own, is_old = value.startswith(self._own), self._is_old(value)
            if is_own and not is_old:
                continue
            obj = decode_stored(value)
            if is_old:
                self._schemas.refresh(obj)
            if is_own:
                made[place] = encode_stored(obj, with_type=True)
            else:
                foreign.append((place, obj))
        for start in range(0, len(foreign), _CONVERTED_AT_ONCE):
            part = foreign[start : start + _CONVERTED_AT_ONCE]
            converted = await converter.convert([obj for _, obj in part], self.api_version)
            for (place, _), obj in zip(part, converted, strict=True):
                self._schemas.coerce(obj)
                made[place] = encode_stored(obj, with_type=True)
        return made

    def may_be_outdated(self, value: bytes) -> bool:
        return self._is_old(value) or read_stored_version(value) != self._stored_version

    async def convert_to_storage(self, obj: Object) -> Object:
        if self.api_version == self._stored_version:
            return obj
        assert self._converter is not None  # noqa: S101 - only asked when there is one
        (made,) = await self._converter.convert([obj], self._stored_version)
        self._schemas.coerce(made)
        self._schemas.complete(made)
        return made

    def encode(self, obj: Object) -> Value:
        obj = self._storable(obj)
        value = super().encode(obj)
        if may_have_whole_floats(value.before) or may_have_whole_floats(value.after):
            return super().encode(as_stored(obj))
        return value

    def encode_unstored(self, obj: Object) -> bytes:
        return super().encode_unstored(as_stored(self._storable(obj)))

    def _is_old(self, value: bytes) -> bool:
        """Whether an object was written before the schema was as it is."""
        return bool(self._changed_at) and int(read_meta(value).resource_version or 0) < self._changed_at

    def _storable(self, obj: Object) -> Object:
        """An object in the version in which it is stored."""
        if obj["apiVersion"] == self._stored_version:
            return obj
        made = {**obj, "apiVersion": self._stored_version}
        if not self._as_stored:
            made = msgspec.json.decode(_encode(made))
            self._schemas.coerce(made)
            self._schemas.complete(made)
        return made

    async def managed(self, work: Callable[[], _T], *objects: Object | None, size: int = 0) -> _T:
        if self._converter is None or not any(map(self._has_foreign_managers, objects)):
            return await super().managed(work, *objects, size=size)
        # The manager asks for conversions in the middle of its work, which take a webhook.
        self._loop = loop = asyncio.get_running_loop()
        return await loop.run_in_executor(_conversion_threads(), work)

    async def judge(self, work: Callable[[], None]) -> None:
        if self.cel is None:
            work()
            return
        from kubewright.server.expression_costs import evaluate  # noqa: PLC0415 - see `cel`

        await evaluate(work)

    def _has_foreign_managers(self, obj: Object | None) -> bool:
        metadata = (obj or {}).get("metadata") or {}
        entries = metadata.get("managedFields")
        return isinstance(entries, list) and any(
            isinstance(entry, dict) and entry.get("apiVersion") != self.api_version for entry in entries
        )

    def _make_manager(self, subresource: str) -> FieldManager:
        rules = self.rules
        resets = rules.subresources[subresource].resets if subresource in rules.subresources else rules.resets
        return FieldManager(
            self.schema,
            api_version=self.api_version,
            kind=self.served.kind,
            subresource=subresource,
            convert=self._converted_for_managers,
            schemas=self._schemas,
            ignore={self.api_version: field_set(resets)},
        )

    def _converted_for_managers(self, obj: Object, api_version: str) -> Object:
        """An object in another version; with a webhook, only for work that `managed` runs."""
        if api_version not in self._schemas:
            raise ParseError(f"request to convert CR to an invalid group/version: {api_version}")
        if self._converter is None or obj.keys() <= {"apiVersion", "kind"}:
            return {**obj, "apiVersion": api_version}
        asked = self._converter.convert([obj], api_version)
        assert self._loop is not None  # noqa: S101 - `managed` has set it
        try:
            (made,) = asyncio.run_coroutine_threadsafe(asked, self._loop).result()
        except ApiError as error:
            raise ParseError(error.status.message) from None
        return made

    def unknown_field(self, field: str) -> str:
        return f"field label not supported: {field}"

    def finalizer_errors(self, metadata: Object) -> Errors:
        return []

    def scale_of(self, obj: Object) -> Object:
        shown = custom_scale(obj, self._subresources["scale"])
        if shown is None:
            path = self._subresources["scale"]["specReplicasPath"]
            raise internal_error(f'the spec replicas field "{path}" does not exist')
        return shown

    def scaled(self, obj: Object, scale: Object) -> Object:
        version = (scale.get("metadata") or {}).get("resourceVersion", "")
        replicas = (scale.get("spec") or {}).get("replicas", 0)
        made = self.with_replicas(obj, replicas)
        # A custom resource wants to know what it overwrites; a Scale may leave that out.
        given = version or obj["metadata"].get("resourceVersion", "")
        return {**made, "metadata": {**made["metadata"], "resourceVersion": given}}

    def with_replicas(self, obj: Object, replicas: object) -> Object:
        return with_custom_replicas(obj, self._subresources["scale"], replicas)

    def _completed(self, obj: Object, problems: Sequence[str]) -> Read:
        self._check_type(obj)
        try:
            unknown = prune(obj, self.structural, preserve_unknown_fields=self._preserves)
        except ParseError as error:
            raise WireError(str(error), api_version=self.api_version, kind=self.served.kind) from None
        default(obj, self.structural)
        return Read(obj, [*problems, *unknown] if unknown or problems else ())

    def _check_type(self, obj: Object) -> None:
        """Raises WireError and Invalid for an object of another type than the resource's."""
        api_version, kind = obj.get("apiVersion", ""), obj.get("kind", "")
        if kind == self.served.kind and api_version == self.api_version:
            return
        if not kind:
            shown = _encode(obj)
            raise WireError(f"Object 'Kind' is missing in '{shown.decode(errors='replace')}'", body=shown)
        if api_version is None:
            why = ".apiVersion accessor error: <nil> is of the type <nil>, expected string"
            raise WireError(why, kind=str(kind))
        if api_version != self.api_version:
            raise WrongKind("", api_version=str(api_version), kind=str(kind), expected=self.api_version)
        name = obj["metadata"].get("name", "") if isinstance(obj.get("metadata"), dict) else ""
        wrong = invalid_field("kind", kind, f"must be {self.served.kind}")
        raise invalid(GroupKind(self.served.group, str(kind)), str(name), [wrong])

    def _validate(self, obj: Object) -> Errors:
        return validate(
            obj,
            self.structural,
            scale=self._subresources.get("scale"),
            metadata_rule=_embedded_metadata,
            rules=self.cel,
            blocked=_is_blocked(obj["metadata"]),
        )

    def _validate_update(self, obj: Object, old: Object) -> Errors:
        return validate(
            obj,
            self.structural,
            old=old,
            scale=self._subresources.get("scale"),
            metadata_rule=_embedded_metadata,
            rules=self.cel,
            blocked=_is_blocked(obj["metadata"]),
        )

    def _status_rules(self) -> Subresource:
        def validate_new_status(obj: Object, old: Object) -> Errors:
            return validate_status(
                obj, self.structural, old=old, scale=self._subresources.get("scale"), rules=self.cel
            )

        return Subresource(prepare=_only_status, validate=validate_new_status, resets=("metadata", "spec"))

    def _selected_fields(self, obj: Object) -> Mapping[str, str]:
        return {name: _text(path.find(obj)) for name, path in self._field_paths}

    @cached_property
    def _field_paths(self) -> list[tuple[str, Any]]:
        return [
            (each["jsonPath"].removeprefix("."), compile_json_path(each["jsonPath"]))
            for each in self._version.get("selectableFields") or ()
        ]


def _deprecation(version: Object, spec: Object, served: ServedResource) -> str:
    """What users of a deprecated version are told: the definition's own words, or which version to use."""
    if not version.get("deprecated"):
        return ""
    if version.get("deprecationWarning"):
        return str(version["deprecationWarning"])
    text = f"{served.group}/{served.version} {served.kind} is deprecated"
    others = [each["name"] for each in spec["versions"] if each.get("served") and not each.get("deprecated")]
    newer = [each for each in others if version_sort_key(each) > version_sort_key(served.version)]
    if not newer:
        return text
    best = max(newer, key=version_sort_key)
    return f"{text}; use {served.group}/{best} {served.kind}"


def _type_prefix(api_version: str, kind: str) -> bytes:
    return b'{"apiVersion":' + _encode(api_version) + b',"kind":' + _encode(kind) + b","


def _text(found: Sequence[object]) -> str:
    if not found:
        return ""
    value = found[0]
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _as_it_is(obj: Object, context: Context) -> None:
    pass


def _without_status(obj: Object, context: Context) -> None:
    obj.pop("status", None)


def _as_it_was(obj: Object, old: Object, context: Context) -> None:
    pass


def _with_old_status(obj: Object, old: Object, context: Context) -> None:
    if "status" in old:
        obj["status"] = old["status"]
    else:
        obj.pop("status", None)


def _only_status(obj: Object, old: Object, context: Context) -> None:
    metadata = dict(old["metadata"])
    metadata.pop("managedFields", None)
    if obj["metadata"].get("managedFields"):
        metadata["managedFields"] = obj["metadata"]["managedFields"]
    status = {"status": obj["status"]} if "status" in obj else {}
    kept = {name: value for name, value in old.items() if name not in {"metadata", "status"}}
    obj.clear()
    obj.update(kept)
    obj["metadata"] = metadata
    obj.update(status)


def _has_changed(obj: Object, old: Object) -> bool:
    now, before = {**obj, "metadata": None}, {**old, "metadata": None}
    # To upstream 1.0 is another value than the 1 that is stored for it.
    return now != before or not deep_equal(now, before)


_STANDARD_FINALIZERS: Final = frozenset({"orphan", "foregroundDeletion", "kubernetes"})
"""Upstream's own."""


def _warnings(obj: Object, old: Object | None) -> list[str]:
    before = set((old or {}).get("metadata", {}).get("finalizers") or ()) if old else set()
    added = sorted(set(obj["metadata"].get("finalizers") or ()) - before)
    return [f'metadata.finalizers: "{name}": {why}' for name in added for why in _finalizer_warnings(name)]


def _finalizer_warnings(name: str) -> list[str]:
    """What is odd about the name of a finalizer; for custom resources it is no error."""
    found = list(is_qualified_name(name))
    if "/" not in name and name not in _STANDARD_FINALIZERS:
        path = " including a path (/)" if "." in name else ""
        others = "to avoid accidental conflicts with other finalizer writers"
        found.append(f"prefer a domain-qualified finalizer name{path} {others}")
    return found


def _without_bad_times(metadata: object) -> object:
    if not isinstance(metadata, dict):
        return metadata
    times = {
        name: metadata.pop(name) for name in ("creationTimestamp", "deletionTimestamp") if name in metadata
    }
    return metadata | coerce_metadata(times, drop_invalid=True)


def _is_blocked(metadata: Object) -> bool:
    """Whether metadata has one of the errors after which upstream does not ask the CEL rules."""
    annotations = metadata.get("annotations")
    return not metadata.get("name") or bool(annotations and are_too_large(annotations))


def _embedded_metadata(metadata: Object, path: str) -> Errors:
    return validate_object_meta(metadata, namespaced="namespace" in metadata, name_rule=_any_name, path=path)


def _any_name(name: str, *, prefix: bool = False) -> Sequence[str]:
    return ()
