"""Amounts of resources in pods: the sorts of names, what containers add up to, and the QoS class."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from kubewright.machinery.errors import ParseError
from kubewright.machinery.names import is_qualified_name
from kubewright.machinery.quantity import Quantity
from kubewright.server.kinds.kind import Object

__all__ = [
    "aggregate_limits",
    "aggregate_requests",
    "amount_of",
    "compare_amounts",
    "is_extended_resource",
    "is_fractional",
    "is_huge_page",
    "is_huge_page_multiple",
    "is_native_resource",
    "is_overcommit_allowed",
    "is_pod_level_resource",
    "is_positive",
    "plain_millis",
    "qos_class",
    "round_resources",
]

_HUGE_PAGES: Final = "hugepages-"
_ZERO: Final = Quantity(0)

# Most amounts: not below zero, and written as Go writes them.
_PLAIN: Final = re.compile(r"([0-9]{1,15})(m|k|[MGTPE]i?|Ki)?").fullmatch
_MILLIS: Final[Mapping[str | None, int]] = {
    None: 1000,
    "m": 1,
    **{suffix: 1000 ** (power + 1) for power, suffix in enumerate("kMGTPE", 1)},
    **{f"{suffix}i": 1000 * 1024**power for power, suffix in enumerate("KMGTPE", 1)},
}


def plain_millis(text: object) -> int | None:
    """The thousandths that an amount in its usual form stands for; None for other forms."""
    match = _PLAIN(text) if isinstance(text, str) else None
    return None if match is None else int(match[1]) * _MILLIS[match[2]]


def is_positive(text: object) -> bool:
    """Whether an amount is more than zero."""
    if isinstance(text, str) and "1" <= text[:1] <= "9":
        # However it goes on, it is not zero: what is smaller than a nano rounds up to one.
        return True
    return text != "0" and amount_of(text) > 0


def compare_amounts(one: object, other: object) -> int:
    """Below, above or equal to zero as the first amount is less than, more than or equal to the other."""
    if one == other:
        return 0
    first, second = plain_millis(one), plain_millis(other)
    if first is not None and second is not None:
        return first - second
    exact, other_exact = amount_of(one), amount_of(other)
    return 0 if exact == other_exact else -1 if exact < other_exact else 1


def amount_of(text: object) -> Quantity:
    """A quantity of an object; zero for what is none, which the decode step does not let through."""
    if not isinstance(text, str | int | float):
        return _ZERO
    try:
        return Quantity(text)
    except ParseError:
        return _ZERO


def round_resources(resources: Object) -> None:
    """Round up what is finer than thousandths, as upstream does to all amounts of resources."""
    for name, amount in resources.items():
        # Canonical amounts that are whole thousandths have no smaller suffix and no point.
        if isinstance(amount, str) and (amount[-1:] in {"n", "u"} or "." in amount or "e-" in amount):
            resources[name] = str(amount_of(amount).round_up(-3))


def is_fractional(text: object) -> bool:
    """Whether an amount is no whole number."""
    millis = plain_millis(text)
    if millis is None:
        millis = amount_of(text).milli_value()
    return millis % 1000 != 0


def is_huge_page(name: str) -> bool:
    """Whether a resource is huge pages of some size."""
    return name.startswith(_HUGE_PAGES)


def is_huge_page_multiple(name: str, amount: Quantity) -> bool:
    """Whether an amount of huge pages is a whole number of pages of the size that the name says."""
    try:
        size = Quantity(name.removeprefix(_HUGE_PAGES))
    except ParseError:
        return False
    if size <= 0 or size.milli_value() % 1000:
        return False
    return amount.value() % size.value() == 0


def is_native_resource(name: str) -> bool:
    """Whether a resource is of Kubernetes itself: unqualified, or under kubernetes.io."""
    return "/" not in name or "kubernetes.io/" in name


def is_extended_resource(name: str) -> bool:
    """Whether a resource is somebody else's, such as example.com/gpu."""
    if is_native_resource(name) or name.startswith("requests."):
        return False
    return not is_qualified_name(f"requests.{name}")


