"""The rules that all kinds share: metadata, labels, annotations, label selectors and conditions.

The causes, their order and their words are those of k8s.io/apimachinery's `pkg/api/validation` and
`pkg/apis/meta/v1/validation`. Where upstream walks a map, in no particular order, the order here is that of
the object. Every write of every kind comes through `validate_object_meta`, so the good case is tried first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from kubewright.machinery.field_errors import (
    duplicate,
    forbidden,
    go_quote,
    invalid,
    not_supported,
    required,
    too_long,
)
from kubewright.machinery.names import is_qualified_name, is_valid_label_value, name_is_dns_label
from kubewright.server.kinds.kind import Errors, NameRule, Object

__all__ = [
    "FIELD_IMMUTABLE",
    "IS_NEGATIVE",
    "are_too_large",
    "byte_length",
    "validate_annotations",
    "validate_conditions",
    "validate_immutable",
    "validate_kube_finalizer",
    "validate_kube_finalizers",
    "validate_label_name",
    "validate_label_selector",
    "validate_labels",
    "validate_non_negative",
    "validate_object_meta",
    "validate_object_meta_update",
]

FIELD_IMMUTABLE: Final = "field is immutable"
"""Upstream's FieldImmutableErrorMsg."""

IS_NEGATIVE: Final = "must be greater than or equal to 0"
"""Upstream's IsNegativeErrorMsg."""

_ANNOTATIONS_SIZE: Final = 256 * 1024
"""Upstream's TotalAnnotationSizeLimitB: the bytes of all keys and values together."""

_FIELD_MANAGER_LENGTH: Final = 128
"""Upstream's FieldManagerMaxLength."""

_SUBRESOURCE_LENGTH: Final = 256
"""Upstream's MaxSubresourceNameLength."""

_REASON_LENGTH: Final = 1024
"""Upstream's maxReasonLen, of a condition."""

_MESSAGE_LENGTH: Final = 32 * 1024
"""Upstream's maxMessageLen, of a condition."""

_MAX_TOLD: Final = 10
"""Errors that show a whole list are told this many times at most: large lists make no huge answers."""

_STANDARD_FINALIZERS: Final = frozenset({"kubernetes", "orphan", "foregroundDeletion"})

