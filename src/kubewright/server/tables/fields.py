"""Parts of objects as cells show them: labels, selectors, containers, long lists cut short."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from kubewright.machinery.errors import ParseError
from kubewright.machinery.label_selectors import Selector
from kubewright.server.kinds.kind import Object

__all__ = [
    "NONE",
    "UNSET",
    "annotation",
    "bool_text",
    "condition",
    "container_cells",
    "items",
    "labels_text",
    "name_of",
    "or_default",
    "part",
    "selector_text",
    "template_containers",
    "with_more",
]

NONE: Final = "<none>"
UNSET: Final = "<unset>"


def part(obj: Object, *path: str) -> Object:
    """The object that a path of field names leads to; an empty one where there is none."""
    for name in path:
        obj = obj.get(name) or {}
    return obj


def items(obj: Object, name: str) -> Sequence[Any]:
    """A list; an empty one where there is none."""
    return obj.get(name) or ()


def or_default(value: Any, default: Any) -> Any:
    """A value, or what stands for one that is not there. Empty texts and 0 are there."""
    return default if value is None else value


def name_of(obj: Object) -> str:
    """The name of an object."""
    return (obj.get("metadata") or {}).get("name") or ""


def annotation(obj: Object, name: str) -> str | None:
    """The value of an annotation."""
    found: str | None = part(obj, "metadata", "annotations").get(name)
    return found


def condition(status: Object, kind: str) -> Object | None:
    """The first condition of a type."""
    for found in items(status, "conditions"):
        if found.get("type") == kind:
            return found  # type: ignore[no-any-return]
    return None


def bool_text(value: bool | None) -> str:
    """True, False, or `<unset>`."""
    return UNSET if value is None else ("True" if value else "False")


def labels_text(labels: Object | None) -> str:
    """Labels as `a=b,c=d`, or `<none>`."""
    return ",".join([f"{key}={labels[key]}" for key in sorted(labels)]) if labels else NONE


def selector_text(selector: Object | None, *, empty: str = NONE, wrong: str = "<error>") -> str:
    """A LabelSelector in the form that `kubectl -l` takes."""
    if not selector:
        return empty
    if not selector.get("matchExpressions"):
        labels = selector.get("matchLabels")
        return labels_text(labels) if labels else empty
    try:
        return str(Selector.from_label_selector(selector)) or empty
    except ParseError:
        return wrong


def template_containers(obj: Object) -> Sequence[Object]:
    """The containers of the pod template in an object's spec."""
    return items(part(obj, "spec", "template", "spec"), "containers")


def container_cells(containers: Sequence[Object]) -> tuple[str, str]:
    """The names of containers, and their images."""
    names = ",".join([container.get("name") or "" for container in containers])
    return names, ",".join([container.get("image") or "" for container in containers])


def with_more(shown: Sequence[str], count: int, *, empty: str = "") -> str:
    """The first of a list of `count`, and how many more there are."""
    text = ",".join(shown)
    if count > len(shown):
        return f"{text} + {count - len(shown)} more..."
    return text or empty
