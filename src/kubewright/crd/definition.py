"""What `@custom_resource` knows of a class, and the CustomResourceDefinition that is made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubewright.crd.class_schema import Schema, SchemaBuilder
from kubewright.crd.columns import PrinterColumn, column_entry
from kubewright.crd.conversion import check_functions, is_spoke
from kubewright.crd.descriptions import DocStrings
from kubewright.crd.field_paths import selectable_field
from kubewright.crd.naming import ResourceNames
from kubewright.crd.rules import check_rules, has_rules
from kubewright.crd.structural import StructuralSchema, parse_schema
from kubewright.crd.subresources import Scale, subresource_entries
from kubewright.machinery.errors import DeclarationError
from kubewright.machinery.resource import Resource

if TYPE_CHECKING:
    from kubewright.crd.cel import CelUnavailableError
    from kubewright.crd.validation import Rules
    from kubewright.models.apiextensions_v1 import CustomResourceConversion, CustomResourceDefinition

__all__ = ["Declaration", "VersionOptions"]

_MAX_SELECTABLE: Final = 8
"""How many selectable fields a server allows: upstream's MaxSelectableFields."""
_MAX_WARNING: Final = 256
"""How many bytes a deprecation warning may have, so that it fits into a header: upstream's limit."""


class VersionOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What one version of a custom resource has beside its schema."""

    name: str
    served: bool
    storage: bool
    deprecated: bool | str
    columns: tuple[PrinterColumn, ...]
    subresources: tuple[str | Scale, ...]
    selectable_fields: tuple[str, ...]


class Declaration:
    """A class as a version of a custom resource, with its schema; `others` are further versions.

    The schema is made when it is first asked for, which `check` does.
    """

    def __init__(
        self,
        cls: type[Resource],
        names: ResourceNames,
        version: VersionOptions,
        *,
        others: Callable[[], tuple[Declaration, ...]] = tuple,
        labels: Mapping[str, str],
        annotations: Mapping[str, str],
        extra: Mapping[str, Any],
        deferred: bool,
    ) -> None:
        self.cls: Final = cls
        self.names: Final = names
        self.version: Final = version
        self._others: Final = others
        self.labels: Final = dict(labels)
        self.annotations: Final = dict(annotations)
        self._extra: Final = dict(extra)
        self.deferred: Final = deferred
        """Whether a server knows the definition already, as of somebody else's kind; nothing is checked."""
        self.unchecked: CelUnavailableError | None = None
        """Why the rules were not compiled, if there are rules and they were not."""

    def check(self) -> None:
        """Make the schema and compile its rules. Raises DeclarationError for what a server would refuse.

        Rules are compiled if the extra `cel` is installed. Where an operator runs it need not be: the rules
        were checked where it was developed, and API servers evaluate them.
        """
        _ = self.entry
        try:
            check_rules(self.cls.__name__, self.schema)
        except ImportError as error:
            from kubewright.crd.cel import CelUnavailableError  # noqa: PLC0415 - large, and there is a rule

            if not isinstance(error, CelUnavailableError):
                raise
            self.unchecked = error

    @cached_property
    def others(self) -> tuple[Declaration, ...]:
        """The kind's other versions."""
        return self._others()

    @cached_property
    def schema(self) -> Schema:
        """Without descriptions: what the server makes of an object."""
        return {**SchemaBuilder(fills_in_for_rules=not self.deferred).of_resource(self.cls), **self._extra}

    @cached_property
    def entry(self) -> dict[str, Any]:
        """The version as the definition has it, without descriptions."""
        return self._version_entry()

    @cached_property
    def structural(self) -> StructuralSchema:
        """The schema, prepared."""
        return parse_schema(self.schema)

    @cached_property
    def rules(self) -> Rules | None:
        """The CEL rules of the schema, compiled; None when it has none."""
        if not has_rules(self.schema):
            return None
        from kubewright.crd.cel import compile_schema  # noqa: PLC0415 - large, and most kinds have no rules

        return compile_schema(self.schema)

    @property
    def has_conversions(self) -> bool:
        """Whether functions convert between the versions, so that the definition needs a webhook."""
        return any(is_spoke(each.cls) for each in self._all())

    @property
    def scale(self) -> Mapping[str, str] | None:
        """The scale subresource as the definition has it."""
        found: Mapping[str, str] | None = self.entry.get("subresources", {}).get("scale")
        return found

    def definition(
        self, *, max_description: int, conversion: CustomResourceConversion | None
    ) -> CustomResourceDefinition:
        """The definition of all versions; see `Resource.crd`."""
        from kubewright.models.apiextensions_v1 import CustomResourceDefinition  # noqa: PLC0415 - see above

        made = self.manifest(max_description=max_description, conversion=conversion)
        return CustomResourceDefinition.from_dict(made)

    def manifest(
        self, *, max_description: int = 1000, conversion: CustomResourceConversion | None = None
    ) -> dict[str, Any]:
        """The definition of all versions as plain data, which shares parts and is not to be changed."""
        name = self.cls.__name__
        if sum(each.version.storage for each in self._all()) != 1:
            raise DeclarationError(
                f"{name} is not the storage version; ask the class that has it among its versions=[{name}], "
                "or write storage=True"
            )
        self.check_others()
        if conversion is None and self.has_conversions:
            raise DeclarationError(
                f"{name}: functions convert between its versions, and without a webhook that calls them "
                "fields would be lost; give crd(conversion=webhook_conversion(...)), or a WebhookServer's"
            )
        if max_description < 0:
            raise ValueError(f"max_description is {max_description}; give 0 for no descriptions at all")
        metadata: dict[str, Any] = {"name": f"{self.names.plural}.{self.names.group}"}
        metadata |= {"labels": self.labels} if self.labels else {}
        metadata |= {"annotations": self.annotations} if self.annotations else {}
        spec = {
            "group": self.names.group,
            "names": self._names_entry(),
            "scope": self.names.scope,
            "versions": [each.described_entry(max_description) for each in self._all()],
            "conversion": {"strategy": "None"} if conversion is None else conversion.to_dict(),
        }
        return {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": metadata,
            "spec": spec,
        }

    def described_entry(self, max_description: int) -> dict[str, Any]:
        """The version as the definition has it, with descriptions."""
        builder = SchemaBuilder(DocStrings(max_description), fills_in_for_rules=not self.deferred)
        schema = {**builder.of_resource(self.cls), **self._extra}
        return {**self.entry, "schema": {"openAPIV3Schema": schema}}

    def _all(self) -> Iterator[Declaration]:
        yield self
        yield from self.others

    def _names_entry(self) -> dict[str, Any]:
        names = self.names
        written: dict[str, Any] = {
            "kind": names.kind,
            "listKind": names.list_kind,
            "plural": names.plural,
            "singular": names.singular,
            "shortNames": list(names.short_names),
            "categories": list(names.categories),
        }
        return {name: value for name, value in written.items() if value}

    def _version_entry(self) -> dict[str, Any]:
        name, version = self.cls.__name__, self.version
        # Servers take columns and paths that lead nowhere, so that generated declarations may have them.
        schema = None if self.deferred else self.schema
        entry: dict[str, Any] = {
            "name": version.name,
            "served": version.served,
            "storage": version.storage,
            "schema": {"openAPIV3Schema": self.schema},
        }
        if version.deprecated is not False:
            entry["deprecated"] = True
            if isinstance(version.deprecated, str):
                _check_warning(name, version.deprecated)
                entry["deprecationWarning"] = version.deprecated
        if version.columns:
            entry["additionalPrinterColumns"] = [
                column_entry(name, column, schema) for column in version.columns
            ]
        if version.subresources:
            entry["subresources"] = subresource_entries(name, version.subresources, schema)
        if version.selectable_fields:
            _check_selectable(name, version.selectable_fields, self.schema)
            entry["selectableFields"] = [{"jsonPath": path} for path in version.selectable_fields]
        return entry

    def check_others(self) -> None:
        """Raise DeclarationError for versions that do not belong together, or that convert only in part."""
        seen = {self.version.name}
        for other in self.others:
            where = f"{self.cls.__name__}: versions has {other.cls.__name__}"
            for part in ("group", "kind", "plural", "scope"):
                own, its = getattr(self.names, part), getattr(other.names, part)
                if own != its:
                    raise DeclarationError(
                        f"{where}, whose {part} is {its!r} and not {own!r}; give both the same"
                    )
            if other.version.name in seen:
                raise DeclarationError(
                    f"{where}, but {other.version.name} is there already; each version once"
                )
            seen.add(other.version.name)
        if self.others and sum(each.version.storage for each in self._all()) != 1:
            raise DeclarationError(
                f"{self.cls.__name__}: of its versions exactly one is stored; give the others storage=False"
            )
        for hub in (each for each in self._all() if each.version.storage):
            check_functions(hub.cls, [each.cls for each in self._all() if each is not hub])


