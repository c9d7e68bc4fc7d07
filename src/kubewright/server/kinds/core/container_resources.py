"""The rules of resource requirements, of containers and of pods as a whole."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Final

from kubewright.machinery.field_errors import (
    FieldError,
    duplicate,
    forbidden,
    go_quote,
    invalid,
    required,
)
from kubewright.machinery.names import is_qualified_name
from kubewright.machinery.quantity import Quantity
from kubewright.server.kinds.core.name_checks import check_dns_label, unsupported
from kubewright.server.kinds.core.pod_resources import (
    aggregate_limits,
    aggregate_requests,
    amount_of,
    compare_amounts,
    is_extended_resource,
    is_huge_page,
    is_huge_page_multiple,
    is_native_resource,
    is_overcommit_allowed,
    is_pod_level_resource,
    plain_millis,
)
from kubewright.server.kinds.kind import Errors, Object

__all__ = [
    "check_container_resources",
    "check_pod_resources",
    "check_resource_name",
    "check_resource_quantity",
]

_CONTAINER_RESOURCES: Final = frozenset({"cpu", "memory", "ephemeral-storage"})

_COUNTS: Final = frozenset(
    {
        "pods",
        "resourcequotas",
        "services",
        "replicationcontrollers",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "services.nodeports",
        "services.loadbalancers",
    }
)
"""Upstream's integerResources: what is counted in whole numbers."""

_STANDARD_RESOURCES: Final = (
    _COUNTS
    | _CONTAINER_RESOURCES
    | {f"{which}.{name}" for which in ("requests", "limits") for name in _CONTAINER_RESOURCES}
    | {"storage", "requests.storage"}
)
"""Upstream's standardResources: the names that need no domain."""

NameCheck = Callable[[Errors, str, str], None]


def check_resource_name(errors: Errors, name: str, path: str) -> None:
    """The name of any resource: a standard one, or a qualified one."""
    wrong = is_qualified_name(name)
    if wrong:
        errors.extend([invalid(path, name, message) for message in wrong])
    elif "/" not in name and not _is_standard(name):
        errors.append(invalid(path, name, "must be a standard resource type or fully qualified"))


def _is_standard(name: str) -> bool:
    return name in _STANDARD_RESOURCES or name.startswith(("hugepages-", "requests.hugepages-"))


def _check_container_resource_name(errors: Errors, name: str, path: str) -> None:
    check_resource_name(errors, name, path)
    if "/" not in name:
        if name not in _CONTAINER_RESOURCES and not is_huge_page(name):
            errors.append(invalid(path, name, "must be a standard resource for containers"))
    elif not is_native_resource(name) and not is_extended_resource(name):
        errors.append(invalid(path, name, "doesn't follow extended resource name standard"))


def _check_pod_resource_name(errors: Errors, name: str, path: str) -> None:
    before = len(errors)
    check_resource_name(errors, name, path)
    if len(errors) == before and not is_pod_level_resource(name):
        errors.append(unsupported(path, name, ("cpu", "hugepages-", "memory")))


def check_resource_quantity(errors: Errors, name: str, amount: Quantity, path: str) -> None:
    """An amount of a resource: not below zero, and whole if the resource is counted."""
    if amount < 0:
        errors.append(invalid(path, str(amount), "must be greater than or equal to 0"))
    if (name in _COUNTS or is_extended_resource(name)) and amount.milli_value() % 1000:
        errors.append(invalid(path, str(amount), "must be an integer"))


def check_container_resources(
    errors: Errors,
    requirements: Object,
    claim_names: Collection[str],
    path: str,
    *,
    allow_indivisible: bool = False,
) -> None:
    """The resource requirements of a container."""
    if requirements:
        _check_requirements(
            errors,
            requirements,
            claim_names,
            path,
            check_name=_check_container_resource_name,
            allow_indivisible=allow_indivisible,
        )


def check_pod_resources(
    errors: Errors, spec: Object, claim_names: Collection[str], path: str, *, allow_indivisible: bool
) -> None:
    """The resource requirements of a pod as a whole, which must cover those of its containers."""
    resources = spec.get("resources")
    if resources is None:
        return
    path = f"{path}.resources"
    if (spec.get("os") or {}).get("name") == "windows":
        errors.append(forbidden(path, "may not be set for a windows pod"))
        return
    if resources.get("claims"):
        errors.append(forbidden(f"{path}.claims", "claims may not be set for Resources at pod-level"))
    _check_requirements(
        errors,
        resources,
        claim_names,
        path,
        check_name=_check_pod_resource_name,
        allow_indivisible=allow_indivisible,
    )
    _check_pod_covers_containers(errors, spec, resources, path)


