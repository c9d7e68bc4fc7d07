"""Strategic merge patches at random: sensible ones, with all directives, and some that are not sensible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from tests.machinery.patch.documents import NAMES, VOLUME_SOURCES, labels

Draw = st.DrawFn
RARELY = 12
"""One in so many: often enough to be tried, seldom enough to let the rest of the patch have its effect."""


def rarely(draw: Draw) -> bool:
    return draw(st.integers(1, RARELY)) == RARELY


def maybe(draw: Draw) -> bool:
    return draw(st.booleans())


def put(draw: Draw, target: dict[str, Any], key: str, value: st.SearchStrategy[Any]) -> None:
    """Set a member, remove it by null, or leave it alone."""
    if maybe(draw):
        target[key] = None if rarely(draw) else draw(value)


def put_list(
    draw: Draw, target: dict[str, Any], name: str, merge_key: str, keys: Sequence[Any], fields: Any
) -> None:
    """A list to merge, perhaps with deletions, perhaps with an order, perhaps a wrong one."""
    elements: list[Any] = []
    for key in draw(st.lists(st.sampled_from(keys), max_size=4, unique=not rarely(draw))):
        element: dict[str, Any] = {} if rarely(draw) and rarely(draw) else {merge_key: key}
        if maybe(draw) and maybe(draw):
            element["$patch"] = draw(st.sampled_from(["delete"] * 12 + ["replace", "merge", "bogus"]))
        else:
            fields(draw, element)
        elements.append(element)
    if maybe(draw):
        target[name] = elements
    if maybe(draw):
        order = [
            element[merge_key]
            for element in target.get(name, [])
            if list(element) and "$patch" not in element and merge_key in element
        ]
        for extra in draw(st.lists(st.sampled_from(keys), max_size=3, unique=True)):
            if extra not in order:
                order.insert(draw(st.integers(0, len(order))), extra)
        if rarely(draw):
            order = draw(st.permutations(order))
        target[f"$setElementOrder/{name}"] = [{merge_key: key} for key in order]


def put_finalizers(draw: Draw, target: dict[str, Any]) -> None:
    added = draw(st.lists(NAMES, max_size=3, unique=True))
    deleted = [name for name in draw(st.lists(NAMES, max_size=3)) if name not in added]
    if maybe(draw):
        target["finalizers"] = added
    if maybe(draw):
        target["$deleteFromPrimitiveList/finalizers"] = deleted
    if maybe(draw):
        order = list(target.get("finalizers", []))
        for extra in draw(st.lists(NAMES, max_size=3, unique=True)):
            if extra not in order:
                order.insert(draw(st.integers(0, len(order))), extra)
        target["$setElementOrder/finalizers"] = order


def container_fields(draw: Draw, element: dict[str, Any]) -> None:
    put(draw, element, "image", NAMES)
    put(draw, element, "args", st.lists(NAMES, max_size=3))
    if maybe(draw):
        put(draw, element, "resources", st.fixed_dictionaries({"limits": labels(NAMES | st.none())}))
    if maybe(draw):
        put_list(draw, element, "ports", "containerPort", [80, 443, 8080], port_fields)
    if maybe(draw):
        put_list(draw, element, "env", "name", "ABCDE", env_fields)
    if rarely(draw):
        element["$retainKeys"] = [
            "name",
            *draw(st.lists(st.sampled_from(["image", "args", "env"]), unique=True)),
        ]


def port_fields(draw: Draw, element: dict[str, Any]) -> None:
    put(draw, element, "protocol", st.sampled_from(["TCP", "UDP"]))


def env_fields(draw: Draw, element: dict[str, Any]) -> None:
    put(draw, element, "value", NAMES)


def volume_fields(draw: Draw, element: dict[str, Any]) -> None:
    for name, source in VOLUME_SOURCES.items():
        if maybe(draw):
            put(draw, element, name, source)
    if maybe(draw):
        element["$retainKeys"] = [key for key, value in element.items() if value is not None]


@st.composite
def metadata_patches(draw: Draw) -> dict[str, Any]:
    patch: dict[str, Any] = {}
    put(draw, patch, "labels", labels(NAMES | st.none()))
    put(draw, patch, "annotations", labels(NAMES | st.none()))
    put_finalizers(draw, patch)
    if rarely(draw):
        patch["$patch"] = draw(st.sampled_from(["replace", "delete", "merge", "bogus"]))
    return patch


@st.composite
def pod_spec_patches(draw: Draw) -> dict[str, Any]:
    patch: dict[str, Any] = {}
    put_list(draw, patch, "containers", "name", "abcdef", container_fields)
    put_list(draw, patch, "volumes", "name", "abcd", volume_fields)
    put(draw, patch, "tolerations", st.lists(st.fixed_dictionaries({}, optional={"key": NAMES}), max_size=2))
    put(draw, patch, "nodeSelector", labels(NAMES | st.none()))
    put(draw, patch, "priority", st.integers(0, 3))
    if rarely(draw):
        patch["$patch"] = draw(st.sampled_from(["replace", "delete"]))
    if rarely(draw):
        patch["$retainKeys"] = list(patch)
    return patch


@st.composite
def pod_patches(draw: Draw) -> dict[str, Any]:
    patch: dict[str, Any] = {}
    put(draw, patch, "metadata", metadata_patches())
    put(draw, patch, "spec", pod_spec_patches())
    return patch


@st.composite
def deployment_patches(draw: Draw) -> dict[str, Any]:
    spec: dict[str, Any] = {}
    put(draw, spec, "replicas", st.integers(0, 3))
    strategy: dict[str, Any] = {}
    put(draw, strategy, "type", st.sampled_from(["Recreate", "RollingUpdate"]))
    put(draw, strategy, "rollingUpdate", st.fixed_dictionaries({}, optional={"maxSurge": st.integers(0, 2)}))
    if maybe(draw):
        strategy["$retainKeys"] = draw(st.lists(st.sampled_from(["type", "rollingUpdate"]), unique=True))
    put(draw, spec, "strategy", st.just(strategy))
    put(draw, spec, "template", st.fixed_dictionaries({"spec": pod_spec_patches()}))
    return {"spec": spec}