def _check_warning(cls_name: str, warning: str) -> None:
    if not warning or not warning.isprintable() or len(warning.encode()) > _MAX_WARNING:
        raise DeclarationError(
            f"{cls_name}: the warning of a deprecated version is one line of at most {_MAX_WARNING} bytes; "
            "write deprecated=True for the server's own words"
        )


def _check_selectable(cls_name: str, paths: tuple[str, ...], schema: Schema) -> None:
    if len(paths) > _MAX_SELECTABLE:
        raise DeclarationError(
            f"{cls_name}: {len(paths)} selectable fields, and servers take {_MAX_SELECTABLE}"
        )
    seen: set[str] = set()
    for path in paths:
        where = f"{cls_name}: selectable_fields has {path!r}, which"
        shown, kind, wrong = selectable_field(path, schema)
        if not path or wrong:
            raise DeclarationError(f"{where} leads to no field of the schema ({wrong or 'it is empty'})")
        if shown.startswith("metadata"):
            raise DeclarationError(f"{where} is metadata; servers select by name and namespace anyway")
        if kind not in ("string", "boolean", "integer"):
            raise DeclarationError(f"{where} is {kind or 'of no type'}; servers select by str, bool and int")
        if shown in seen:
            raise DeclarationError(f"{where} stands there twice")
        seen.add(shown)
