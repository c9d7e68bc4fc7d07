"""Which objects a list or watch is about: namespace, name, labels and fields."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_selectors import FieldSelector, parse_field_selector
from kubewright.machinery.label_selectors import Selector, parse_label_selector
from kubewright.server.errors import bad_request
from kubewright.server.large_requests import LARGE_YAML, run_in_worker
from kubewright.server.registry.resource_type import ResourceType
from kubewright.server.registry.stored import read_meta

__all__ = ["Selection", "read_selection", "select"]

_METADATA: Final = frozenset({"metadata.name", "metadata.namespace"})


_MAX_WATCHED: Final = 1_000
"""How many requirements the selectors of a watch may have: every write is matched with every watch, and so
many take 0.1 ms. kube-apiserver has no limit; its watches share all cores."""


class Selection:
    """What a list or watch selects. `matches` is None when all objects below the root match."""

    __slots__ = ("matches", "name", "namespace", "requirements")

    def __init__(
        self, namespace: str, name: str, matches: Callable[[bytes], bool] | None, *, requirements: int = 1
    ) -> None:
        self.namespace = namespace
        """Empty for all."""
        self.name = name
        """The only name that can match; empty for any."""
        self.matches = matches
        """Whether a stored value is selected. A pure function, which may run in any thread."""
        self.requirements = requirements
        """How many requirements `matches` checks of a value."""


def select(
    resource: ResourceType, *, namespace: str, labels: str = "", fields: str = "", name: str = ""
) -> Selection:
    """What selectors, and for a watch of one object its name, select. Raises BadRequest."""
    if not labels and not fields:
        return Selection(namespace, name, None)
    try:
        label_selector = parse_label_selector(labels)
        field_selector = parse_field_selector(fields, transform=_checked(resource) if fields else None)
    except ParseError as error:
        raise bad_request(str(error)) from None
    wanted = field_selector.requires_exact_match("metadata.name") or ""
    if name and wanted != name and not field_selector.empty:
        raise bad_request("fieldSelector metadata.name doesn't match requested name")
    in_namespace = field_selector.requires_exact_match("metadata.namespace") or ""
    if not namespace and in_namespace and resource.served.namespaced and "/" not in in_namespace:
        namespace = in_namespace
    matches = _matcher(resource, label_selector, field_selector)
    count = len(label_selector.requirements) + len(field_selector.requirements)
    return Selection(namespace, name or ("" if "/" in wanted else wanted), matches, requirements=count)


async def read_selection(
    resource: ResourceType,
    *,
    namespace: str,
    labels: str = "",
    fields: str = "",
    name: str = "",
    watching: bool = False,
) -> Selection:
    """As `select`, but long selectors are read in the worker thread, and those of watches are limited."""
    read = partial(select, resource, namespace=namespace, labels=labels, fields=fields, name=name)
    selection = read() if len(labels) + len(fields) < LARGE_YAML else await run_in_worker(read)
    if watching and selection.requirements > _MAX_WATCHED:
        raise bad_request(
            f"the selectors of a watch may have at most {_MAX_WATCHED} requirements, and these have "
            f"{selection.requirements}: watch without them and select in the client"
        )
    return selection


def _checked(resource: ResourceType) -> Callable[[str, str], tuple[str, str]]:
    known = resource.selectable_fields()

    def checked(field: str, value: str) -> tuple[str, str]:
        if field not in known:
            raise ParseError(resource.unknown_field(field))
        return field, value

    return checked


def _matcher(
    resource: ResourceType, labels: Selector, fields: FieldSelector
) -> Callable[[bytes], bool] | None:
    only_metadata = all(term.field in _METADATA for term in fields.requirements) and fields.selectable
    if fields.empty and labels.empty:
        return None

    def by_metadata(value: bytes) -> bool:
        meta = read_meta(value)
        if not labels.matches(meta.labels or {}):
            return False
        return fields.matches({"metadata.name": meta.name, "metadata.namespace": meta.namespace})

    def by_fields(value: bytes) -> bool:
        if not labels.empty and not labels.matches(read_meta(value).labels or {}):
            return False
        return fields.matches(resource.fields(resource.decode(value)))

    return by_metadata if only_metadata else by_fields