def _check_pod_covers_containers(errors: Errors, spec: Object, resources: Object, path: str) -> None:
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    for name, total in sorted(aggregate_requests(spec).items()):
        if name in requests and total > amount_of(requests[name]):
            detail = f"must be greater than or equal to aggregate container requests of {total}"
            errors.append(invalid(f"{path}.requests[{name}]", str(requests[name]), detail))
    for name, total in sorted(aggregate_limits(spec).items()):
        if is_huge_page(name) and name in limits and total > amount_of(limits[name]):
            detail = f"must be greater than or equal to aggregate container limits of {total}"
            errors.append(invalid(f"{path}.limits[{name}]", str(limits[name]), detail))
    for index, container in enumerate(spec.get("containers") or ()):
        for name, text in ((container.get("resources") or {}).get("limits") or {}).items():
            if name in limits and amount_of(text) > amount_of(limits[name]):
                detail = f"must be less than or equal to pod limits of {limits[name]}"
                errors.append(invalid(f"{path}.containers[{index}][{name}].limits", str(text), detail))


def _check_requirements(
    errors: Errors,
    requirements: Object,
    claim_names: Collection[str],
    path: str,
    *,
    check_name: NameCheck,
    allow_indivisible: bool,
) -> None:
    limits, requests = requirements.get("limits") or {}, requirements.get("requests") or {}
    if "claims" not in requirements and _are_plain(limits, requests):
        return
    for name, text in limits.items():
        place = f"{path}.limits[{name}]"
        check_name(errors, name, place)
        amount = amount_of(text)
        check_resource_quantity(errors, name, amount, place)
        _check_huge_pages(errors, name, amount, place, allow_indivisible=allow_indivisible)
    for name, text in requests.items():
        place = f"{path}.requests[{name}]"
        check_name(errors, name, place)
        amount = amount_of(text)
        check_resource_quantity(errors, name, amount, place)
        _check_against_limit(errors, name, text, limits.get(name), path)
        _check_huge_pages(errors, name, amount, place, allow_indivisible=allow_indivisible)
    if not ("cpu" in limits or "memory" in limits or "cpu" in requests or "memory" in requests) and (
        any(map(is_huge_page, limits)) or any(map(is_huge_page, requests))
    ):
        errors.append(forbidden(path, "HugePages require cpu or memory"))
    claims = requirements.get("claims")
    if claims:
        _check_claims(errors, claims, claim_names, f"{path}.claims")


def _are_plain(limits: Mapping[str, object], requests: Mapping[str, object]) -> bool:
    """Whether there is only cpu and memory, in the usual form, and requests are within their limits."""
    limited = {}
    for name, text in limits.items():
        millis = plain_millis(text)
        if millis is None or name not in {"cpu", "memory"}:
            return False
        limited[name] = millis
    for name, text in requests.items():
        millis = plain_millis(text)
        if millis is None or name not in {"cpu", "memory"} or millis > limited.get(name, millis):
            return False
    return True


def _check_huge_pages(
    errors: Errors, name: str, amount: Quantity, path: str, *, allow_indivisible: bool
) -> None:
    if is_huge_page(name) and not allow_indivisible and not is_huge_page_multiple(name, amount):
        errors.append(invalid(path, str(amount), f"{amount} is not positive integer multiple of {name}"))


def _check_against_limit(errors: Errors, name: str, text: object, limit: object | None, path: str) -> None:
    if limit is None:
        if not is_overcommit_allowed(name):
            detail = "Limit must be set for non overcommitable resources"
            errors.append(required(f"{path}.limits", detail))
        return
    order = compare_amounts(text, limit)
    if order and not is_overcommit_allowed(name):
        detail = f"must be equal to {name} limit of {amount_of(limit)}"
        errors.append(invalid(f"{path}.requests", str(amount_of(text)), detail))
    elif order > 0:
        detail = f"must be less than or equal to {name} limit of {amount_of(limit)}"
        errors.append(invalid(f"{path}.requests", str(amount_of(text)), detail))


def _check_claims(errors: Errors, claims: list[Object], claim_names: Collection[str], path: str) -> None:
    seen: set[str] = set()
    by_request: dict[str, int] = {}
    for index, claim in enumerate(claims):
        place = f"{path}[{index}]"
        name, request = claim.get("name") or "", claim.get("request") or ""
        if not name:
            errors.append(required(place))
            continue
        if name in seen:
            errors.append(duplicate(place, name))
        else:
            key = f"{name}/{request}" if request else name
            if request:
                check_dns_label(errors, request, f"{place}.request")
            if key in seen:
                errors.append(duplicate(place, key))
            elif not request:
                errors.extend([duplicate(place, name)] * by_request.get(name, 0))
            if "/" in key and key not in seen:
                named = key.partition("/")[0]
                by_request[named] = by_request.get(named, 0) + 1
            seen.add(key)
        if name not in claim_names:
            known = f": {', '.join(sorted(claim_names))}" if claim_names else " which is empty"
            detail = f"must be one of the names in pod.spec.resourceClaims{known}"
            errors.append(FieldError("FieldValueNotFound", place, f"Not found: {go_quote(name)}: {detail}"))
