"""The rules of field ownership: what a write makes of the managers of an object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias, final

from kubewright.machinery.apply.compare import Comparison, compare
from kubewright.machinery.apply.fieldset import EMPTY, FieldSet
from kubewright.machinery.apply.managers import ApplyConflict, Manager, ManagerKey, Managers
from kubewright.machinery.apply.merge import merge, remove_items
from kubewright.machinery.apply.path_element import make_path
from kubewright.machinery.apply.tree import has_below
from kubewright.machinery.apply.typed import name_members, reconcile_set, to_field_set, to_named_field_set
from kubewright.machinery.apply.validation import validate
from kubewright.machinery.apply.values import JSONObject, same_value
from kubewright.machinery.errors import KubewrightError
from kubewright.machinery.schema import Schema

__all__ = ["NOBODYS_FIELDS", "Converter", "FieldFilter", "MissingVersion", "Ownership"]

Converter: TypeAlias = Callable[[JSONObject, str], JSONObject]
"""Gives an object in another apiVersion; raises MissingVersion when there is none."""

FieldFilter: TypeAlias = FieldSet | Callable[[FieldSet], FieldSet]
"""Fields that a write cannot set: a set to leave out with all below it, or a function that does so."""

NOBODYS_FIELDS: Final = FieldSet(
    (
        make_path("apiVersion"),
        make_path("kind"),
        make_path("metadata"),
        *(
            make_path("metadata", name)
            for name in (
                "name",
                "namespace",
                "creationTimestamp",
                "selfLink",
                "uid",
                "clusterName",
                "generation",
                "managedFields",
                "resourceVersion",
            )
        ),
    )
)
"""Fields that are never recorded as owned; the list is that of kube-apiserver's stripMetaManager."""

_NOTHING: Final[Mapping[str, Any]] = {}


class MissingVersion(KubewrightError):
    """A version that an object cannot be converted to, because it is not served any more.

    Converters raise it; managers that recorded their fields in such a version are dropped.
    """


class _Changes(NamedTuple):
    """What a write does to the fields of one version."""

    written: FieldSet
    removed: FieldSet


