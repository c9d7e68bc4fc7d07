"""Conversion between the versions of a kind by functions: what is converted, and what becomes of the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright import ObjectMeta, OwnerReference, Resource, Struct, custom_resource
from kubewright.crd import ConversionError, convert
from tests.crd.versioned_kinds import (
    MAX_REPLICAS,
    Endpoint,
    Replicas,
    Site,
    SiteSpec,
    SiteSpecV1Alpha1,
    SiteSpecV1Beta1,
    SiteStatus,
    SiteV1Alpha1,
    SiteV1Beta1,
)


def site(**metadata: Any) -> Site:
    spec = SiteSpec(host="a.example.com", port=80, replicas=Replicas(min=1, max=3), tags=["x"])
    return Site(metadata=ObjectMeta(name="web", **metadata), spec=spec, status=SiteStatus(ready=2))


def test_the_hub_becomes_a_spoke_and_comes_back() -> None:
    made = convert(site(), SiteV1Beta1)
    assert made.to_dict() == {
        "apiVersion": "sites.example.com/v1beta1",
        "kind": "Site",
        "metadata": {"name": "web"},
        "spec": {"address": "a.example.com:80", "minReplicas": 1, "maxReplicas": 3, "keywords": ["x"]},
        "status": {"readyReplicas": 2},
    }
    assert convert(made, Site) == site()


def test_a_spoke_becomes_another_through_the_hub() -> None:
    made = convert(convert(site(), SiteV1Beta1), SiteV1Alpha1)
    assert made.spec == SiteSpecV1Alpha1(
        endpoint=Endpoint(hostname="a.example.com", port="80"), size=1, tags=["x"]
    )
    assert made.metadata.annotations == {MAX_REPLICAS: "3"}
    back = convert(made, SiteV1Beta1)
    assert (back.spec.max_replicas, back.metadata.annotations) == (3, {})


def test_its_own_version_is_a_copy() -> None:
    obj = site()
    same = convert(obj, Site)
    assert same == obj
    same.spec.replicas.max = 9
    assert obj.spec.replicas.max == 3


def test_the_result_shares_nothing_with_the_original() -> None:
    obj = SiteV1Alpha1(
        metadata=ObjectMeta(name="web", labels={"a": "b"}, annotations={MAX_REPLICAS: "5"}),
        spec=SiteSpecV1Alpha1(endpoint=Endpoint(hostname="a", port="1"), size=2, tags=["x"]),
    )
    before = obj.to_dict()
    made = convert(obj, Site)
    made.spec.tags.append("y")
    made.metadata.labels["c"] = "d"
    # Neither does the function: it takes an annotation out of what it is given.
    assert obj.to_dict() == before


def test_all_metadata_is_carried_over() -> None:
    data = site().to_dict()
    data["metadata"] |= {
        "namespace": "default",
        "uid": "u",
        "resourceVersion": "7",
        "generation": 3,
        "creationTimestamp": "2026-01-02T03:04:05Z",
        "labels": {"a": "b"},
        "annotations": {"c": "d"},
        "finalizers": ["x.y/z"],
        "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "q"}],
        "managedFields": [{"manager": "m", "fieldsV1": {"f:spec": {}}}],
        "fromTheFuture": {"kept": True},
    }
    made = convert(Site.from_dict(data), SiteV1Beta1)
    assert made.to_dict()["metadata"] == data["metadata"]


def test_unknown_fields_go_with_their_struct() -> None:
    data = site().to_dict()
    data["status"]["news"] = 1
    data["spec"]["news"] = 2
    data["news"] = 3
    alpha = convert(Site.from_dict(data), SiteV1Alpha1).to_dict()
    # The status is handed on as it is, the spec is made anew.
    assert alpha["status"] == {"ready": 2, "news": 1}
    assert "news" not in alpha["spec"]
    assert "news" not in alpha


class Plain(Struct):
    text: str = ""


Change = Callable[[Resource, Resource], None]


def pair(change: Change, *, same_metadata: bool = False) -> tuple[type[Resource], type[Resource]]:
    """A spoke and a hub whose function hands a source and what it made of it to `change`."""

    @custom_resource(group="example.com", version="v1", kind="Thing", storage=False)
    class ThingV1(Resource):
        spec: Plain | None = None

        def to_hub(self) -> Resource:
            made = ThingV2(metadata=self.metadata) if same_metadata else ThingV2()
            change(self, made)
            return made

        @classmethod
        def from_hub(cls, hub: Resource) -> Resource:
            return cls()

    @custom_resource(group="example.com", version="v2", kind="Thing", versions=[ThingV1])
    class ThingV2(Resource):
        spec: Plain | None = None

    return ThingV1, ThingV2


ORIGINAL = ObjectMeta(name="a", namespace="n", uid="u", labels={"a": "b"}, annotations={"c": "d"})


def converted_metadata(change: Change, *, same_metadata: bool = False) -> ObjectMeta:
    spoke, hub = pair(change, same_metadata=same_metadata)
    return convert(spoke(metadata=ORIGINAL.copy()), hub).metadata


def test_labels_and_annotations_are_laid_over_the_original_s() -> None:
    def change(_: Resource, made: Resource) -> None:
        made.metadata.annotations["new"] = "1"
        made.metadata.labels = {"a": "changed"}

    found = converted_metadata(change)
    assert found.annotations == {"c": "d", "new": "1"}
    assert found.labels == {"a": "changed"}


def test_reading_labels_of_new_metadata_loses_none() -> None:
    def change(_: Resource, made: Resource) -> None:
        assert made.metadata.labels == {}

    assert converted_metadata(change) == ORIGINAL


@pytest.mark.parametrize("copied", [False, True])
def test_labels_are_taken_away_where_the_metadata_is_handed_on(*, copied: bool) -> None:
    def change(source: Resource, made: Resource) -> None:
        if copied:
            made.metadata = source.metadata.copy()
        del made.metadata.labels["a"]
        made.metadata.annotations["new"] = "1"

    found = converted_metadata(change, same_metadata=not copied)
    assert found.labels == {}
    assert found.annotations == {"c": "d", "new": "1"}


def test_what_a_conversion_may_not_change_is_restored() -> None:
    def change(_: Resource, made: Resource) -> None:
        made.metadata.finalizers = ["x.y/z"]
        made.metadata.resource_version = "9"
        made.metadata.owner_references = [OwnerReference(api_version="v1", kind="Pod", name="p", uid="q")]

    assert converted_metadata(change) == ORIGINAL
    assert converted_metadata(change, same_metadata=True) == ORIGINAL


@pytest.mark.parametrize("same_metadata", [False, True])
@pytest.mark.parametrize("name", ["name", "namespace", "uid"])
def test_another_object_is_refused(name: str, *, same_metadata: bool) -> None:
    def change(_: Resource, made: Resource) -> None:
        setattr(made.metadata, name, "other")

    was = getattr(ORIGINAL, name)
    with pytest.raises(
        ConversionError, match=rf"ThingV1.to_hub changed metadata.{name} from '{was}' to 'other'"
    ):
        converted_metadata(change, same_metadata=same_metadata)


def test_what_a_function_raises_comes_through() -> None:
    obj = SiteV1Beta1(spec=SiteSpecV1Beta1(address="a", min_replicas=1, max_replicas=1))
    with pytest.raises(ConversionError, match=r"the address 'a' has no port; write HOST:PORT"):
        convert(obj, Site)
    obj.spec.address = "a:b"
    with pytest.raises(ValueError, match="invalid literal"):
        convert(obj, SiteV1Alpha1)


def returning(to_hub: object, from_hub: object) -> tuple[type[Resource], type[Resource]]:
    @custom_resource(group="example.com", version="v1", kind="Thing", storage=False)
    class ThingV1(Resource):
        def to_hub(self) -> Any:
            return self if to_hub is Resource else to_hub

        @classmethod
        def from_hub(cls, hub: Resource) -> Any:
            return hub if from_hub is Resource else from_hub

    @custom_resource(group="example.com", version="v2", kind="Thing", versions=[ThingV1])
    class ThingV2(Resource):
        pass

    return ThingV1, ThingV2


@pytest.mark.parametrize(
    ("returned", "shown"), [(None, "None"), ({}, "a dict"), (Resource, "a ThingV1"), (site(), "a Site")]
)
def test_a_to_hub_that_returns_something_else(returned: object, shown: str) -> None:
    spoke, hub = returning(returned, None)
    with pytest.raises(ConversionError, match=f"ThingV1.to_hub returned {shown}; return"):
        convert(spoke(), hub)


@pytest.mark.parametrize(("returned", "shown"), [(None, "None"), (Resource, "a ThingV1"), (site(), "a Site")])
def test_a_to_hub_that_returns_something_else_on_the_way(returned: object, shown: str) -> None:
    spoke, _ = returning(returned, None)
    target, _ = returning(None, None)
    message = f"ThingV1.to_hub returned {shown}; return an object of the stored version"
    with pytest.raises(ConversionError, match=message):
        convert(spoke(), target)


@pytest.mark.parametrize(
    ("returned", "shown"), [(None, "None"), ({}, "a dict"), (Resource, "a ThingV2"), (site(), "a Site")]
)
def test_a_from_hub_that_returns_something_else(returned: object, shown: str) -> None:
    spoke, hub = returning(None, returned)
    with pytest.raises(ConversionError, match=f"ThingV1.from_hub returned {shown}; return a ThingV1"):
        convert(hub(), spoke)


def test_kinds_that_are_no_versions_of_one() -> None:
    _, hub = returning(None, None)
    with pytest.raises(
        ConversionError, match=r"Site is sites.example.com Site and ThingV2 is example.com Thing"
    ):
        convert(site(), hub)


def test_versions_without_functions() -> None:
    def version(name: str) -> type[Resource]:
        @custom_resource(group="example.com", version=name, kind="Thing", storage=name == "v2")
        class Thing(Resource):
            pass

        return Thing

    with pytest.raises(ConversionError, match="Thing and Thing have no conversion functions; give each"):
        convert(version("v1")(), version("v2"))


names = st.text("abcdefghijklmnopqrstuvwxyz.-", min_size=1, max_size=12)
texts = st.dictionaries(names, st.text(max_size=5), max_size=3)
metadata = st.builds(ObjectMeta, name=names, namespace=names, uid=names, labels=texts, annotations=texts)
sites = st.builds(
    Site,
    metadata=metadata,
    spec=st.builds(
        SiteSpec,
        host=st.text(max_size=12),
        port=st.integers(1, 65535),
        replicas=st.builds(Replicas, min=st.integers(0, 5), max=st.integers(0, 5)),
        tags=st.lists(st.text(max_size=3), max_size=3),
    ),
    status=st.none() | st.builds(SiteStatus, ready=st.integers(0, 9)),
)


@given(sites)
def test_every_way_leads_back(hub: Site) -> None:
    before = hub.to_dict()
    for first in (SiteV1Beta1, SiteV1Alpha1, Site):
        there = convert(hub, first)
        assert convert(there, Site) == hub
        for second in (SiteV1Beta1, SiteV1Alpha1, Site):
            assert convert(convert(there, second), first) == there
    assert hub.to_dict() == before
