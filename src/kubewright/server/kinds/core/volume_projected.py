"""The rules of volumes with files made of other objects: secrets, config maps, tokens, fields of the pod."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from kubewright.machinery.field_errors import forbidden, invalid, not_supported, required, too_long
from kubewright.machinery.names import (
    is_dns1123_label,
    is_dns1123_subdomain,
    is_qualified_name,
    name_is_dns_subdomain,
)
from kubewright.server.kinds.core.container_env import check_field_ref, check_resource_field_ref
from kubewright.server.kinds.core.name_checks import check_file_mode, check_local_path, is_good_path
from kubewright.server.kinds.core.pod_internal import invalid_internal
from kubewright.server.kinds.core.pod_options import PodOptions
from kubewright.server.kinds.kind import Errors, Object
from kubewright.server.kinds.metadata_rules import byte_length, validate_label_selector

__all__ = ["check_downward_api", "check_keyed", "check_projected", "check_signer_name"]

_FIELDS: Final = (
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
)
_CONFLICT: Final = "conflicting duplicate paths"

_MIN_TOKEN_SECONDS: Final = 600
_MAX_TOKEN_SECONDS: Final = 2**32


def check_keyed(errors: Errors, source: Object, path: str, *, name: str) -> None:
    """A volume with the keys of a secret or config map, which the field `name` names."""
    if not source.get(name):
        errors.append(required(f"{path}.{name}"))
    _check_default_mode(errors, source, path)
    for index, item in enumerate(source.get("items") or ()):
        _check_item(errors, item, f"{path}.items[{index}]")


def _check_default_mode(errors: Errors, source: Object, path: str) -> None:
    if source.get("defaultMode") != 0o644:
        check_file_mode(errors, source.get("defaultMode"), f"{path}.defaultMode")


def _check_item(errors: Errors, item: Object, path: str) -> None:
    target = item.get("path") or ""
    if not item.get("key"):
        errors.append(required(f"{path}.key"))
    if not target:
        errors.append(required(f"{path}.path"))
    if is_good_path(target) is None:
        check_local_path(errors, target, f"{path}.path")
    if "mode" in item:
        check_file_mode(errors, item["mode"], f"{path}.mode")


def check_downward_api(errors: Errors, source: Object, path: str, options: PodOptions) -> None:
    """A volume with fields of the pod."""
    _check_default_mode(errors, source, path)
    for file in source.get("items") or ():
        # Upstream does not say which of the items it is.
        _check_file(errors, file, path)


def _check_file(errors: Errors, file: Object, path: str) -> None:
    target = file.get("path") or ""
    if not target:
        errors.append(required(f"{path}.path"))
    if is_good_path(target) is None:
        check_local_path(errors, target, f"{path}.path")
    field, resource = file.get("fieldRef"), file.get("resourceFieldRef")
    if field is not None:
        check_field_ref(errors, field, _FIELDS, f"{path}.fieldRef")
        if resource is not None:
            detail = "fieldRef and resourceFieldRef can not be specified simultaneously"
            errors.append(invalid(path, "resource", detail))
    elif resource is not None:
        check_resource_field_ref(errors, resource, f"{path}.resourceFieldRef", in_volume=True)
    else:
        errors.append(required(path, "one of fieldRef and resourceFieldRef is required"))
    if "mode" in file:
        check_file_mode(errors, file["mode"], f"{path}.mode")


def check_projected(errors: Errors, source: Object, path: str, options: PodOptions) -> None:
    """A volume with files of several sources, which must not have the same paths."""
    _check_default_mode(errors, source, path)
    seen: set[str] = set()
    for index, projection in enumerate(source.get("sources") or ()):
        _check_projection(errors, projection, path, f"{path}.sources[{index}]", seen, options)


def _check_projection(
    errors: Errors, projection: Object, path: str, place: str, seen: set[str], options: PodOptions
) -> None:
    # Nearly always there is one source; where there are more, they count in upstream's order.
    kinds = projection if len(projection) == 1 else [kind for kind in _PROJECTIONS if kind in projection]
    count = 0
    for kind in kinds:
        source = projection[kind]
        check = _PROJECTIONS.get(kind)
        if source is not None and check is not None:
            count += 1
            check(errors, source, path, f"{place}.{kind}", seen, options)
    if count > 1:
        errors.append(forbidden(place, "may not specify more than 1 volume type per source"))


def _claim_path(
    errors: Errors, target: str | None, path: str, seen: set[str], shown: str | None = None
) -> None:
    if not target:
        return
    if target in seen:
        errors.append(invalid(path, target if shown is None else shown, _CONFLICT))
    seen.add(target)


def _check_keyed_projection(
    errors: Errors, source: Object, path: str, place: str, seen: set[str], options: PodOptions
) -> None:
    name = source.get("name") or ""
    if not name:
        errors.append(required(f"{place}.name"))
    for index, item in enumerate(source.get("items") or ()):
        _check_item(errors, item, f"{place}.items[{index}]")
        _claim_path(errors, item.get("path"), path, seen, shown=name)


def _check_files_projection(
    errors: Errors, source: Object, path: str, place: str, seen: set[str], options: PodOptions
) -> None:
    for file in source.get("items") or ():
        _check_file(errors, file, place)
        _claim_path(errors, file.get("path"), path, seen)


def _check_token(
    errors: Errors, token: Object, path: str, place: str, seen: set[str], options: PodOptions
) -> None:
    seconds = token.get("expirationSeconds") or 0
    if seconds < _MIN_TOKEN_SECONDS:
        detail = "may not specify a duration less than 10 minutes"
        errors.append(invalid(f"{place}.expirationSeconds", seconds, detail))
    if seconds > _MAX_TOKEN_SECONDS:
        detail = "may not specify a duration larger than 2^32 seconds"
        errors.append(invalid(f"{place}.expirationSeconds", seconds, detail))
    target = token.get("path") or ""
    if not target:
        errors.append(required(f"{path}.path"))
    elif not options.allow_non_local_token_path and is_good_path(target) is None:
        check_local_path(errors, target, f"{path}.path")


# Both sources below are of gates that are off in 1.36, so that they are dropped unless stored already; the
# rules are for such objects.


def _check_trust_bundle(
    errors: Errors, bundle: Object, path: str, place: str, seen: set[str], options: PodOptions
) -> None:
    name, signer, selector = bundle.get("name"), bundle.get("signerName"), bundle.get("labelSelector")
    if name is not None and signer is not None:
        detail = "only one of name and signerName may be used"
        errors.append(invalid_internal(place, "ClusterTrustBundleProjection", bundle, detail))
    elif name is not None:
        if not name:
            errors.append(required(f"{place}.name", "must be a valid object name"))
        for message in _bundle_name_messages(name):
            errors.append(invalid(f"{place}.name", name, f"not a valid clustertrustbundlename: {message}"))
        if selector is not None:
            detail = "labelSelector must be unset if name is specified"
            errors.append(invalid(f"{place}.labelSelector", selector, detail))
    elif signer is not None:
        if not signer:
            errors.append(required(f"{place}.signerName", "must be a valid signer name"))
        check_signer_name(errors, signer, f"{place}.signerName")
        errors += validate_label_selector(selector, f"{place}.labelSelector")
    else:
        errors.append(required(place, "either name or signerName must be specified"))
    target = bundle.get("path") or ""
    if not target:
        errors.append(required(f"{place}.path"))
    check_local_path(errors, target, f"{place}.path")
    if target in seen:
        errors.append(invalid(path, target, _CONFLICT))
    seen.add(target)


def _bundle_name_messages(name: str) -> list[str]:
    prefix, colon, rest = name.rpartition(":")
    if not colon:
        return name_is_dns_subdomain(name)
    wanted = f"{prefix.replace(':', '/').replace('/', ':')}:"
    if not name.startswith(wanted):
        signer = prefix.replace(":", "/")
        return [f"ClusterTrustBundle for signerName {signer} must be named with prefix {wanted}"]
    return name_is_dns_subdomain(rest)


_KEY_TYPES: Final = ("RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519")
_MIN_CERTIFICATE_SECONDS: Final = 3600
_MAX_CERTIFICATE_SECONDS: Final = 91 * 86400
"""Upstream's MaxMaxExpirationSeconds; signers of Kubernetes itself allow a day."""
_MAX_KUBERNETES_SECONDS: Final = 86400


