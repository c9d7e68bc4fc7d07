"""What a CustomResourceDefinition must be like, and what an update of one may change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from kubewright.crd.go_values import invalid
from kubewright.crd.structural import MAX_DEPTH, StructuralSchema, parse_schema
from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import (
    forbidden,
    internal,
    not_supported,
    required,
)
from kubewright.machinery.names import is_dns1035_label, is_dns1123_subdomain
from kubewright.server.kinds.apiextensions.api_approval import (
    APPROVED_ANNOTATION,
    approval_state,
    is_protected_group,
)
from kubewright.server.kinds.apiextensions.conversion_rules import (
    ca_bundle_errors,
    conversion_errors,
    has_accepted_review_version,
)
from kubewright.server.kinds.apiextensions.internal import (
    InternalSpec,
    internal_spec,
    printed_schema,
)
from kubewright.server.kinds.apiextensions.schema_defaults import default_errors, has_unpruned_defaults
from kubewright.server.kinds.apiextensions.schema_rules import (
    OPENAPI_TYPES,
    SchemaOptions,
    list_key_errors,
    schema_has,
    schema_rule_errors,
)
from kubewright.server.kinds.apiextensions.structural_rules import structural_errors
from kubewright.server.kinds.apiextensions.version_rules import (
    MAX_SELECTABLE_FIELDS,
    column_errors,
    names_errors,
    names_presence_errors,
    selectable_errors,
    subresource_errors,
    warning_errors,
)
from kubewright.server.kinds.kind import Errors, Object
from kubewright.server.kinds.metadata_rules import validate_immutable

__all__ = ["is_condition_true", "validate_create", "validate_status", "validate_update"]

_AT_ROOT: Final = {
    "description": "Description", "type": "Type", "format": "Format", "title": "Title", "maximum": "Maximum",
    "exclusiveMaximum": "ExclusiveMaximum", "minimum": "Minimum", "exclusiveMinimum": "ExclusiveMinimum",
    "maxLength": "MaxLength", "minLength": "MinLength", "pattern": "Pattern", "maxItems": "MaxItems",
    "minItems": "MinItems", "uniqueItems": "UniqueItems", "multipleOf": "MultipleOf", "required": "Required",
    "items": "Items", "properties": "Properties", "externalDocs": "ExternalDocs", "example": "Example",
    "x-kubernetes-preserve-unknown-fields": "XPreserveUnknownFields",
    "x-kubernetes-validations": "XValidations",
}  # fmt: skip
"""What the root of a schema may have beside a status subresource, with upstream's names."""


class _Options(NamedTuple):
    """Which rules hold: an update does not tighten what the old definition broke already."""

    require_schema: bool = True
    require_structural: bool = True
    require_pruned_defaults: bool = True
    require_review_version: bool = True
    immutable_names: bool = False
    allow_invalid_ca: bool = True
    too_many_fields: frozenset[str] = frozenset()
    """The versions, "" for all, whose selectable fields are too many and unchanged."""
    schema: SchemaOptions = SchemaOptions()


def validate_create(crd: Object) -> Errors:
    """All that is wrong with a new definition."""
    return _guarded(lambda: _name_errors(crd) + _validate(crd, None, _Options()))


def validate_update(crd: Object, old: Object) -> Errors:
    """All that is wrong with the update of a definition."""
    return _guarded(lambda: _update(crd, old))


def _guarded(validate: Callable[[], Errors]) -> Errors:
    try:
        return validate()
    except RecursionError:
        return [forbidden("spec.versions", f"a schema may not nest more than {MAX_DEPTH} levels deep")]


def _update(crd: Object, old: Object) -> Errors:
    spec, before = internal_spec(crd.get("spec") or {}), internal_spec(old.get("spec") or {})
    established = is_condition_true(old, "Established")
    options = _Options(
        require_schema=_all_have_schemas(before),
        require_structural=not any(_is_not_structural(schema) for schema in before.schemas()),
        require_pruned_defaults=not any(has_unpruned_defaults(schema) for schema in before.schemas()),
        require_review_version=has_accepted_review_version(before.conversion),
        immutable_names=established,
        allow_invalid_ca=not established or _has_invalid_ca(before.conversion),
        too_many_fields=_too_many_allowed(spec, before),
        schema=SchemaOptions(
            valid_types=not _any_schema(before, _has_wrong_type),
            atomic_sets=not _any_schema(before, _has_granular_set),
            list_keys=not _any_schema(before, lambda schema: bool(list_key_errors(schema, ""))),
        ),
    )
    return _validate(crd, old, options)


