"""The rules of Ingresses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kubewright.machinery.field_errors import invalid, not_supported, required
from kubewright.machinery.names import (
    is_dns1123_subdomain,
    is_valid_port_name,
    is_valid_port_num,
    is_wildcard_dns1123_subdomain,
    name_is_dns_label,
    name_is_dns_subdomain,
)
from kubewright.server.kinds.core.ip_rules import ip_warnings, parse_ip, validate_legacy_ip
from kubewright.server.kinds.fields import keep_spec, keep_status
from kubewright.server.kinds.kind import Context, Errors, Kind, Object, Subresource, same_spec_generation
from kubewright.server.kinds.networking.references import validate_reference

__all__ = ["INGRESS"]

_CLASS: Final = "kubernetes.io/ingress.class"
"""The annotation that was there before spec.ingressClassName."""

_PATH_TYPES: Final = ("Exact", "ImplementationSpecific", "Prefix")
_BAD_SEQUENCES: Final = ("//", "/./", "/../", "%2f", "%2F")
_BAD_SUFFIXES: Final = ("/..", "/.")
_NOT_AN_IP: Final = "must be a DNS name, not an IP address"


def _prepare_create(obj: Object, context: Context) -> None:
    obj["status"] = {"loadBalancer": {}}


def _validate(obj: Object) -> Errors:
    spec = obj.get("spec") or {}
    errors = _validate_spec(spec, allow_bad_secrets=False, allow_bad_wildcards=False)
    annotation = ((obj.get("metadata") or {}).get("annotations") or {}).get(_CLASS)
    class_name = spec.get("ingressClassName")
    if annotation is not None and class_name is not None and annotation != class_name:
        detail = "must match `ingressClassName` when both are specified"
        errors.append(invalid(f"annotations.{_CLASS}", annotation, detail))
    return errors


def _validate_update(obj: Object, old: Object) -> Errors:
    # What is stored by older servers stays valid as far as it was.
    old_spec = old.get("spec") or {}
    bad_secrets = any(_secret_messages(tls) for tls in old_spec.get("tls") or ())
    bad_wildcards = any(
        "*" in (rule.get("host") or "") and _validate_http(rule, "") for rule in old_spec.get("rules") or ()
    )
    return _validate_spec(
        obj.get("spec") or {}, allow_bad_secrets=bad_secrets, allow_bad_wildcards=bad_wildcards
    )


def _validate_spec(spec: Object, *, allow_bad_secrets: bool, allow_bad_wildcards: bool) -> Errors:
    errors: Errors = []
    rules, backend, class_name = spec.get("rules"), spec.get("defaultBackend"), spec.get("ingressClassName")
    if not rules and backend is None:
        errors.append(invalid("spec", rules, "either `defaultBackend` or `rules` must be specified"))
    if backend is not None:
        errors += _validate_backend(backend, "spec.defaultBackend")
    for index, rule in enumerate(rules or ()):
        path = f"spec.rules[{index}]"
        host = rule.get("host") or ""
        if host:
            errors += _validate_rule_host(host, f"{path}.host")
        if not (allow_bad_wildcards and "*" in host):
            errors += _validate_http(rule, path)
    for index, tls in enumerate(spec.get("tls") or ()):
        errors += _validate_tls(tls, f"spec.tls[{index}]", allow_bad_secrets=allow_bad_secrets)
    if class_name is not None:
        messages = name_is_dns_subdomain(class_name)
        errors += [invalid("spec.ingressClassName", class_name, message) for message in messages]
    return errors


def _host_messages(host: str) -> Sequence[str]:
    return is_wildcard_dns1123_subdomain(host) if "*" in host else is_dns1123_subdomain(host)


def _validate_rule_host(host: str, path: str) -> Errors:
    errors = [invalid(path, host, _NOT_AN_IP)] if parse_ip(host) is not None else []
    return errors + [invalid(path, host, message) for message in _host_messages(host)]


def _validate_http(rule: Object, path: str) -> Errors:
    http = rule.get("http")
    if http is None:
        return []
    paths = http.get("paths") or ()
    errors: Errors = [] if paths else [required(f"{path}.http.paths")]
    for index, each in enumerate(paths):
        errors += _validate_path(each, f"{path}.http.paths[{index}]")
    return errors


def _validate_path(each: Object, path: str) -> Errors:
    kind, text = each.get("pathType"), each.get("path") or ""
    place = f"{path}.path"
    if kind is None:
        return [required(f"{path}.pathType", "pathType must be specified")]
    errors: Errors = []
    if kind not in _PATH_TYPES:
        errors.append(not_supported(f"{path}.pathType", kind, _PATH_TYPES))
    elif not text.startswith("/") and (text or kind != "ImplementationSpecific"):
        errors.append(invalid(place, text, "must be an absolute path"))
    if kind in {"Exact", "Prefix"}:
        for sequence in _BAD_SEQUENCES:
            if sequence in text:
                errors.append(invalid(place, text, f"must not contain '{sequence}'"))
        for suffix in _BAD_SUFFIXES:
            if text.endswith(suffix):
                errors.append(invalid(place, text, f"cannot end with '{suffix}'"))
    return errors + _validate_backend(each.get("backend") or {}, f"{path}.backend")


def _validate_backend(backend: Object, path: str) -> Errors:
    resource, service = backend.get("resource"), backend.get("service")
    if resource is not None and service is not None:
        return [invalid(path, "", "cannot set both resource and service backends")]
    if resource is not None:
        return validate_reference(resource, f"{path}.resource")
    if service is None:
        return [invalid(path, "", "resource or service backend is required")]
    errors: Errors = []
    name, port = service.get("name") or "", service.get("port") or {}
    if not name:
        errors.append(required(f"{path}.service.name"))
    else:
        errors += [invalid(f"{path}.service.name", name, message) for message in name_is_dns_label(name)]
    port_name, number = port.get("name"), port.get("number")
    if port_name and number:
        errors.append(invalid(path, "", "cannot set both port name & port number"))
    elif port_name:
        place = f"{path}.service.port.name"
        errors += [invalid(place, port_name, message) for message in is_valid_port_name(port_name)]
    elif number:
        place = f"{path}.service.port.number"
        errors += [invalid(place, number, message) for message in is_valid_port_num(number)]
    else:
        errors.append(required(path, "port name or number is required"))
    return errors


def _validate_tls(tls: Object, path: str, *, allow_bad_secrets: bool) -> Errors:
    errors: Errors = []
    for index, host in enumerate(tls.get("hosts") or ()):
        errors += [invalid(f"{path}.hosts[{index}]", host, message) for message in _host_messages(host)]
    if not allow_bad_secrets:
        secret = tls.get("secretName")
        errors += [invalid(f"{path}.secretName", secret, message) for message in _secret_messages(tls)]
    return errors


def _secret_messages(tls: Object) -> Sequence[str]:
    secret = tls.get("secretName")
    return name_is_dns_subdomain(secret) if secret else ()


def _warnings(obj: Object, old: Object | None) -> list[str]:
    if old is not None:
        return []
    annotations = (obj.get("metadata") or {}).get("annotations") or {}
    if _CLASS in annotations and (obj.get("spec") or {}).get("ingressClassName") is None:
        return [f"annotation \"{_CLASS}\" is deprecated, please use 'spec.ingressClassName' instead"]
    return []


def _points(obj: Object) -> Sequence[Object]:
    balancer = (obj.get("status") or {}).get("loadBalancer") or {}
    found: Sequence[Object] = balancer.get("ingress") or ()
    return found


def _validate_status(obj: Object, old: Object) -> Errors:
    errors: Errors = []
    accepted = [point["ip"] for point in _points(old) if point.get("ip")]
    for index, point in enumerate(_points(obj)):
        path = f"status.loadBalancer.ingress[{index}]"
        ip, host = point.get("ip"), point.get("hostname")
        if ip:
            errors += validate_legacy_ip(ip, f"{path}.ip", accepted)
        if host:
            place = f"{path}.hostname"
            errors += [invalid(place, host, message) for message in is_dns1123_subdomain(host)]
            if parse_ip(host) is not None:
                errors.append(invalid(place, host, _NOT_AN_IP))
    return errors


def _status_warnings(obj: Object, old: Object | None) -> list[str]:
    warnings: list[str] = []
    for index, point in enumerate(_points(obj)):
        if point.get("ip"):
            warnings += ip_warnings(point["ip"], f"status.loadBalancer.ingress[{index}]")
    return warnings


INGRESS: Final = Kind(
    metadata_checks=2,
    prepare_create=_prepare_create,
    prepare_update=keep_status,
    validate=_validate,
    validate_update=_validate_update,
    warnings=_warnings,
    generation=same_spec_generation,
    subresources={
        "status": Subresource(
            prepare=keep_spec, validate=_validate_status, warnings=_status_warnings, resets=("spec",)
        )
    },
)