def _check_certificate(
    errors: Errors, source: Object, path: str, place: str, seen: set[str], options: PodOptions
) -> None:
    signer, key_type = source.get("signerName") or "", source.get("keyType") or ""
    check_signer_name(errors, signer, f"{place}.signerName")
    for key in source.get("userAnnotations") or ():
        for message in is_qualified_name(key.lower()):
            errors.append(invalid(f"{place}.userAnnotations", key.lower(), message))
    if key_type not in _KEY_TYPES:
        errors.append(not_supported(f"{place}.keyType", key_type, _KEY_TYPES))
    seconds = source.get("maxExpirationSeconds")
    if seconds is not None:
        domain = signer.partition("/")[0]
        own = domain == "kubernetes.io" or domain.endswith(".kubernetes.io")
        most = _MAX_KUBERNETES_SECONDS if own else _MAX_CERTIFICATE_SECONDS
        for wrong, bound in (
            (seconds < _MIN_CERTIFICATE_SECONDS, f">= {_MIN_CERTIFICATE_SECONDS}"),
            (seconds > most, f"<= {most}"),
        ):
            if wrong:
                detail = f"if provided, maxExpirationSeconds must be {bound}"
                errors.append(invalid(f"{place}.maxExpirationSeconds", seconds, detail))
    targets = 0
    for field in ("credentialBundlePath", "keyPath", "certificateChainPath"):
        target = source.get(field)
        if target:
            targets += 1
            check_local_path(errors, target, f"{place}.{field}")
            _claim_path(errors, target, path, seen)
    if not targets:
        detail = "specify at least one of credentialBundlePath, keyPath, and certificateChainPath"
        errors.append(required(place, detail))


