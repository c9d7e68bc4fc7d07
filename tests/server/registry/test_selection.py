"""Which objects selectors select."""

from __future__ import annotations

import pytest

from kubewright.machinery.errors import BadRequest
from kubewright.server.registry.selection import Selection, select
from kubewright.server.registry.store import Store
from kubewright.server.registry.stored import encode_stored
from tests.server.registry.objects import config_map, new_store


@pytest.fixture(scope="module")
def config_maps() -> Store:
    return new_store()


@pytest.fixture(scope="module")
def pods() -> Store:
    return new_store("pods")


def matches(selection: Selection, obj: dict[str, object]) -> bool:
    return selection.matches is None or selection.matches(encode_stored(obj, with_type=False))


def test_nothing_selects_everything(config_maps: Store) -> None:
    selection = select(config_maps.type, namespace="ns")
    assert (selection.namespace, selection.name, selection.matches) == ("ns", "", None)
    # Blanks and commas select as little.
    assert select(config_maps.type, namespace="", labels=" ").matches is None


def test_labels(config_maps: Store) -> None:
    selection = select(config_maps.type, namespace="", labels="a=b,c")
    assert matches(selection, config_map("x", a="b", c=""))
    assert not matches(selection, config_map("x", a="b"))
    assert not matches(selection, config_map("x"))
    assert matches(select(config_maps.type, namespace="", labels="!a"), config_map("x"))


def test_names_and_namespaces(config_maps: Store) -> None:
    selection = select(config_maps.type, namespace="", fields="metadata.name=x,metadata.namespace=ns")
    assert (selection.namespace, selection.name) == ("ns", "x")
    assert matches(selection, config_map("x"))
    assert not matches(selection, config_map("y"))
    assert not matches(selection, config_map("x", "other"))


def test_the_namespace_of_the_path_counts(config_maps: Store) -> None:
    selection = select(config_maps.type, namespace="ns", fields="metadata.namespace=other")
    assert selection.namespace == "ns"
    assert not matches(selection, config_map("x"))


def test_what_is_unequal_narrows_nothing(config_maps: Store) -> None:
    selection = select(config_maps.type, namespace="", fields="metadata.name!=x")
    assert (selection.name, selection.namespace) == ("", "")
    assert matches(selection, config_map("y"))
    assert not matches(selection, config_map("x"))


@pytest.mark.parametrize("value", ["a/b", "../x", "/"])
def test_values_with_slashes_are_no_keys(config_maps: Store, value: str) -> None:
    selection = select(
        config_maps.type, namespace="", fields=f"metadata.name={value},metadata.namespace={value}"
    )
    assert (selection.name, selection.namespace) == ("", "")
    assert not matches(selection, config_map("x"))


def test_fields_of_the_kind(pods: Store) -> None:
    pod = {
        "metadata": {"name": "x", "namespace": "ns", "labels": {"a": "b"}},
        "spec": {"nodeName": "n", "containers": []},
        "status": {"phase": "Running"},
    }
    assert matches(select(pods.type, namespace="", fields="spec.nodeName=n,status.phase!=Failed"), pod)
    assert not matches(select(pods.type, namespace="", fields="spec.nodeName=m"), pod)
    assert matches(select(pods.type, namespace="", fields="spec.nodeName=n", labels="a=b"), pod)
    assert not matches(select(pods.type, namespace="", fields="spec.nodeName=n", labels="a=c"), pod)


def test_one_object_is_watched_by_name(config_maps: Store) -> None:
    assert select(config_maps.type, namespace="ns", name="x").name == "x"
    assert select(config_maps.type, namespace="ns", name="x", fields="metadata.name=x").name == "x"
    with pytest.raises(BadRequest, match=r"fieldSelector metadata\.name doesn't match requested name"):
        select(config_maps.type, namespace="ns", name="x", fields="metadata.name=y")


@pytest.mark.parametrize(
    ("selectors", "message"),
    [
        (
            {"fields": "spec.x=y"},
            '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
        ),
        ({"fields": "metadata.name"}, "."),
        ({"labels": "a in b"}, "."),
    ],
)
def test_what_is_no_selector(config_maps: Store, selectors: dict[str, str], message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        select(config_maps.type, namespace="", **selectors)


def test_fields_that_a_kind_does_not_have(pods: Store) -> None:
    with pytest.raises(BadRequest, match=r"field label not supported: spec\.x"):
        select(pods.type, namespace="", fields="spec.x=y")