@final
class Ownership:
    """Ownership of the fields of objects of one kind, written in one version.

    `convert` and `schemas` are for managers that recorded their fields in other versions; without them all
    versions are taken for the same. `ignore` names, by version, the fields that this kind of write resets and
    so nobody comes to own by it. Nothing that is passed in is changed; results share data with what was
    passed in.
    """

    def __init__(
        self,
        schema: Schema,
        api_version: str,
        *,
        convert: Converter | None = None,
        schemas: Mapping[str, Schema] = _NOTHING,
        ignore: Mapping[str, FieldFilter] = _NOTHING,
    ) -> None:
        self.schema: Final = schema
        self.api_version: Final = api_version
        self._convert = convert
        self._schemas = schemas
        self._ignore = ignore

    def update(
        self, live: JSONObject, new: JSONObject, managers: Mapping[ManagerKey, Manager], manager: Manager
    ) -> Managers:
        """The managers after `manager` replaced `live` by `new`.

        What it changed or added becomes its own, besides what it owned before, and nobody else's; what it
        removed is owned by nobody. `manager` says who writes and when: its time is recorded if it comes to
        own something by this write. Raises ParseError.
        """
        known = self._reconciled(live, managers)
        known, changes = self._take(live, new, known, None, force=True)
        fields = self.recorded(changes.written)
        if fields:
            before = known.get(manager.key)
            known[manager.key] = manager.owning(fields | before.fields if before else fields)
        return known

    def recorded(self, fields: FieldSet) -> FieldSet:
        """Of fields that were written, those that are recorded as owned."""
        return self._filtered(fields, self.api_version) - NOBODYS_FIELDS

    def apply(
        self,
        live: JSONObject,
        config: JSONObject,
        managers: Mapping[ManagerKey, Manager],
        manager: Manager,
        *,
        force: bool = False,
    ) -> tuple[JSONObject | None, Managers]:
        """`live` with `config` applied by `manager` (None: that changes nothing), and the managers after it.

        The fields of `config` become its own, shared with others where the values agree. Fields it applied
        before and does not apply now go, unless somebody else owns them. Raises ApplyConflict when it would
        change a field of another manager and not `force`, and ParseError. The time of `manager` is recorded
        only when the object changes.
        """
        known = self._reconciled(live, managers)
        merged = merge(live, config, self.schema)
        last = known.get(manager.key)
        writer = manager.owning(self._filtered(to_field_set(config, self.schema), self.api_version))
        known[manager.key] = writer
        if last is not None and not self._drops_nothing(last, writer, config, merged, known):
            merged = self._pruned(merged, known, last)
        known, _ = self._take(live, merged, known, manager.key, force=force)
        same = same_value(live, merged)
        applied = known.pop(manager.key, manager).fields - NOBODYS_FIELDS
        if applied:
            before = managers.get(manager.key)
            time = manager.time if not same else before.time if before else ""
            known[manager.key] = manager._replace(fields=applied, time=time)
        return (None if same else merged), known

    def _take(
        self, old: JSONObject, new: JSONObject, managers: Managers, writer: ManagerKey | None, *, force: bool
    ) -> tuple[Managers, _Changes]:
        """Takes what differs between `old` and `new` from all managers but the writer."""
        own = self._comparison(old, new, self.schema, self.api_version)
        comparisons: dict[str, _Changes | None] = {self.api_version: own}
        kept: Managers = {}
        conflicts: dict[ManagerKey, FieldSet] = {}
        for key, manager in managers.items():
            fields = manager.fields
            if key != writer:
                version = manager.api_version
                if version not in comparisons:
                    comparisons[version] = self._comparison_in(old, new, version)
                changes = comparisons[version]
                if changes is None:
                    continue
                lost = fields & changes.written
                if lost:
                    conflicts[key] = lost
                    fields = fields - lost
                if changes.removed:
                    fields = fields - changes.removed
            if fields:
                kept[key] = manager if fields is manager.fields else manager.owning(fields)
        if conflicts and not force:
            raise ApplyConflict(conflicts)
        return kept, own

    def _comparison(self, old: JSONObject, new: JSONObject, schema: Schema, version: str) -> _Changes:
        found = compare(old, new, schema)
        if version in self._ignore:
            found = Comparison(*(self._filtered(fields, version) for fields in found))
        return _Changes(found.modified | found.added, found.removed)

    def _comparison_in(self, old: JSONObject, new: JSONObject, version: str) -> _Changes | None:
        try:
            before, after = self._converted(old, version), self._converted(new, version)
        except MissingVersion:
            return None
        return self._comparison(before, after, self._schema(version), version)

    def _drops_nothing(
        self, last: Manager, writer: Manager, config: JSONObject, merged: JSONObject, managers: Managers
    ) -> bool:
        """Whether it is plain, without the labour of `_pruned`, that there is nothing to prune.

        That is so when all that was applied last time is applied again. There is one exception upstream: a
        container that is applied empty, while it holds something, may go with what nobody owns in it.
        """
        version = self.api_version
        return not last.fields or (
            version not in self._ignore
            and all(manager.api_version == version for manager in managers.values())
            and last.api_version == version
            and not last.fields - writer.fields
            and not (
                _has_empty(config)
                and has_below(compare(config, merged, self.schema).added.tree, writer.fields.tree)
            )
        )

    def _pruned(self, merged: JSONObject, managers: Managers, last: Manager) -> JSONObject:
        """`merged` without what the applier applied last time, and neither it now nor anybody else owns."""
        version = last.api_version
        try:
            whole = self._converted(merged, version)
        except MissingVersion:
            return merged
        schema = self._schema(version)
        last_fields = _named(last.fields, schema)
        whole_fields = to_named_field_set(whole, schema)
        pruned = remove_items(whole, last_fields, schema)
        pruned = self._with_owned(whole, whole_fields, pruned, version, managers)
        # Fields that neither the applier nor anybody else owns stay as well.
        try:
            pruned = self._converted(pruned, version)
        except MissingVersion:
            return self._converted(whole, self.api_version)
        dropped = whole_fields - to_named_field_set(pruned, schema)
        return self._converted(remove_items(whole, dropped & last_fields, schema), self.api_version)

    def _with_owned(
        self, whole: JSONObject, whole_fields: FieldSet, pruned: JSONObject, version: str, managers: Managers
    ) -> JSONObject:
        """`pruned` with the fields of `whole` put back that some manager owns."""
        owned: dict[str, FieldSet] = {}
        for manager in managers.values():
            owned[manager.api_version] = owned.get(manager.api_version, EMPTY) | manager.fields
        # The version that was pruned comes first: what goes missing there may be needed to convert.
        for at in sorted(owned, key=lambda at: (at != version, at)):
            try:
                whole, pruned = self._converted(whole, at), self._converted(pruned, at)
            except MissingVersion:
                continue
            schema = self._schema(at)
            if at != version:
                whole_fields = to_named_field_set(whole, schema)
            kept = to_named_field_set(pruned, schema) | _named(owned[at], schema)
            pruned = remove_items(whole, whole_fields - kept, schema)
        return pruned

    def _reconciled(self, live: JSONObject, managers: Mapping[ManagerKey, Manager]) -> Managers:
        """The managers with their fields brought up to the schemas, without those of missing versions."""
        known: Managers = {}
        served: dict[str, bool] = {}
        for key, manager in managers.items():
            version = manager.api_version
            if version not in served:
                served[version] = self._serves(live, version)
            if served[version]:
                fields = manager.fields
                reconciled = reconcile_set(fields, self._schema(version))
                known[key] = manager if reconciled is fields else manager.owning(reconciled)
        return known

    def _serves(self, live: JSONObject, version: str) -> bool:
        try:
            self._converted(live, version)
        except MissingVersion:
            return False
        return True

    def _converted(self, value: JSONObject, version: str) -> JSONObject:
        if value.get("apiVersion") == version:
            return value
        converted = value if self._convert is None else self._convert(value, version)
        validate(converted, self._schema(version))
        return converted

    def _schema(self, version: str) -> Schema:
        return self.schema if version == self.api_version else self._schemas.get(version, self.schema)

    def _filtered(self, fields: FieldSet, version: str) -> FieldSet:
        ignored = self._ignore.get(version)
        if ignored is None:
            return fields
        return fields.recursive_difference(ignored) if isinstance(ignored, FieldSet) else ignored(fields)


def _has_empty(value: Any) -> bool:
    """Whether there is null or an empty object or list in a value."""
    if isinstance(value, dict):
        return not value or any(map(_has_empty, value.values()))
    if isinstance(value, list):
        return not value or any(map(_has_empty, value))
    return value is None


def _named(fields: FieldSet, schema: Schema) -> FieldSet:
    return fields.made(name_members(fields.tree, schema))
