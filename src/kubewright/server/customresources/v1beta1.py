"""What to tell who sends a CustomResourceDefinition of apiextensions.k8s.io/v1beta1, gone since 1.22."""

from __future__ import annotations

from kubewright.server.kinds.kind import Object

__all__ = ["explain_v1beta1"]


def explain_v1beta1(crd: Object) -> str:
    """One sentence that says what to write instead, for what is in this object.

    Never raises, whatever the object holds.
    """
    spec = crd.get("spec")
    spec = spec if isinstance(spec, dict) else {}
    name = crd.get("metadata", {}).get("name") if isinstance(crd.get("metadata"), dict) else None
    of = f' "{name}"' if isinstance(name, str) and name else ""
    changes = _changes(spec)
    told = f"; besides, {_joined(changes)}" if changes else ""
    return (
        f"CustomResourceDefinition{of} is of apiextensions.k8s.io/v1beta1, which is not served since "
        f"Kubernetes 1.22: write apiVersion: apiextensions.k8s.io/v1{told}"
    )


def _joined(changes: list[str]) -> str:
    return changes[0] if len(changes) == 1 else f"{', '.join(changes[:-1])}, and {changes[-1]}"


def _changes(spec: Object) -> list[str]:
    versions = spec.get("versions")
    versions = [one for one in versions if isinstance(one, dict)] if isinstance(versions, list) else []
    found: list[str] = []
    if spec.get("version") and not versions:
        found.append(
            f"write spec.versions: [{{name: {spec['version']}, served: true, storage: true, schema: ...}}] "
            "instead of spec.version"
        )
    elif spec.get("version"):
        found.append("drop spec.version, which spec.versions says already")
    if spec.get("validation"):
        found.append("move spec.validation.openAPIV3Schema to spec.versions[*].schema.openAPIV3Schema")
    elif not all(one.get("schema") for one in versions) or not versions:
        found.append(
            "give each version a schema.openAPIV3Schema (type: object with "
            "x-kubernetes-preserve-unknown-fields: true takes anything)"
        )
    if spec.get("subresources"):
        found.append("move spec.subresources to spec.versions[*].subresources")
    columns = spec.get("additionalPrinterColumns")
    if columns:
        found.append("move spec.additionalPrinterColumns to spec.versions[*].additionalPrinterColumns")
    if any(
        _has_old_path(one) for one in [columns, *(one.get("additionalPrinterColumns") for one in versions)]
    ):
        found.append("spell JSONPath of printer columns jsonPath")
    if spec.get("preserveUnknownFields") is not False:
        found.append(
            "set x-kubernetes-preserve-unknown-fields: true in the schema where fields that it does not name "
            "shall be kept, as spec.preserveUnknownFields may not be true and unknown fields are pruned"
        )
    conversion = spec.get("conversion")
    if isinstance(conversion, dict) and (
        conversion.get("webhookClientConfig") or conversion.get("conversionReviewVersions")
    ):
        found.append(
            "move spec.conversion.webhookClientConfig to spec.conversion.webhook.clientConfig, and "
            "conversionReviewVersions to spec.conversion.webhook"
        )
    if not spec.get("scope"):
        found.append("say spec.scope, Namespaced or Cluster, which has no default any more")
    return found


def _has_old_path(columns: object) -> bool:
    return isinstance(columns, list) and any(isinstance(one, dict) and "JSONPath" in one for one in columns)
