"""The rules of ValidatingWebhookConfigurations and MutatingWebhookConfigurations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from kubewright.machinery.field_errors import duplicate, invalid, not_supported, required
from kubewright.machinery.names import is_dns1035_label, is_dns1123_subdomain
from kubewright.server.kinds.admissionregistration.matching import (
    FAILURE_POLICIES,
    MATCH_POLICIES,
    REINVOCATION_POLICIES,
    default_rules,
    name_warnings,
    validate_match_conditions,
    validate_rule,
)
from kubewright.server.kinds.kind import Errors, Kind, Object
from kubewright.server.kinds.metadata_rules import validate_label_selector
from kubewright.server.kinds.webhook_clients import DEFAULT_PORT, validate_webhook_client

__all__ = ["MUTATING_WEBHOOKS", "VALIDATING_WEBHOOKS"]

_REVIEW_VERSIONS: Final = ("v1", "v1beta1")
"""The versions of AdmissionReview that the server speaks."""

_SIDE_EFFECTS: Final = ("None", "NoneOnDryRun", "Some", "Unknown")
_NO_SIDE_EFFECTS: Final = ("None", "NoneOnDryRun")
_SECONDS: Final = 10
_MAX_SECONDS: Final = 30
_SELECTORS: Final = ("namespaceSelector", "objectSelector")


class _Options(msgspec.Struct, frozen=True, kw_only=True):
    """What an update may leave as it is stored."""

    ignore_conditions: bool = False
    require_no_side_effects: bool = True
    require_known_version: bool = True
    require_unique_names: bool = True
    allow_invalid_values: bool = False


_NEW: Final = _Options()


def _webhooks(obj: Object) -> Sequence[Object]:
    found: Sequence[Object] = obj.get("webhooks") or ()
    return found


def _default(obj: Object) -> None:
    for hook in _webhooks(obj):
        if hook.get("failurePolicy") is None:
            hook["failurePolicy"] = "Fail"
        if hook.get("matchPolicy") is None:
            hook["matchPolicy"] = "Equivalent"
        for field in _SELECTORS:
            if hook.get(field) is None:
                hook[field] = {}
        if hook.get("timeoutSeconds") is None:
            hook["timeoutSeconds"] = _SECONDS
        service = (hook.get("clientConfig") or {}).get("service")
        if service is not None and service.get("port") is None:
            service["port"] = DEFAULT_PORT
        default_rules(hook.get("rules"))


def _default_mutating(obj: Object) -> None:
    _default(obj)
    for hook in _webhooks(obj):
        if hook.get("reinvocationPolicy") is None:
            hook["reinvocationPolicy"] = "Never"


def _validate(obj: Object) -> Errors:
    return _validate_webhooks(obj, _NEW)


def _validate_update(obj: Object, old: Object) -> Errors:
    hooks, before = _webhooks(obj), _webhooks(old)
    same_conditions = len(hooks) == len(before) and all(
        hook.get("matchConditions") == was.get("matchConditions")
        for hook, was in zip(hooks, before, strict=True)
    )
    names = [hook.get("name") or "" for hook in before]
    options = _Options(
        ignore_conditions=same_conditions,
        require_no_side_effects=all(hook.get("sideEffects") in _NO_SIDE_EFFECTS for hook in before),
        require_known_version=all(_knows_version(hook) for hook in before),
        require_unique_names=len(set(names)) == len(names),
        allow_invalid_values=any(
            validate_label_selector(hook.get(field), "") for hook in before for field in _SELECTORS
        ),
    )
    return _validate_webhooks(obj, options)


def _knows_version(hook: Object) -> bool:
    versions = hook.get("admissionReviewVersions")
    return not versions or any(version in _REVIEW_VERSIONS for version in versions)


def _validate_webhooks(obj: Object, options: _Options) -> Errors:
    errors: Errors = []
    names: set[str] = set()
    for index, hook in enumerate(_webhooks(obj)):
        path, name = f"webhooks[{index}]", hook.get("name") or ""
        errors += _validate_webhook(hook, path, options)
        versions = hook.get("admissionReviewVersions") or ()
        errors += _validate_versions(versions, f"{path}.admissionReviewVersions", options)
        if options.require_unique_names and name:
            if name in names:
                errors.append(duplicate(f"{path}.name", name))
            names.add(name)
    return errors


def _validate_webhook(hook: Object, path: str, options: _Options) -> Errors:
    errors = _validate_name(hook.get("name") or "", f"{path}.name")
    for index, rule in enumerate(hook.get("rules") or ()):
        errors += validate_rule(rule, f"{path}.rules[{index}]")
    for field, known in (("failurePolicy", FAILURE_POLICIES), ("matchPolicy", MATCH_POLICIES)):
        policy = hook.get(field)
        if policy is not None and policy not in known:
            errors.append(not_supported(f"{path}.{field}", policy, known))
    effects = hook.get("sideEffects")
    allowed = _NO_SIDE_EFFECTS if options.require_no_side_effects else _SIDE_EFFECTS
    if effects is None:
        errors.append(required(f"{path}.sideEffects", f"must specify one of {', '.join(allowed)}"))
    elif effects not in allowed:
        errors.append(not_supported(f"{path}.sideEffects", effects, allowed))
    seconds = hook.get("timeoutSeconds")
    if seconds is not None and not 1 <= seconds <= _MAX_SECONDS:
        detail = "the timeout value must be between 1 and 30 seconds"
        errors.append(invalid(f"{path}.timeoutSeconds", seconds, detail))
    for field in _SELECTORS:
        allow = options.allow_invalid_values
        errors += validate_label_selector(hook.get(field), f"{path}.{field}", allow_invalid_values=allow)
    again = hook.get("reinvocationPolicy")
    if again is not None and again not in REINVOCATION_POLICIES:
        errors.append(not_supported(f"{path}.reinvocationPolicy", again, REINVOCATION_POLICIES))
    errors += validate_webhook_client(hook.get("clientConfig") or {}, f"{path}.clientConfig")
    if not options.ignore_conditions:
        errors += validate_match_conditions(hook.get("matchConditions"), f"{path}.matchConditions")
    return errors


def _validate_name(name: str, path: str) -> Errors:
    if not name:
        return [required(path)]
    messages = is_dns1123_subdomain(name)
    if messages:
        return [invalid(path, name, ",".join(messages))]
    if name.count(".") < 2:
        return [invalid(path, name, "should be a domain with at least three segments separated by dots")]
    return []


def _validate_versions(versions: Sequence[str], path: str, options: _Options) -> Errors:
    if not versions:
        return [required(path, f"must specify one of {', '.join(_REVIEW_VERSIONS)}")]
    errors: Errors = []
    seen: set[str] = set()
    for index, version in enumerate(versions):
        if version in seen:
            errors.append(invalid(f"{path}[{index}]", version, "duplicate version"))
            continue
        seen.add(version)
        errors += [invalid(f"{path}[{index}]", version, told) for told in is_dns1035_label(version)]
    if options.require_known_version and seen.isdisjoint(_REVIEW_VERSIONS):
        detail = f"must include at least one of {', '.join(_REVIEW_VERSIONS)}"
        errors.append(invalid(path, versions, detail))
    return errors


def _is_new_generation(obj: Object, old: Object) -> bool:
    return list(_webhooks(obj)) != list(_webhooks(old))


def _configuration(default: Callable[[Object], None]) -> Kind:
    return Kind(
        default=default,
        validate=_validate,
        validate_update=_validate_update,
        warnings=name_warnings,
        generation=_is_new_generation,
        allow_unconditional_update=False,
        resets=(),
    )


VALIDATING_WEBHOOKS: Final = _configuration(_default)
MUTATING_WEBHOOKS: Final = _configuration(_default_mutating)
