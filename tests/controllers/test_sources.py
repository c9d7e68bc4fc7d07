"""From changes to requests."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kubewright.controllers.predicates import generation_changed
from kubewright.controllers.requests import Request
from kubewright.controllers.sources import LOW_PRIORITY, Source, owners_of, priority_of
from kubewright.informers import Change
from kubewright.machinery.gvk import GroupKind
from kubewright.models.core_v1 import ConfigMap

APP = GroupKind("example.com", "App")


def reference(**changes: Any) -> dict[str, Any]:
    base = {"apiVersion": "example.com/v1", "kind": "App", "name": "web", "uid": "u", "controller": True}
    return base | changes


def owned_by(*references: dict[str, Any]) -> ConfigMap:
    metadata = {"name": "a", "namespace": "shop", "ownerReferences": list(references)}
    return ConfigMap.from_dict({"metadata": metadata})


@pytest.mark.parametrize(
    ("references", "found"),
    [
        ((), ()),
        ((reference(),), (Request("shop", "web"),)),
        ((reference(apiVersion="example.com/v1beta1"),), (Request("shop", "web"),)),
        ((reference(controller=False),), ()),
        ((reference(controller=None),), ()),
        ((reference(kind="Application"),), ()),
        ((reference(apiVersion="example.org/v1"),), ()),
        ((reference(apiVersion="v1"),), ()),
        ((reference(kind="Other"), reference()), (Request("shop", "web"),)),
    ],
)
def test_the_owner_that_controls(references: Any, found: tuple[Request, ...]) -> None:
    assert tuple(owners_of(APP, namespaced=True)(owned_by(*references))) == found


def test_an_owner_without_a_namespace() -> None:
    assert tuple(owners_of(APP, namespaced=False)(owned_by(reference()))) == (Request("", "web"),)


def test_an_owner_of_the_core_group() -> None:
    mapping = owners_of(GroupKind("", "Node"), namespaced=False)
    obj = owned_by(reference(apiVersion="v1", kind="Node", name="n1"))
    assert tuple(mapping(obj)) == (Request("", "n1"),)


def named(name: str) -> ConfigMap:
    return ConfigMap.from_dict({"metadata": {"name": "a", "namespace": "b"}, "data": {"user": name}})


def test_who_was_meant_before_hears_too() -> None:
    def users(obj: ConfigMap) -> list[Request]:
        return [Request("b", obj.data["user"])]

    async def slow_users(obj: ConfigMap) -> list[Request]:
        return users(obj)

    change = Change("b/a", named("x"), named("y"))
    for mapping in (users, slow_users):
        source: Source[ConfigMap] = Source(ConfigMap, mapping)
        assert asyncio.run(source.requests(change)) == {Request("b", "x"), Request("b", "y")}


def test_predicates_of_a_source() -> None:
    source: Source[ConfigMap] = Source(ConfigMap, lambda _: [], predicates=[generation_changed])
    assert source.wants(Change("b/a", None, named("x")))
    assert not source.wants(Change("b/a", named("x"), named("y")))


def test_news_comes_before_what_was_there() -> None:
    assert priority_of(Change("a", None, named("x"))) == 0
    assert priority_of(Change("a", None, named("x"), initial=True)) == LOW_PRIORITY
    assert priority_of(Change("a", named("x"), named("x"), resync=True)) == LOW_PRIORITY
