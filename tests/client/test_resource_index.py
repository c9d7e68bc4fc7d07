"""What names mean, by kubectl's rules, in what a server may serve."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.client.resource_index import ResourceIndex
from kubewright.client.served import Served, ServedGroup, ServedResource
from kubewright.machinery.errors import ParseError
from kubewright.machinery.gvk import GroupVersion, GroupVersionKind, GroupVersionResource


def a_resource(
    group_version: str, plural: str, kind: str, *, short: tuple[str, ...] = (), singular: str | None = None,
    categories: tuple[str, ...] = (),
) -> ServedResource:  # fmt: skip
    where = GroupVersion.parse(group_version)
    return ServedResource(
        gvk=where.with_kind(kind),
        gvr=where.with_resource(plural),
        namespaced=True,
        singular=kind.lower() if singular is None else singular,
        short_names=short,
        categories=categories,
    )


def a_group(preferred: str, *resources: ServedResource) -> ServedGroup:
    versions = tuple(dict.fromkeys(each.gvr.version for each in resources))
    return ServedGroup(resources[0].gvr.group, versions, preferred, resources)


INDEX = ResourceIndex(
    Served(
        (
            a_group(
                "v1",
                a_resource("v1", "pods", "Pod", short=("po",), categories=("all",)),
                a_resource("v1", "services", "Service", short=("svc",), categories=("all",)),
                a_resource("v1", "events", "Event", short=("ev",)),
                a_resource("v1", "endpoints", "Endpoints", short=("ep",)),
            ),
            a_group("v1", a_resource("events.k8s.io/v1", "events", "Event", short=("ev",))),
            a_group(
                "v2",
                a_resource("autoscaling/v2", "scalers", "Scaler", short=("hpa",), categories=("all",)),
                a_resource("autoscaling/v1", "scalers", "Scaler", short=("hpa", "old"), categories=("all",)),
                a_resource("autoscaling/v1", "relics", "Relic", categories=("all", "odd")),
            ),
            # The server prefers a version that it does not list first.
            a_group(
                "v1",
                a_resource("storage.k8s.io/v1beta1", "classes", "Class", short=("sc",)),
                a_resource("storage.k8s.io/v1", "classes", "Class", short=("sc",)),
            ),
            a_group("v1", a_resource("serving.example.com/v1", "services", "Service", short=("ksvc",))),
            a_group("v1", a_resource("stable.example.com/v1", "crontabs", "CronTab", short=("po", "ct"))),
            a_group("v1", a_resource("odd.example.com/v1", "people", "HumanBeing", singular="person")),
            # A group whose name starts like that of another, behind it.
            a_group("v1", a_resource("stable.example/v1", "crontabs", "CronTab")),
        ),
        {},
    )
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pods", "v1 pods"),
        ("pod", "v1 pods"),
        ("po", "v1 pods"),
        ("Pod", "v1 pods"),
        ("POD", "v1 pods"),
        ("PODS", "v1 pods"),
        ("pods.v1.", "v1 pods"),
        ("po.v1.", "v1 pods"),
        ("Pod.v1.", "v1 pods"),
        ("endpoints", "v1 endpoints"),
        ("services", "v1 services"),
        ("services.serving.example.com", "serving.example.com/v1 services"),
        ("service.v1.serving.example.com", "serving.example.com/v1 services"),
        ("Service.v1.serving.example.com", "serving.example.com/v1 services"),
        ("ksvc", "serving.example.com/v1 services"),
        ("events", "v1 events"),
        ("ev", "v1 events"),
        ("events.events.k8s.io", "events.k8s.io/v1 events"),
        ("ev.events.k8s.io", "events.k8s.io/v1 events"),
        ("scalers", "autoscaling/v2 scalers"),
        ("hpa", "autoscaling/v2 scalers"),
        ("old", "autoscaling/v2 scalers"),
        ("scalers.autoscaling", "autoscaling/v2 scalers"),
        ("scalers.v1.autoscaling", "autoscaling/v1 scalers"),
        ("scaler.v1.autoscaling", "autoscaling/v1 scalers"),
        ("Scaler.v1.autoscaling", "autoscaling/v1 scalers"),
        ("relics", "autoscaling/v1 relics"),
        ("relic.autoscaling", "autoscaling/v1 relics"),
        ("relics.v1.", "autoscaling/v1 relics"),
        ("classes", "storage.k8s.io/v1 classes"),
        ("sc", "storage.k8s.io/v1 classes"),
        ("class.storage", "storage.k8s.io/v1 classes"),
        ("sc.storage", "storage.k8s.io/v1 classes"),
        ("classes.v1beta1.storage.k8s.io", "storage.k8s.io/v1beta1 classes"),
        ("ct", "stable.example.com/v1 crontabs"),
        ("po.stable.example.com", "stable.example.com/v1 crontabs"),
        ("crontabs", "stable.example.com/v1 crontabs"),
        ("crontabs.stable.example", "stable.example/v1 crontabs"),
        ("crontabs.stable", "stable.example.com/v1 crontabs"),
        ("people", "odd.example.com/v1 people"),
        ("person", "odd.example.com/v1 people"),
        ("HumanBeing", "odd.example.com/v1 people"),
        ("humanbeing", "odd.example.com/v1 people"),
        ("humanbeing.odd.example.com", "odd.example.com/v1 people"),
        ("HumanBeing.v1.odd.example.com", "odd.example.com/v1 people"),
        # Short names have no other spellings.
        ("PO", None),
        ("pods.v2.", None),
        ("pods.apps", None),
        ("deployments", None),
        ("scalers.v9.autoscaling", None),
        # kubectl forgets the version that is said with a short name; here it counts.
        ("hpa.v1.autoscaling", "autoscaling/v1 scalers"),
        ("hpa.v9.autoscaling", None),
        ("po/status", None),
        ("pods ", None),
    ],
)
def test_names(name: str, expected: str | None) -> None:
    found = INDEX.named(name)
    assert (found and f"{found.gvr.group_version} {found.gvr.resource}") == expected


@pytest.mark.parametrize("name", ["", ".", ".apps"])
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(ParseError, match="names no resource"):
        INDEX.named(name)


def test_categories_have_each_resource_once_in_the_version_to_use() -> None:
    assert [f"{each.gvr.group_version} {each.gvr.resource}" for each in INDEX.category("all")] == [
        "v1 pods",
        "v1 services",
        "autoscaling/v2 scalers",
        "autoscaling/v1 relics",
    ]
    assert [each.gvr.resource for each in INDEX.category("odd")] == ["relics"]
    assert INDEX.category("none") == []


def test_kinds_and_resources_in_their_very_version() -> None:
    gvk = GroupVersionKind("autoscaling", "v1", "Scaler")
    gvr = GroupVersionResource("autoscaling", "v1", "scalers")
    by_kind, by_resource = INDEX.of_kind(gvk), INDEX.of_resource(gvr)
    assert by_kind is by_resource
    assert by_kind is not None
    assert (by_kind.gvk, by_kind.gvr) == (gvk, gvr)
    assert INDEX.of_kind(GroupVersionKind("autoscaling", "v1", "scaler")) is None
    assert INDEX.of_resource(GroupVersionResource("autoscaling", "v1", "scaler")) is None


_words = st.sampled_from(["a", "b", "as", "bs", "v1", "x"])
_groups = st.sampled_from(["v1", "v2", "v1.x", "x", "a.x", "a"])
_resources = st.builds(
    lambda group, version, plural, kind, short: a_resource(f"{group}/{version}", plural, kind, short=short),
    _groups,
    st.sampled_from(["v1", "v2"]),
    _words,
    st.sampled_from(["A", "B", "V1"]),
    st.lists(_words, max_size=2).map(tuple),
)


@given(st.lists(_resources, max_size=8, unique_by=lambda each: each.gvr))
def test_what_is_said_in_full_is_what_is_found(resources: list[ServedResource]) -> None:
    """A plural with its version and group means that resource, whatever else is called alike."""
    by_group: dict[str, list[ServedResource]] = {}
    for resource in resources:
        by_group.setdefault(resource.gvr.group, []).append(resource)
    index = ResourceIndex(Served([a_group(found[0].gvr.version, *found) for found in by_group.values()], {}))
    for resource in resources:
        gvr = resource.gvr
        assert index.of_resource(gvr) == resource
        found = index.named(f"{gvr.resource}.{gvr.version}.{gvr.group}")
        assert found is not None
        assert found.gvr.group_version == gvr.group_version
        assert gvr.resource in {found.gvr.resource, found.singular}
