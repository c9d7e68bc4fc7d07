"""The rules of pod templates, which all kinds that make pods share, and of the PodTemplate kind itself."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import forbidden
from kubewright.server.kinds.core.pod_annotations import check_annotations, check_profiles_agree
from kubewright.server.kinds.core.pod_defaults import default_pod_spec, default_pod_template
from kubewright.server.kinds.core.pod_disabled import drop_disabled_spec
from kubewright.server.kinds.core.pod_leniency import pod_leniency
from kubewright.server.kinds.core.pod_semantics import same_spec
from kubewright.server.kinds.core.pod_spec import check_pod_spec
from kubewright.server.kinds.core.pod_warnings import pod_spec_warnings
from kubewright.server.kinds.kind import Context, Errors, Kind, Object
from kubewright.server.kinds.metadata_rules import validate_annotations, validate_labels

__all__ = [
    "POD_TEMPLATE",
    "default_pod_spec",
    "default_pod_template",
    "normalize_pod_template",
    "pod_spec_warnings",
    "same_spec",
    "validate_pod_template",
]


def validate_pod_template(template: Object, path: str, old_template: Object | None = None) -> Errors:
    """All that is wrong with a pod template at `path`: labels, annotations and spec.

    `old_template`, if there is one, is what the update starts from; a few rules let stand what was there.
    """
    errors: Errors = []
    options = pod_leniency(old_template, is_pod=False)
    spec, metadata = template.get("spec") or {}, template.get("metadata") or {}
    labels, annotations = metadata.get("labels"), metadata.get("annotations")
    if labels:
        errors += validate_labels(labels, f"{path}.labels")
    if annotations:
        errors += validate_annotations(annotations, f"{path}.annotations")
        check_annotations(errors, annotations, spec, f"{path}.annotations", options)
    check_pod_spec(errors, spec, None, f"{path}.spec", options)
    check_profiles_agree(errors, annotations, spec, f"{path}.spec")
    if spec.get("ephemeralContainers"):
        detail = "ephemeral containers not allowed in pod template"
        errors.append(forbidden(f"{path}.spec.ephemeralContainers", detail))
    return errors


def normalize_pod_template(template: Object, old_template: Object | None) -> None:
    """Drop the fields of features that are off, unless the old template uses them."""
    spec = template.get("spec")
    if spec:
        drop_disabled_spec(spec, (old_template or {}).get("spec") or {})


def _default(obj: Object) -> None:
    default_pod_template(obj.setdefault("template", {}))


def _prepare_create(obj: Object, context: Context) -> None:
    normalize_pod_template(obj["template"], None)


def _prepare_update(obj: Object, old: Object, context: Context) -> None:
    normalize_pod_template(obj["template"], old.get("template"))


def _validate(obj: Object) -> Errors:
    return validate_pod_template(obj.get("template") or {}, "template")


def _validate_update(obj: Object, old: Object) -> Errors:
    return validate_pod_template(obj.get("template") or {}, "template", old.get("template") or {})


def _generation(obj: Object, old: Object) -> bool:
    return not same_spec(obj.get("template") or {}, old.get("template") or {})


def _warnings(obj: Object, old: Object | None) -> list[str]:
    if old is not None and not _generation(obj, old):
        return []
    template = obj.get("template") or {}
    return pod_spec_warnings(template.get("spec") or {}, template.get("metadata") or {}, "template")


POD_TEMPLATE: Final = Kind(
    default=_default,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    validate=_validate,
    validate_update=_validate_update,
    warnings=_warnings,
    generation=_generation,
    resets=(),
    always={"template": {"metadata": {}, "spec": {}}},
)