_PROJECTIONS: Final[Mapping[str, Callable[[Errors, Object, str, str, set[str], PodOptions], None]]] = {
    "secret": _check_keyed_projection,
    "configMap": _check_keyed_projection,
    "downwardAPI": _check_files_projection,
    "serviceAccountToken": _check_token,
    "clusterTrustBundle": _check_trust_bundle,
    "podCertificate": _check_certificate,
}
"""In upstream's order."""

_MAX_DOMAIN: Final = 253
_MAX_SIGNER_NAME: Final = 253 + 1 + 63 + 1 + 253
"""A domain, and a path that has room for a namespace and a name in it."""


def check_signer_name(errors: Errors, name: str, path: str) -> None:
    """The name of a signer of certificates: a domain and a path, such as example.com/signer."""
    if not name:
        errors.append(required(path))
        return
    segments = name.split("/")
    if len(segments) != 2:
        detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
        errors.append(invalid(path, name, detail))
        return
    domain, rest = segments
    if byte_length(domain) > _MAX_DOMAIN:
        errors.append(too_long(path, _MAX_DOMAIN))
    labels = domain.split(".")
    for label in labels:
        messages = is_dns1123_label(label)
        if messages:
            errors += [invalid(path, domain, f'validating label "{label}": {told}') for told in messages]
            break
    if len(labels) < 2:
        detail = "should be a domain with at least two segments separated by dots"
        errors.append(invalid(path, domain, detail))
    for label in rest.split("."):
        messages = is_dns1123_subdomain(label)
        if messages:
            errors += [invalid(path, rest, f'validating label "{label}": {told}') for told in messages]
            break
    if byte_length(name) > _MAX_SIGNER_NAME:
        errors.append(too_long(path, _MAX_SIGNER_NAME))
