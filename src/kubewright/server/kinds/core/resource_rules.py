"""Names and amounts of resources, as quotas, limit ranges, nodes and volumes have them."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import invalid
from kubewright.machinery.names import is_qualified_name
from kubewright.machinery.quantity import Quantity
from kubewright.server.kinds.kind import Errors, Object
from kubewright.server.kinds.metadata_rules import IS_NEGATIVE

__all__ = [
    "is_extended_resource",
    "is_integer_resource",
    "is_native_resource",
    "is_overcommit_allowed",
    "is_standard_container_resource",
    "is_standard_quota_resource",
    "quantity",
    "round_resources",
    "same_resources",
    "validate_amount",
    "validate_basic_resource",
    "validate_container_resource_name",
    "validate_positive",
    "validate_resource_name",
]

_COUNTED: Final = frozenset(
    (
        "pods",
        "resourcequotas",
        "services",
        "replicationcontrollers",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "services.nodeports",
        "services.loadbalancers",
    )
)
_QUOTA: Final = _COUNTED | {
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.storage",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
}
_STANDARD: Final = _QUOTA | {"storage"}
_CONTAINER: Final = frozenset(("cpu", "memory", "ephemeral-storage"))
_HUGE_PAGES: Final = "hugepages-"
_QUOTA_HUGE_PAGES: Final = (_HUGE_PAGES, "requests.hugepages-")
_NOT_POSITIVE: Final = "must be greater than zero"
_MILLI: Final = -3


def quantity(text: object) -> Quantity:
    """A quantity of an object; what is none, which the decode step does not let through, counts as zero."""
    try:
        return Quantity(text) if isinstance(text, str | int | float) else Quantity(0)
    except ParseError:
        return Quantity(0)


def round_resources(resources: Object | None) -> None:
    """Round amounts up to thousandths, in place, as upstream's defaults of every resource list do."""
    if resources:
        for name, amount in resources.items():
            # Only these suffixes, and more decimals than three, can be finer.
            if isinstance(amount, str) and (amount[-1:] in {"n", "u"} or "." in amount or "e-" in amount):
                resources[name] = str(quantity(amount).round_up(_MILLI))


def same_resources(one: Object | None, other: Object | None) -> bool:
    """Whether two resource lists have the same amounts, in whichever form they are written."""
    one, other = one or {}, other or {}
    if one == other:
        return True
    return one.keys() == other.keys() and all(
        quantity(amount) == quantity(other[name]) for name, amount in one.items()
    )


def is_native_resource(name: str) -> bool:
    """Whether a resource is one of Kubernetes' own."""
    return "/" not in name or "kubernetes.io/" in name


def is_extended_resource(name: str) -> bool:
    """Whether a resource is one that devices or the like provide."""
    if is_native_resource(name) or name.startswith("requests."):
        return False
    return not is_qualified_name(f"requests.{name}")


def is_integer_resource(name: str) -> bool:
    """Whether a resource is counted in whole numbers."""
    return name in _COUNTED or is_extended_resource(name)


def is_overcommit_allowed(name: str) -> bool:
    """Whether limits may be larger than requests."""
    return is_native_resource(name) and not name.startswith(_HUGE_PAGES)


def is_standard_container_resource(name: str) -> bool:
    """Whether containers can ask for a resource of this short name."""
    return name in _CONTAINER or name.startswith(_HUGE_PAGES)


def is_standard_quota_resource(name: str) -> bool:
    """Whether quotas can limit a resource of this short name."""
    return name in _QUOTA or name.startswith(_QUOTA_HUGE_PAGES)


def validate_resource_name(name: str, path: str) -> Errors:
    """What is wrong with the name of any resource."""
    errors = [invalid(path, name, message) for message in is_qualified_name(name)]
    if errors or "/" in name or name in _STANDARD or name.startswith(_QUOTA_HUGE_PAGES):
        return errors
    return [invalid(path, name, "must be a standard resource type or fully qualified")]


def validate_container_resource_name(name: str, path: str) -> Errors:
    """What is wrong with the name of a resource of containers."""
    errors = validate_resource_name(name, path)
    if "/" not in name:
        if not is_standard_container_resource(name):
            errors.append(invalid(path, name, "must be a standard resource for containers"))
    elif not is_native_resource(name) and not is_extended_resource(name):
        errors.append(invalid(path, name, "doesn't follow extended resource name standard"))
    return errors


def validate_amount(name: str, amount: object, path: str) -> Errors:
    """What is wrong with an amount of a resource: less than nothing, or a part of what has none."""
    value = quantity(amount)
    errors: Errors = []
    if value < 0:
        errors.append(invalid(path, str(value), IS_NEGATIVE))
    if is_integer_resource(name) and value.milli_value() % 1000 != 0:
        errors.append(invalid(path, str(value), "must be an integer"))
    return errors


def validate_positive(amount: object, path: str) -> Errors:
    """What is wrong with an amount that must be more than nothing."""
    value = quantity(amount)
    return [] if value > 0 else [invalid(path, str(value), _NOT_POSITIVE)]


def validate_basic_resource(amount: object, path: str) -> Errors:
    """What is wrong with an amount, counted in whole units."""
    value = quantity(amount).value()
    return [] if value >= 0 else [invalid(path, value, "must be a valid resource quantity")]
