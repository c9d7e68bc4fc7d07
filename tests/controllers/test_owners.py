"""Owner references in memory, with controller-runtime's checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kubewright.controllers.owners import (
    AlreadyOwned,
    controller_of,
    is_controlled_by,
    owner_reference,
    remove_controller_reference,
    remove_owner_reference,
    set_controller_reference,
    set_owner_reference,
)
from kubewright.machinery.meta import ObjectMeta
from kubewright.machinery.table import PartialObjectMetadata
from kubewright.machinery.unstructured import Unstructured
from kubewright.models.apps_v1 import Deployment
from kubewright.models.core_v1 import ConfigMap, Namespace


def config_map(name: str = "child", namespace: str = "default") -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace=namespace))


def deployment(name: str = "web", uid: str = "u1", namespace: str = "default") -> Deployment:
    return Deployment.from_dict({"metadata": {"name": name, "namespace": namespace, "uid": uid}})


def test_a_controller_reference() -> None:
    owner, child = deployment(), config_map()
    assert set_controller_reference(owner, child)
    assert child.to_dict()["metadata"]["ownerReferences"] == [
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "name": "web",
            "uid": "u1",
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]
    assert not set_controller_reference(owner, child), "it is there already"
    assert is_controlled_by(child, owner)
    assert not is_controlled_by(owner, child), "the other way round"
    assert not is_controlled_by(child, deployment(uid="u2")), "another one had the name"
    found = controller_of(child)
    assert found is not None
    assert found.name == "web"


def test_an_owner_reference_does_not_control() -> None:
    owner, child = deployment(), config_map()
    assert set_owner_reference(owner, child)
    assert child.to_dict()["metadata"]["ownerReferences"] == [
        {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "u1"}
    ]
    assert controller_of(child) is None
    assert not is_controlled_by(child, owner)
    assert set_owner_reference(owner, child, block_owner_deletion=True)
    assert child.metadata.owner_references[0].block_owner_deletion is True


def test_another_controller_is_refused_and_another_owner_is_not() -> None:
    child = config_map()
    set_controller_reference(deployment("web"), child)
    with pytest.raises(AlreadyOwned, match="ConfigMap default/child is controlled by Deployment web already"):
        set_controller_reference(deployment("other", "u2"), child)
    assert len(child.metadata.owner_references) == 1
    assert set_owner_reference(deployment("other", "u2"), child)
    assert [each.name for each in child.metadata.owner_references] == ["web", "other"]


def test_the_same_owner_in_another_version_or_made_anew_is_replaced() -> None:
    child = config_map()
    old = Unstructured(
        api_version="apps/v1beta1", kind="Deployment", metadata=ObjectMeta(name="web", namespace="default")
    )
    old.metadata.uid = "u0"
    set_controller_reference(old, child)
    assert set_controller_reference(deployment(), child)
    (reference,) = child.metadata.owner_references
    assert (reference.api_version, reference.uid) == ("apps/v1", "u1")
    other_group = Unstructured(api_version="web.io/v1", kind="Deployment", metadata=old.metadata.copy())
    with pytest.raises(AlreadyOwned):
        set_controller_reference(other_group, child)


def test_what_becomes_a_mere_owner_controls_no_more() -> None:
    child = config_map()
    set_controller_reference(deployment(), child)
    assert set_owner_reference(deployment(), child)
    assert controller_of(child) is None
    assert set_controller_reference(deployment("other", "u2"), child)


@pytest.mark.parametrize("refused", [set_controller_reference, set_owner_reference])
def test_owners_in_namespaces(refused: Callable[[Any, Any], bool]) -> None:
    everywhere = Namespace(metadata=ObjectMeta(name="n", uid="u3"))
    assert refused(everywhere, config_map()), "an owner without a namespace may own anything"
    with pytest.raises(
        ValueError, match="Deployment default/web cannot own ConfigMap bank/child: they are in"
    ):
        refused(deployment(), config_map(namespace="bank"))
    with pytest.raises(ValueError, match="has no namespace"):
        refused(deployment(), everywhere)
    with pytest.raises(ValueError, match="has no uid"):
        refused(deployment(uid=""), config_map())
    metadata_alone = PartialObjectMetadata.from_dict({"metadata": {"name": "web", "uid": "u1"}})
    with pytest.raises(ValueError, match="does not say its kind"):
        refused(metadata_alone, config_map())


def test_removal() -> None:
    child = config_map()
    set_controller_reference(deployment(), child)
    set_owner_reference(deployment("other", "u2"), child)
    assert not remove_controller_reference(deployment("other", "u2"), child), "it is a mere owner"
    assert remove_controller_reference(deployment(), child)
    assert not remove_owner_reference(deployment(), child)
    assert remove_owner_reference(deployment("other", "u2"), child)
    assert "ownerReferences" not in child.to_dict()["metadata"]


def test_a_reference_for_other_uses() -> None:
    reference = owner_reference(deployment(), controller=False)
    assert reference.to_dict() == {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "name": "web",
        "uid": "u1",
        "controller": False,
    }


def test_objects_without_types() -> None:
    child = Unstructured.from_dict(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "default"}}
    )
    assert set_controller_reference(deployment(), child)
    assert child.to_dict()["metadata"]["ownerReferences"][0]["uid"] == "u1"