def validate_status(crd: Object, old: Object) -> Errors:
    """All that is wrong with a write of /status."""
    return names_errors((crd.get("status") or {}).get("acceptedNames") or {}, "status.acceptedNames")


def is_condition_true(crd: Object, kind: str) -> bool:
    """Whether a definition has a condition with the status True."""
    conditions: Sequence[Object] = (crd.get("status") or {}).get("conditions") or ()
    return any(one.get("type") == kind and one.get("status") == "True" for one in conditions)


def _validate(crd: Object, old: Object | None, options: _Options) -> Errors:
    spec = internal_spec(crd.get("spec") or {})
    found = _spec_errors(spec, options)
    if old is not None:
        found += _update_errors(crd.get("spec") or {}, old.get("spec") or {}, options)
    found += validate_status(crd, crd)
    found += _stored_version_errors((crd.get("status") or {}).get("storedVersions") or [], spec.versions)
    found += _approval_errors(crd, old)
    kept = old is not None and (old.get("spec") or {}).get("preserveUnknownFields")
    if spec.preserve_unknown_fields and not kept:
        told = (
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
            "spec.versions[*].schema instead"
        )
        found.append(invalid("spec.preserveUnknownFields", True, told))
    return found


def _name_errors(crd: Object) -> Errors:
    spec = crd.get("spec") or {}
    name = (crd.get("metadata") or {}).get("name") or ""
    plural = (spec.get("names") or {}).get("plural") or ""
    if not name or name == f"{plural}.{spec.get('group') or ''}":
        return []
    return [invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group')]


def _update_errors(spec: Object, old: Object, options: _Options) -> Errors:
    found: Errors = []
    names, old_names = spec.get("names") or {}, old.get("names") or {}
    if options.immutable_names:
        found += validate_immutable(spec.get("scope") or "", old.get("scope") or "", "spec.scope")
        found += validate_immutable(names.get("kind") or "", old_names.get("kind") or "", "spec.names.kind")
    found += validate_immutable(spec.get("group") or "", old.get("group") or "", "spec.group")
    found += validate_immutable(names.get("plural") or "", old_names.get("plural") or "", "spec.names.plural")
    return found


def _spec_errors(spec: InternalSpec, options: _Options) -> Errors:
    found: Errors = []
    if not spec.group:
        found.append(required("spec.group"))
    elif wrong := is_dns1123_subdomain(spec.group):
        found.append(invalid("spec.group", spec.group, ",".join(wrong)))
    elif "." not in spec.group:
        found.append(invalid("spec.group", spec.group, "should be a domain with at least one dot"))
    if not spec.scope:
        found.append(required("spec.scope"))
    elif spec.scope not in {"Cluster", "Namespaced"}:
        found.append(not_supported("spec.scope", spec.scope, ("Cluster", "Namespaced")))
    found += _schema_presence_errors(spec, options)
    if spec.preserve_unknown_fields and _any_schema(spec, lambda schema: schema.get("default") is not None):
        told = "must be false in order to use defaults in the schema"
        found.append(invalid("spec.preserveUnknownFields", True, told))
    if not spec.preserve_unknown_fields or _any_schema(spec, _needs_structure):
        options = options._replace(require_structural=True)
    found += _versions_errors(spec, options)
    found += names_presence_errors(spec.names)
    found += names_errors(spec.names, "spec.names")
    has_status = any("status" in (found_in or {}) for found_in in _all_subresources(spec))
    found += _schema_errors(spec.validation, "spec.validation", options, status=has_status)
    found += subresource_errors(spec.subresources, "spec.subresources")
    for index, column in enumerate(spec.additional_printer_columns):
        found += column_errors(column, f"spec.additionalPrinterColumns[{index}]")
    many = "" in options.too_many_fields
    found += selectable_errors(spec.selectable_fields, spec.validation, "spec", allow_too_many=many)
    if spec.preserve_unknown_fields and (spec.conversion or {}).get("strategy", "None") != "None":
        told = "must be None if spec.preserveUnknownFields is true"
        found.append(invalid("spec.conversion.strategy", (spec.conversion or {})["strategy"], told))
    return found + conversion_errors(
        spec.conversion,
        "spec.conversion",
        require_accepted=options.require_review_version,
        allow_invalid_ca=options.allow_invalid_ca,
    )


def _all_subresources(spec: InternalSpec) -> list[Object | None]:
    return [spec.subresources, *(version.get("subresources") for version in spec.versions)]


def _schema_presence_errors(spec: InternalSpec, options: _Options) -> Errors:
    if not options.require_schema and spec.preserve_unknown_fields:
        return []
    if "openAPIV3Schema" in (spec.validation or {}):
        return []
    detail = "" if options.require_schema else "because otherwise all fields are pruned"
    return [
        required(f"spec.versions[{index}].schema.openAPIV3Schema", detail)
        for index, version in enumerate(spec.versions)
        if "openAPIV3Schema" not in (version.get("schema") or {})
        and (options.require_schema or version.get("served"))
    ]


def _versions_errors(spec: InternalSpec, options: _Options) -> Errors:
    found: Errors = []
    has_own = any("subresources" in version for version in spec.versions)
    for index, version in enumerate(spec.versions):
        path = f"spec.versions[{index}]"
        name = version.get("name") or ""
        if wrong := is_dns1035_label(name):
            found.append(invalid(f"{path}.name", name, ",".join(wrong)))
        # Upstream looks subresources up by name, and so finds the first of two versions of one name.
        same = next((one for one in spec.versions if one.get("name") == version.get("name")), version)
        subresources = same.get("subresources") if has_own else spec.subresources
        found += _version_errors(version, path, options, status="status" in (subresources or {}))
    names = [version.get("name") for version in spec.versions]
    printed = spec.printed_versions
    if len(set(names)) != len(names):
        told = f"Invalid value: {printed}: must contain unique version names"
        found.append(invalid("spec.versions", None, "")._replace(message=told))
    if sum(bool(version.get("storage")) for version in spec.versions) != 1:
        told = f"Invalid value: {printed}: must have exactly one version marked as storage version"
        found.append(invalid("spec.versions", None, "")._replace(message=told))
    if names and names[0] and (wrong := is_dns1035_label(names[0])):
        found.append(invalid("spec.version", names[0], ",".join(wrong)))
    return found


def _version_errors(version: Object, path: str, options: _Options, *, status: bool) -> Errors:
    found = [
        invalid(f"{path}.deprecationWarning", version.get("deprecationWarning"), told)
        for told in warning_errors(version)
    ]
    found += _schema_errors(version.get("schema"), f"{path}.schema", options, status=status)
    found += subresource_errors(version.get("subresources"), f"{path}.subresources")
    for index, column in enumerate(version.get("additionalPrinterColumns") or ()):
        found += column_errors(column, f"{path}.additionalPrinterColumns[{index}]")
    fields = version.get("selectableFields") or []
    many = (version.get("name") or "") in options.too_many_fields
    return found + selectable_errors(fields, version.get("schema"), path, allow_too_many=many)


def _schema_errors(validation: Object | None, path: str, options: _Options, *, status: bool) -> Errors:
    schema = (validation or {}).get("openAPIV3Schema")
    if schema is None:
        return []
    where = f"{path}.openAPIV3Schema"
    found = _root_errors(schema, where) if status else []
    if schema.get("nullable"):
        found.append(forbidden(f"{where}.nullable", "nullable cannot be true at the root"))
    unreadable = ""
    parsed: StructuralSchema | None = None
    structured: Errors = []
    if options.require_structural:
        try:
            parsed = parse_schema(schema)
        except ParseError as error:
            unreadable = str(error)
        else:
            structured = structural_errors(schema, where) or default_errors(
                parsed, where, require_pruned=options.require_pruned_defaults
            )
            found += structured
    found += schema_rule_errors(schema, where, options.schema)
    if not found and unreadable:
        return [invalid(where, "", unreadable)]
    if not found and parsed is not None and schema_has(schema, _has_rules):
        found += _rule_errors(schema, where)
    return found


def _has_rules(schema: Mapping[str, Any]) -> bool:
    return bool(schema.get("x-kubernetes-validations"))


def _rule_errors(schema: Object, path: str) -> Errors:
    """What is wrong with the CEL rules of a schema that is good otherwise."""
    from kubewright.crd.cel import CelUnavailableError, compile_errors  # noqa: PLC0415 - heavy

    try:
        return compile_errors(schema, path)
    except CelUnavailableError as error:
        return [internal(f"{path}.x-kubernetes-validations", str(error))]


def _root_errors(schema: Object, path: str) -> Errors:
    """Beside a status subresource, whose schema is taken out of the root's, the root may say only so much."""
    found: Errors = []
    # In the order of Go's fields, of which the type is among the first and most forbidden ones come after.
    type_ = schema.get("type") or ""
    if any(schema.get(name) for name in ("id", "$schema", "$ref")):
        return [_root_error(schema, path)]
    if type_ and type_ != "object":
        told = (
            'only "object" is allowed as the type at the root of the schema if the status subresource is '
            "enabled"
        )
        return [invalid(f"{path}.type", type_, told)]
    if any(name not in _AT_ROOT for name, value in schema.items() if value is not None):
        found.append(_root_error(schema, path))
    return found


def _root_error(schema: Object, path: str) -> Any:
    told = (
        f"only [{' '.join(_AT_ROOT.values())}] fields are allowed at the root of the schema if the status "
        "subresource is enabled"
    )
    message = f"Invalid value: {printed_schema(schema)}: {told}"
    return invalid(path, None, "")._replace(message=message)


def _stored_version_errors(stored: list[str], versions: list[Object]) -> Errors:
    path = "status.storedVersions"
    if not stored:
        return [invalid(path, None, "must have at least one stored version")]
    found: Errors = []
    places = {name: index for index, name in enumerate(stored)}
    for version in versions:
        name = version.get("name") or ""
        if version.get("storage") and name not in places:
            found.append(invalid(path, stored, f"must have the storage version {name}"))
        places.pop(name, None)
    for name, index in places.items():
        told = (
            f"missing from spec.versions; {name} was previously a storage version, and must remain in "
            f"spec.versions until a storage migration ensures no data remains persisted in {name} and "
            f"removes {name} from status.storedVersions"
        )
        found.append(invalid(f"{path}[{index}]", name, told))
    return found


def _approval_errors(crd: Object, old: Object | None) -> Errors:
    if not is_protected_group((crd.get("spec") or {}).get("group") or ""):
        return []
    state, reason = approval_state(crd)
    if state in {"Approved", "Bypassed"} or (old is not None and approval_state(old)[0] == state):
        return []
    path = f"metadata.annotations[{APPROVED_ANNOTATION}]"
    if state == "Missing":
        return [required(path, reason)]
    annotations = (crd.get("metadata") or {}).get("annotations") or {}
    return [invalid(path, annotations[APPROVED_ANNOTATION], reason)]


# What an old definition already broke.


def _any_schema(spec: InternalSpec, test: Callable[[Mapping[str, Any]], bool]) -> bool:
    return any(schema_has(schema, test) for schema in spec.schemas())


def _all_have_schemas(spec: InternalSpec) -> bool:
    if "openAPIV3Schema" in (spec.validation or {}):
        return True
    return all("openAPIV3Schema" in (version.get("schema") or {}) for version in spec.versions)


def _is_not_structural(schema: Object) -> bool:
    try:
        parse_schema(schema)
    except ParseError:
        return True
    return bool(structural_errors(schema, ""))


def _needs_structure(schema: Mapping[str, Any]) -> bool:
    """Whether a schema has what only structural ones may have: defaults and Kubernetes' extensions."""
    return schema.get("default") is not None or any(
        name.startswith("x-kubernetes-") and name != "x-kubernetes-map-type" for name in schema
    )


def _has_wrong_type(schema: Mapping[str, Any]) -> bool:
    return bool(schema.get("type")) and schema["type"] not in OPENAPI_TYPES


def _has_granular_set(schema: Mapping[str, Any]) -> bool:
    items = schema.get("items")
    if schema.get("x-kubernetes-list-type") != "set" or not isinstance(items, dict):
        return False
    if items.get("type") == "array":
        return items.get("x-kubernetes-list-type") not in {None, "atomic"}
    return items.get("type") == "object" and items.get("x-kubernetes-map-type") != "atomic"


def _has_invalid_ca(conversion: Object | None) -> bool:
    client = ((conversion or {}).get("webhook") or {}).get("clientConfig") or {}
    return bool(ca_bundle_errors(client.get("caBundle"), ""))


def _too_many_allowed(spec: InternalSpec, old: InternalSpec) -> frozenset[str]:
    found: set[str] = set()
    if len(old.selectable_fields) > MAX_SELECTABLE_FIELDS and spec.selectable_fields == old.selectable_fields:
        found.add("")
    before = {version.get("name"): version.get("selectableFields") or [] for version in old.versions}
    for version in spec.versions:
        fields = before.get(version.get("name")) or []
        if len(fields) > MAX_SELECTABLE_FIELDS and fields == version.get("selectableFields"):
            found.add(version.get("name") or "")
    return frozenset(found)
