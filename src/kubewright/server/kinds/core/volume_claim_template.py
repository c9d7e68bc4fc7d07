"""The rules of the claim that an ephemeral volume makes."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import forbidden, invalid, required
from kubewright.machinery.names import is_dns1123_subdomain, name_is_dns_label, name_is_dns_subdomain
from kubewright.server.kinds.core.name_checks import unsupported
from kubewright.server.kinds.core.pod_resources import amount_of
from kubewright.server.kinds.kind import Errors, Object
from kubewright.server.kinds.metadata_rules import (
    validate_annotations,
    validate_label_selector,
    validate_labels,
)

__all__ = ["check_claim_template"]

_ACCESS_MODES: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_VOLUME_MODES: Final = ("Block", "Filesystem")

# In the order of Go's struct; labels and annotations are the only metadata that a template may have.
_OTHER_METADATA: Final = (
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "ownerReferences",
    "finalizers",
    "managedFields",
)


def check_claim_template(errors: Errors, source: Object, path: str) -> None:
    """The source of an ephemeral volume: the template of a PersistentVolumeClaim."""
    path = f"{path}.volumeClaimTemplate"
    template = source.get("volumeClaimTemplate")
    if template is None:
        errors.append(required(path))
        return
    metadata = template.get("metadata") or {}
    errors += validate_annotations(metadata.get("annotations"), f"{path}.metadata.annotations")
    errors += validate_labels(metadata.get("labels"), f"{path}.metadata.labels")
    for field in _OTHER_METADATA:
        if metadata.get(field):
            # Upstream's name of the field in Go, with a small first letter.
            name = "uID" if field == "uid" else field
            errors.append(forbidden(f"{path}.metadata.{name}", "cannot be set"))
    check_claim_spec(errors, template.get("spec") or {}, f"{path}.spec")


def check_claim_spec(errors: Errors, spec: Object, path: str) -> None:
    modes = spec.get("accessModes") or ()
    if not modes:
        errors.append(required(f"{path}.accessModes", "at least 1 access mode is required"))
    errors += validate_label_selector(spec.get("selector"), f"{path}.selector")
    for mode in modes:
        if mode not in _ACCESS_MODES:
            errors.append(unsupported(f"{path}.accessModes", mode, _ACCESS_MODES))
    known = set(modes).intersection(_ACCESS_MODES)
    if "ReadWriteOncePod" in known and len(known) > 1:
        detail = "may not use ReadWriteOncePod with other access modes"
        errors.append(forbidden(f"{path}.accessModes", detail))
    _check_storage(errors, spec, f"{path}.resources[storage]")
    _check_class(errors, spec.get("storageClassName"), f"{path}.storageClassName")
    mode = spec.get("volumeMode")
    if mode is not None and mode not in _VOLUME_MODES:
        errors.append(unsupported(f"{path}.volumeMode", mode, _VOLUME_MODES))
    _check_data_sources(errors, spec, path)
    _check_class(errors, spec.get("volumeAttributesClassName"), f"{path}.volumeAttributesClassName")


def _check_storage(errors: Errors, spec: Object, path: str) -> None:
    storage = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    if storage is None:
        errors.append(required(path))
    elif amount_of(storage) <= 0:
        errors.append(invalid(path, str(storage), "must be greater than zero"))


def _check_class(errors: Errors, name: str | None, path: str) -> None:
    if name:
        errors.extend([invalid(path, name, message) for message in name_is_dns_subdomain(name)])


def _check_data_sources(errors: Errors, spec: Object, path: str) -> None:
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source is not None:
        _check_data_source(errors, source, f"{path}.dataSource")
    if reference is None:
        return
    _check_data_source(errors, reference, f"{path}.dataSourceRef")
    namespace = reference.get("namespace")
    if namespace:
        for message in name_is_dns_label(namespace):
            errors.append(invalid(f"{path}.dataSourceRef.namespace", namespace, message))
        if source is not None:
            # Upstream shows its path where the value should be, which prints as an empty object.
            detail = "may not be specified when dataSourceRef.namespace is specified"
            errors.append(invalid(path, {}, detail))
    elif source is not None and any(
        source.get(name) != reference.get(name) for name in ("apiGroup", "kind", "name")
    ):
        errors.append(invalid(path, {}, "must match dataSourceRef"))


def _check_data_source(errors: Errors, source: Object, path: str) -> None:
    name, kind, group = source.get("name") or "", source.get("kind") or "", source.get("apiGroup") or ""
    if not name:
        errors.append(required(f"{path}.name"))
    if not kind:
        errors.append(required(f"{path}.kind"))
    if not group and kind != "PersistentVolumeClaim":
        detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        errors.append(invalid(path, kind, detail))
    if group:
        errors.extend([invalid(f"{path}.apiGroup", group, told) for told in is_dns1123_subdomain(group)])