def is_overcommit_allowed(name: str) -> bool:
    """Whether requests of a resource may be below its limits."""
    return is_native_resource(name) and not is_huge_page(name)


def is_pod_level_resource(name: str) -> bool:
    """Whether a resource can be asked for by the pod as a whole."""
    return name in {"cpu", "memory"} or is_huge_page(name)


def aggregate_requests(spec: Object) -> dict[str, Quantity]:
    """What all containers together request, with regard to the order in which init containers run."""
    return _aggregate(spec, "requests")


def aggregate_limits(spec: Object) -> dict[str, Quantity]:
    """What all containers together are limited to."""
    return _aggregate(spec, "limits")


def _aggregate(spec: Object, which: str) -> dict[str, Quantity]:
    total: dict[str, Quantity] = {}
    for container in spec.get("containers") or ():
        _add(total, _amounts(container, which))
    sidecars: dict[str, Quantity] = {}
    largest: dict[str, Quantity] = {}
    for container in spec.get("initContainers") or ():
        amounts = _amounts(container, which)
        if container.get("restartPolicy") == "Always":
            _add(total, amounts)
            _add(sidecars, amounts)
            amounts = sidecars
        else:
            _add(amounts, sidecars)
        _raise(largest, amounts)
    _raise(total, largest)
    return total


def _amounts(container: Object, which: str) -> dict[str, Quantity]:
    resources = container.get("resources") or {}
    return {name: amount_of(text) for name, text in (resources.get(which) or {}).items()}


def _add(total: dict[str, Quantity], amounts: Mapping[str, Quantity]) -> None:
    for name, amount in amounts.items():
        total[name] = total[name] + amount if name in total else amount


def _raise(total: dict[str, Quantity], amounts: Mapping[str, Quantity]) -> None:
    for name, amount in amounts.items():
        if name not in total or amount > total[name]:
            total[name] = amount


def qos_class(spec: Object) -> str:
    """The quality of service that a pod's resources buy: Guaranteed, Burstable or BestEffort."""
    resources = spec.get("resources")
    if resources is not None:
        return _qos_of_pod(resources)
    requirements = [
        container.get("resources") or {}
        for containers in (spec.get("containers"), spec.get("initContainers"))
        for container in containers or ()
    ]
    return _qos(requirements)


def _qos_of_pod(resources: Object) -> str:
    if resources.get("limits"):
        return _qos([resources])
    # Without limits upstream does not ask whether both resources are limited, but the sums differ then.
    requests = resources.get("requests") or {}
    used = any(name in requests and is_positive(requests[name]) for name in ("cpu", "memory"))
    return "Burstable" if used else "BestEffort"


def _qos(requirements: list[Object]) -> str:
    used = False
    guaranteed = True
    exceeds = False
    for resources in requirements:
        limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
        for name in ("cpu", "memory"):
            limit, request = limits.get(name), requests.get(name)
            if limit is not None and is_positive(limit):
                used = True
                order = compare_amounts("0" if request is None else request, limit)
                guaranteed = guaranteed and order >= 0
                exceeds = exceeds or order > 0
            else:
                guaranteed = False
                used = used or (request is not None and is_positive(request))
            if used and not guaranteed:
                return "Burstable"
    if not used:
        return "BestEffort"
    # No valid pod requests more than its limit; upstream compares the sums.
    if exceeds and _total(requirements, "requests") != _total(requirements, "limits"):
        return "Burstable"
    return "Guaranteed"


def _total(requirements: list[Object], which: str) -> dict[str, Quantity]:
    total: dict[str, Quantity] = {}
    for resources in requirements:
        amounts = resources.get(which) or {}
        _add(total, {name: amount_of(amounts[name]) for name in ("cpu", "memory") if name in amounts})
    return total