# What nearly all keys and values look like; whatever does not match is looked at in full.
_LABEL: Final = r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?"
_PLAIN_LABEL: Final = re.compile(_LABEL).fullmatch
_PLAIN_KEY: Final = re.compile(
    rf"(?:{_LABEL}(?:\.{_LABEL}){{0,3}}/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{{0,61}}[A-Za-z0-9])?"
).fullmatch
_PLAIN_VALUE: Final = re.compile(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?").fullmatch

_CONDITION_REASON: Final = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"
_IS_CONDITION_REASON: Final = re.compile(_CONDITION_REASON).fullmatch
_CONDITION_REASON_MESSAGE: Final = (
    "a condition reason must start with alphabetic character, optionally followed by a string of "
    "alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  "
    "or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is "
    f"'{_CONDITION_REASON}')"
)
_CONDITION_STATUSES: Final = ("False", "True", "Unknown")


def validate_object_meta(
    metadata: Object, *, namespaced: bool, name_rule: NameRule, path: str = "metadata"
) -> Errors:
    """All that is wrong with the metadata of an object that is created, or that an update leaves behind.

    The name is expected to be generated already. Never raises, whatever the metadata holds of the types that
    the decode step lets through.
    """
    errors: Errors = []
    generate_name = metadata.get("generateName")
    if generate_name:
        for message in name_rule(generate_name, prefix=True):
            errors.append(invalid(f"{path}.generateName", generate_name, message))
    name = metadata.get("name")
    if not name:
        errors.append(required(f"{path}.name", "name or generateName is required"))
    else:
        for message in name_rule(name):
            errors.append(invalid(f"{path}.name", name, message))
    _check_namespace(errors, metadata.get("namespace"), f"{path}.namespace", namespaced=namespaced)
    generation = metadata.get("generation")
    if generation:
        errors += validate_non_negative(generation, f"{path}.generation")
    _check_shared(errors, metadata, path, with_finalizers=True)
    return errors


def validate_object_meta_update(new: Object, old: Object, path: str = "metadata") -> Errors:
    """All that is wrong with a change of metadata from `old` to `new`; both are whole `metadata` objects.

    Upstream runs it for every update, besides `validate_object_meta` where a kind's rules include that.
    """
    errors: Errors = []
    if old.get("deletionTimestamp") is not None:
        errors += _no_new_finalizers(new.get("finalizers"), old.get("finalizers"), f"{path}.finalizers")
    if not new.get("resourceVersion"):
        errors.append(invalid(f"{path}.resourceVersion", "", "must be specified for an update"))
    generation = new.get("generation") or 0
    if generation < (old.get("generation") or 0):
        errors.append(invalid(f"{path}.generation", generation, "must not be decremented"))
    for field in ("name", "namespace", "uid"):
        value = new.get(field) or ""
        if value != (old.get(field) or ""):
            errors.append(invalid(f"{path}.{field}", value, FIELD_IMMUTABLE))
    for field in ("creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"):
        if new.get(field) != old.get(field):
            errors.append(invalid(f"{path}.{field}", new.get(field), FIELD_IMMUTABLE))
    _check_shared(errors, new, path, with_finalizers=False)
    return errors


def _check_namespace(errors: Errors, namespace: str | None, path: str, *, namespaced: bool) -> None:
    if not namespaced:
        if namespace:
            errors.append(forbidden(path, "not allowed on this type"))
    elif not namespace:
        errors.append(required(path))
    elif _PLAIN_LABEL(namespace) is None:
        errors += [invalid(path, namespace, message) for message in name_is_dns_label(namespace)]


def _check_shared(errors: Errors, metadata: Object, path: str, *, with_finalizers: bool) -> None:
    labels = metadata.get("labels")
    if labels:
        errors += validate_labels(labels, f"{path}.labels")
    annotations = metadata.get("annotations")
    if annotations:
        errors += validate_annotations(annotations, f"{path}.annotations")
    owners = metadata.get("ownerReferences")
    if owners:
        errors += _validate_owners(owners, f"{path}.ownerReferences")
    finalizers = metadata.get("finalizers")
    if finalizers and with_finalizers:
        errors += _validate_finalizers(finalizers, f"{path}.finalizers")
    managed = metadata.get("managedFields")
    if managed:
        errors += _validate_managed_fields(managed, f"{path}.managedFields")


def validate_labels(labels: Mapping[str, str] | None, path: str) -> Errors:
    """All that is wrong with labels, or with a selector by equal labels."""
    errors: Errors = []
    for key, value in (labels or {}).items():
        if _PLAIN_KEY(key) is None:
            errors += validate_label_name(key, path)
        if _PLAIN_VALUE(value) is None:
            errors += [invalid(path, value, message) for message in is_valid_label_value(value)]
    return errors


def validate_label_name(name: str, path: str) -> Errors:
    """What is wrong with the key of a label, or whatever else must be a qualified name."""
    return [invalid(path, name, message) for message in is_qualified_name(name)]


def validate_annotations(annotations: Mapping[str, str] | None, path: str) -> Errors:
    """All that is wrong with annotations: their keys, in which case does not matter, and their size."""
    if not annotations:
        return []
    errors: Errors = []
    for key in annotations:
        if _PLAIN_KEY(key) is None:
            errors += [invalid(path, key, message) for message in is_qualified_name(_go_lower(key))]
    if are_too_large(annotations):
        errors.append(too_long(path, _ANNOTATIONS_SIZE))
    return errors


def are_too_large(annotations: Mapping[str, str]) -> bool:
    """Whether annotations have more bytes than an object may have of them."""
    characters = 0
    for key, value in annotations.items():
        characters += len(key) + len(value)
    # A character is four bytes at most, so most annotations need not be encoded to know that they fit.
    if characters * 4 <= _ANNOTATIONS_SIZE:
        return False
    size = sum(byte_length(key) + byte_length(value) for key, value in annotations.items())
    return size > _ANNOTATIONS_SIZE


def _go_lower(text: str) -> str:
    # Go maps each character to one; Python may map it to several, of which the first is Go's.
    return "".join(char.lower()[0] for char in text)


def byte_length(text: str) -> int:
    """The length that Go sees: in bytes of UTF-8. A lone surrogate counts as the three bytes Go reads."""
    return len(text) if text.isascii() else len(text.encode(errors="surrogatepass"))


def validate_non_negative(value: int, path: str) -> Errors:
    """A number that must not be below zero."""
    return [] if value >= 0 else [invalid(path, value, IS_NEGATIVE)]


def validate_immutable(new: object, old: object, path: str) -> Errors:
    """A field that may not change.

    None stands for nil, and equals an empty list, as upstream's semantic equality has it; pass the zero value
    for fields that are no pointers. Quantities count as texts.
    """
    if new == old or (new in (None, []) and old in (None, [])):
        return []
    return [invalid(path, new, FIELD_IMMUTABLE)]


def _validate_owners(owners: Sequence[Object], path: str) -> Errors:
    errors: Errors = []
    controller, told = "", 0
    for owner in owners:
        kind, name = owner.get("kind") or "", owner.get("name") or ""
        _check_owner(errors, owner, path)
        if owner.get("controller"):
            current = f"{kind}/{name}"
            if controller and told < _MAX_TOLD:
                told += 1
                detail = (
                    'Only one reference can have Controller set to true. Found "true" in references for '
                    f"{controller} and {current}"
                )
                errors.append(invalid(path, [_owner_as_go(each) for each in owners], detail))
            controller = controller or current
    return errors


def _check_owner(errors: Errors, owner: Object, path: str) -> None:
    api_version, kind = owner.get("apiVersion") or "", owner.get("kind") or ""
    group, _, version = api_version.rpartition("/")
    if "/" in group:
        # Go gives up on such a group version, and takes the kind alone.
        version = ""
    if not version:
        errors.append(invalid(f"{path}.apiVersion", api_version, "version must not be empty"))
    if not kind:
        errors.append(invalid(f"{path}.kind", "", "must not be empty"))
    if not owner.get("name"):
        errors.append(invalid(f"{path}.name", "", "must not be empty"))
    if not owner.get("uid"):
        errors.append(invalid(f"{path}.uid", "", "must not be empty"))
    if kind == "Event" and api_version in {"v1", "/v1"}:
        detail = "/v1, Kind=Event is disallowed from being an owner"
        errors.append(invalid(path, _owner_as_go(owner), detail))


def _owner_as_go(owner: Object) -> Object:
    shown = {field: owner.get(field) or "" for field in ("apiVersion", "kind", "name", "uid")}
    optional = ("controller", "blockOwnerDeletion")
    return shown | {field: owner[field] for field in optional if owner.get(field) is not None}


def _validate_finalizers(finalizers: Sequence[str], path: str) -> Errors:
    errors: Errors = []
    for finalizer in finalizers:
        if _PLAIN_KEY(finalizer) is None:
            errors += validate_label_name(finalizer, path)
    if "orphan" in finalizers and "foregroundDeletion" in finalizers:
        detail = "finalizer orphan and foregroundDeletion cannot be both set"
        errors.append(invalid(path, list(finalizers), detail))
    return errors


def validate_kube_finalizers(finalizers: Sequence[str] | None, path: str = "metadata.finalizers") -> Errors:
    """What the built-in kinds say of finalizers besides, on create and on update.

    It comes after all else about metadata. Custom resources take such finalizers, with a warning.
    """
    errors: Errors = []
    for index, finalizer in enumerate(finalizers or ()):
        if "/" not in finalizer:
            errors += validate_kube_finalizer(finalizer, f"{path}[{index}]")
    return errors


def validate_kube_finalizer(finalizer: str, path: str) -> Errors:
    """A finalizer that has no domain must be one of Kubernetes' own."""
    if "/" in finalizer or finalizer in _STANDARD_FINALIZERS:
        return []
    return [invalid(path, finalizer, "name is neither a standard finalizer name nor is it fully qualified")]


def _no_new_finalizers(new: Iterable[str] | None, old: Iterable[str] | None, path: str) -> Errors:
    extra = sorted(set(new or ()).difference(old or ()))
    if not extra:
        return []
    shown = ", ".join(map(go_quote, extra))
    detail = "no new finalizers can be added if the object is being deleted, found new finalizers"
    return [forbidden(path, f"{detail} []string{{{shown}}}")]


def _validate_managed_fields(entries: Sequence[Object], path: str) -> Errors:
    errors: Errors = []
    for index, entry in enumerate(entries):
        operation = entry.get("operation") or ""
        if operation not in {"Apply", "Update"}:
            errors.append(invalid(f"{path}[{index}].operation", operation, "must be `Apply` or `Update`"))
        fields_type = entry.get("fieldsType")
        if fields_type and fields_type != "FieldsV1":
            errors.append(invalid(f"{path}[{index}].fieldsType", fields_type, "must be `FieldsV1`"))
        manager = entry.get("manager")
        if manager and not (manager.isprintable() and manager.isascii() and len(manager) <= 128):
            errors += _validate_field_manager(manager, f"{path}[{index}].manager")
        subresource = entry.get("subresource")
        if subresource and byte_length(subresource) > _SUBRESOURCE_LENGTH:
            errors.append(too_long(f"{path}[{index}].subresource", _SUBRESOURCE_LENGTH))
    return errors


def _validate_field_manager(manager: str, path: str) -> Errors:
    errors: Errors = []
    if byte_length(manager) > _FIELD_MANAGER_LENGTH:
        errors.append(too_long(path, _FIELD_MANAGER_LENGTH))
    # What is too long may have no end of such characters, and each error shows all of them.
    limit = 1 if errors else _FIELD_MANAGER_LENGTH
    position = 0
    for char in manager:
        if not char.isprintable():
            if limit == 0:
                break
            limit -= 1
            detail = f"invalid character U+{ord(char):04X} (at position {position})"
            errors.append(invalid(path, manager, detail))
        position += byte_length(char)
    return errors


def validate_label_selector(
    selector: Object | None, path: str, *, allow_invalid_values: bool = False
) -> Errors:
    """All that is wrong with a label selector; one that is not there is fine.

    `allow_invalid_values` is for updates of objects that are stored with such values.
    """
    if not selector:
        return []
    errors = validate_labels(selector.get("matchLabels"), f"{path}.matchLabels")
    for index, requirement in enumerate(selector.get("matchExpressions") or ()):
        place = f"{path}.matchExpressions[{index}]"
        errors += _validate_requirement(requirement, place, allow_invalid_values=allow_invalid_values)
    return errors


def _validate_requirement(requirement: Object, path: str, *, allow_invalid_values: bool) -> Errors:
    errors: Errors = []
    operator, values = requirement.get("operator") or "", requirement.get("values") or ()
    if operator in {"In", "NotIn"}:
        if not values:
            detail = "must be specified when `operator` is 'In' or 'NotIn'"
            errors.append(required(f"{path}.values", detail))
    elif operator in {"Exists", "DoesNotExist"}:
        if values:
            detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            errors.append(forbidden(f"{path}.values", detail))
    else:
        errors.append(invalid(f"{path}.operator", operator, "not a valid selector operator"))
    errors += validate_label_name(requirement.get("key") or "", f"{path}.key")
    if not allow_invalid_values:
        for index, value in enumerate(values):
            for message in is_valid_label_value(value):
                errors.append(invalid(f"{path}.values[{index}]", value, message))
    return errors


def validate_conditions(conditions: Sequence[Object] | None, path: str) -> Errors:
    """All that is wrong with conditions of the common form, metav1.Condition."""
    errors: Errors = []
    seen: set[str] = set()
    for index, condition in enumerate(conditions or ()):
        place = f"{path}[{index}]"
        kind = condition.get("type") or ""
        if kind in seen:
            errors.append(duplicate(f"{place}.type", kind))
        seen.add(kind)
        errors += _validate_condition(condition, place)
    return errors


def _validate_condition(condition: Object, path: str) -> Errors:
    errors = validate_label_name(condition.get("type") or "", f"{path}.type")
    status = condition.get("status") or ""
    if status not in _CONDITION_STATUSES:
        errors.append(not_supported(f"{path}.status", status, _CONDITION_STATUSES))
    generation = condition.get("observedGeneration") or 0
    if generation < 0:
        detail = "must be greater than or equal to zero"
        errors.append(invalid(f"{path}.observedGeneration", generation, detail))
    if not condition.get("lastTransitionTime"):
        errors.append(required(f"{path}.lastTransitionTime"))
    reason = condition.get("reason") or ""
    if not reason:
        errors.append(required(f"{path}.reason"))
    else:
        if _IS_CONDITION_REASON(reason) is None:
            errors.append(invalid(f"{path}.reason", reason, _CONDITION_REASON_MESSAGE))
        if byte_length(reason) > _REASON_LENGTH:
            errors.append(too_long(f"{path}.reason", _REASON_LENGTH))
    if byte_length(condition.get("message") or "") > _MESSAGE_LENGTH:
        errors.append(too_long(f"{path}.message", _MESSAGE_LENGTH))
    return errors
