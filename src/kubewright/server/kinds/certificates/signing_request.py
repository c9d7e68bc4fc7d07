"""The rules of CertificateSigningRequests.

What is asked for never changes; `/approval` writes the conditions, `/status` the certificate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kubewright.machinery.field_errors import duplicate, forbidden, invalid, not_supported, required
from kubewright.machinery.time import format_time
from kubewright.server.kinds.certificates.pem import certificate_error, request_error
from kubewright.server.kinds.core.volume_projected import check_signer_name
from kubewright.server.kinds.fields import take_back
from kubewright.server.kinds.kind import Context, Errors, Kind, Object, Subresource

__all__ = ["CERTIFICATE_SIGNING_REQUEST"]

_USAGES: Final = (
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
)
_KNOWN_USAGES: Final = frozenset(_USAGES)
_LEGACY_SIGNER: Final = "kubernetes.io/legacy-unknown"
_SHORTEST: Final = 600
_STATUSES: Final = ("False", "True", "Unknown")
_TRUE: Final = ("True",)
_FINAL: Final = ("Approved", "Denied", "Failed")
"""The types of conditions that stay once they are there, and are never anything but true."""

_DECISIONS: Final = ("Approved", "Denied")
_USER_FIELDS: Final = ("username", "uid", "groups", "extra")


def any_name(name: str, *, prefix: bool = False) -> list[str]:
    """Requests may have any name that a path can have, which the registry checks."""
    return []


def _conditions(obj: Object) -> list[Object]:
    found: list[Object] = (obj.get("status") or {}).get("conditions") or []
    return found


def _types(obj: Object) -> list[str]:
    return [condition.get("type") or "" for condition in _conditions(obj)]


def _prepare_create(obj: Object, context: Context) -> None:
    spec = obj.setdefault("spec", {})
    for field in _USER_FIELDS:
        spec.pop(field, None)
    if context.user:
        spec["username"] = context.user
    if context.uid:
        spec["uid"] = context.uid
    if context.groups:
        spec["groups"] = list(context.groups)
    if context.extra:
        spec["extra"] = {key: list(values) for key, values in context.extra.items()}
    obj.pop("status", None)


def _prepare_update(obj: Object, old: Object, context: Context) -> None:
    take_back(obj, old, "spec")
    take_back(obj, old, "status")


def _prepare_status(obj: Object, old: Object, context: Context) -> None:
    take_back(obj, old, "spec")
    conditions, old_conditions = _conditions(obj), _conditions(old)
    for kind in _DECISIONS:
        places = [index for index, each in enumerate(conditions) if each.get("type") == kind]
        kept = [each for each in old_conditions if each.get("type") == kind]
        if len(places) == len(kept):
            for index, condition in zip(places, kept, strict=True):
                conditions[index] = dict(condition)
    _set_times(conditions, old_conditions, format_time(context.now))


def _prepare_approval(obj: Object, old: Object, context: Context) -> None:
    conditions = _conditions(obj)
    _set_times(conditions, _conditions(old), format_time(context.now))
    take_back(obj, old, "spec")
    status = {**(old.get("status") or {}), "conditions": conditions}
    if not conditions:
        del status["conditions"]
    obj["status"] = status


def _set_times(conditions: Sequence[Object], old: Sequence[Object], now: str) -> None:
    for condition in conditions:
        if not condition.get("lastUpdateTime"):
            condition["lastUpdateTime"] = now
        if not condition.get("lastTransitionTime"):
            same = (
                before.get("lastTransitionTime")
                for before in old
                if before.get("type") == condition.get("type")
                and before.get("status") == condition.get("status")
            )
            condition["lastTransitionTime"] = next(filter(None, same), now)


def _validate(obj: Object) -> Errors:
    return _validate_request(obj, None)


def _validate_request(obj: Object, old: Object | None) -> Errors:
    """All that is wrong with a request; what is as wrong in `old`, which is stored, passes."""
    spec = obj.get("spec") or {}
    old_spec = (old or {}).get("spec") or {}
    errors: Errors = []
    problem = request_error(spec.get("request"))
    if problem:
        errors.append(invalid("spec.request", spec.get("request"), problem))
    errors += _validate_usages(spec.get("usages") or (), old_spec.get("usages") or ())
    signer, seconds = spec.get("signerName") or "", spec.get("expirationSeconds")
    if signer == _LEGACY_SIGNER and old_spec.get("signerName") != _LEGACY_SIGNER:
        detail = "the legacy signerName is not allowed via this API version"
        errors.append(invalid("spec.signerName", signer, detail))
    else:
        check_signer_name(errors, signer, "spec.signerName")
    if seconds is not None and seconds < _SHORTEST:
        detail = "may not specify a duration less than 600 seconds (10 minutes)"
        errors.append(invalid("spec.expirationSeconds", seconds, detail))
    errors += _validate_conditions(obj, old)
    certificate, old_certificate = _certificate(obj), _certificate(old or {})
    if old is None or (certificate != old_certificate and not certificate_error(old_certificate)):
        problem = certificate_error(certificate)
        if problem:
            errors.append(invalid("status.certificate", "<certificate data>", problem))
    return errors


def _certificate(obj: Object) -> str:
    found: str = (obj.get("status") or {}).get("certificate") or ""
    return found


def _validate_usages(usages: Sequence[str], old: Sequence[str]) -> Errors:
    errors: Errors = []
    if not usages:
        errors.append(required("spec.usages"))
    if _KNOWN_USAGES.issuperset(old):
        for index, usage in enumerate(usages):
            if usage not in _KNOWN_USAGES:
                errors.append(not_supported(f"spec.usages[{index}]", usage, _USAGES))
    if len(set(old)) == len(old):
        seen: set[str] = set()
        for index, usage in enumerate(usages):
            if usage in seen:
                errors.append(duplicate(f"spec.usages[{index}]", usage))
            seen.add(usage)
    return errors


def _validate_conditions(obj: Object, old: Object | None) -> Errors:
    path = "status.conditions"
    errors: Errors = []
    old_types = [] if old is None else _types(old)
    allow_both = set(_DECISIONS) <= set(old_types)
    allow_twice = len(set(old_types)) < len(old_types)
    seen: set[str] = set()
    for index, condition in enumerate(_conditions(obj)):
        kind, status = condition.get("type") or "", condition.get("status") or ""
        allowed = _TRUE if kind in _FINAL else _STATUSES
        if not kind and "" not in old_types:
            errors.append(required(f"{path}[{index}].type"))
        if not status:
            errors.append(required(f"{path}[{index}].status"))
        elif status not in allowed:
            errors.append(not_supported(f"{path}[{index}].status", status, allowed))
        if kind in _DECISIONS and not allow_both and not seen.isdisjoint(set(_DECISIONS) - {kind}):
            detail = "Approved and Denied conditions are mutually exclusive"
            errors.append(invalid(path, kind, detail))
        if kind in seen and not allow_twice:
            errors.append(duplicate(f"{path}[{index}].type", kind))
        seen.add(kind)
    return errors


def _validate_change(obj: Object, old: Object, *, decides: bool, issues: bool) -> Errors:
    errors = _validate_request(obj, old)
    types, old_types = _types(obj), _types(old)
    for kind in _FINAL:
        if types.count(kind) < old_types.count(kind):
            detail = f'updates may not remove a condition of type "{kind}"'
            errors.append(forbidden("status.conditions", detail))
    if not decides:
        for kind in _DECISIONS:
            # That they are the same, where there are as many, `_prepare_status` has seen to.
            if types.count(kind) > old_types.count(kind):
                detail = f'updates may not add a condition of type "{kind}"'
                errors.append(forbidden("status.conditions", detail))
    if _certificate(obj) != _certificate(old):
        if not issues:
            errors.append(forbidden("status.certificate", "updates may not set certificate content"))
        elif _certificate(old):
            detail = "updates may not modify existing certificate content"
            errors.append(forbidden("status.certificate", detail))
    return errors


def _validate_update(obj: Object, old: Object) -> Errors:
    return _validate_change(obj, old, decides=False, issues=False)


def _validate_status(obj: Object, old: Object) -> Errors:
    return _validate_change(obj, old, decides=False, issues=True)


def _validate_approval(obj: Object, old: Object) -> Errors:
    return _validate_change(obj, old, decides=True, issues=False)


def _fields(obj: Object) -> Mapping[str, str]:
    return {"spec.signerName": (obj.get("spec") or {}).get("signerName") or ""}


CERTIFICATE_SIGNING_REQUEST: Final = Kind(
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    validate=_validate,
    validate_update=_validate_update,
    name=any_name,
    fields=_fields,
    subresources={
        "status": Subresource(
            prepare=_prepare_status, validate=_validate_status, resets=("spec", "status.conditions")
        ),
        "approval": Subresource(
            prepare=_prepare_approval, validate=_validate_approval, resets=("spec", "status.certificate")
        ),
    },
    resets=("spec", "status"),
)
