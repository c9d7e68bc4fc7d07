"""The kinds of authorization.k8s.io: questions about who may do what, which are answered and not kept.

`validate` says all that is wrong with a question, its metadata included: they have none but a namespace.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kubewright.machinery.field_errors import forbidden, invalid, required
from kubewright.machinery.names import is_valid_label_value
from kubewright.server.kinds.kind import Errors, Kind, Object
from kubewright.server.kinds.metadata_rules import validate_label_name

__all__ = ["KINDS"]


def _url_as_go(attributes: Object | None) -> Object | None:
    if attributes is None:
        return None
    return {"Path": attributes.get("path") or "", "Verb": attributes.get("verb") or ""}


def _validate_spec(obj: Object, *, own: bool) -> Errors:
    spec = obj.get("spec") or {}
    errors: Errors = []
    resource, url = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if resource is not None and url is not None:
        detail = "cannot be specified in combination with resourceAttributes"
        errors.append(invalid("spec.nonResourceAttributes", _url_as_go(url), detail))
    if resource is None and url is None:
        detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
        errors.append(invalid("spec.resourceAttributes", None, detail))
    if not own and not spec.get("user") and not spec.get("groups"):
        errors.append(invalid("spec.user", "", "at least one of user or group must be specified"))
    if resource is not None:
        errors += _validate_selector(resource.get("fieldSelector"), "spec.resourceAttributes.fieldSelector")
        errors += _validate_selector(resource.get("labelSelector"), "spec.resourceAttributes.labelSelector")
    return errors


def _validate_selector(selector: Object | None, path: str) -> Errors:
    if selector is None:
        return []
    errors: Errors = []
    raw, requirements = selector.get("rawSelector"), selector.get("requirements") or ()
    if raw and requirements:
        detail = "may not specified at the same time as requirements"
        errors.append(invalid(f"{path}.rawSelector", raw, detail))
    if not raw and not requirements:
        detail = f"when {path} is specified, requirements or rawSelector is required"
        errors.append(required(f"{path}.requirements", detail))
    of_labels = path.endswith(".labelSelector")
    for index, requirement in enumerate(requirements):
        errors += _validate_requirement(requirement, f"{path}.requirements[{index}]", of_labels=of_labels)
    return errors


def _validate_requirement(requirement: Object, path: str, *, of_labels: bool) -> Errors:
    """What is wrong with a requirement; operators that only newer clients know pass."""
    errors: Errors = []
    key, operator = requirement.get("key") or "", requirement.get("operator") or ""
    values: Sequence[str] = requirement.get("values") or ()
    if not of_labels and not key:
        errors.append(required(f"{path}.key", "must be specified"))
    if operator in {"In", "NotIn"} and not values:
        detail = "must be specified when `operator` is 'In' or 'NotIn'"
        errors.append(required(f"{path}.values", detail))
    elif operator in {"Exists", "DoesNotExist"} and values:
        detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        errors.append(forbidden(f"{path}.values", detail))
    if of_labels:
        errors += validate_label_name(key, f"{path}.key")
        for index, value in enumerate(values):
            messages = is_valid_label_value(value)
            errors += [invalid(f"{path}.values[{index}]", value, message) for message in messages]
    return errors


def _validate_metadata(obj: Object, *, namespaced: bool = False) -> Errors:
    metadata = obj.get("metadata") or {}
    ignored = {"managedFields", "namespace"} if namespaced else {"managedFields"}
    if not any(value for field, value in metadata.items() if field not in ignored):
        return []
    shown = {field: value for field, value in metadata.items() if value}
    return [
        invalid("metadata", shown, "must be empty except for namespace" if namespaced else "must be empty")
    ]


def _validate_access(obj: Object) -> Errors:
    return _validate_spec(obj, own=False) + _validate_metadata(obj)


def _validate_own_access(obj: Object) -> Errors:
    return _validate_spec(obj, own=True) + _validate_metadata(obj)


def _validate_local_access(obj: Object) -> Errors:
    errors = _validate_spec(obj, own=False) + _validate_metadata(obj, namespaced=True)
    spec = obj.get("spec") or {}
    resource, url = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if resource is not None:
        namespace = resource.get("namespace") or ""
        if namespace != ((obj.get("metadata") or {}).get("namespace") or ""):
            path = "spec.resourceAttributes.namespace"
            errors.append(invalid(path, namespace, "must match metadata.namespace"))
    if url is not None:
        detail = "disallowed on this kind of request"
        errors.append(invalid("spec.nonResourceAttributes", _url_as_go(url), detail))
    return errors


KINDS: Final[Mapping[str, Kind]] = {
    "localsubjectaccessreviews": Kind(validate=_validate_local_access, resets=()),
    "selfsubjectaccessreviews": Kind(validate=_validate_own_access, resets=()),
    "selfsubjectrulesreviews": Kind(resets=()),
    "subjectaccessreviews": Kind(validate=_validate_access, resets=()),
}
