"""Owners in other namespaces: what the embedded cluster tells of them is what the real one tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cluster.differential import Side, State, settled

if TYPE_CHECKING:
    from tests.cluster.conftest import Both

pytestmark = pytest.mark.real


async def child_of_another_namespace(side: Side) -> None:
    """It names a ConfigMap that every cluster has."""
    owner = await side.client.dynamic("v1", "ConfigMap", "kube-system").get("kube-root-ca.crt")
    reference = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": "kube-root-ca.crt",
        "uid": owner.metadata.uid,
    }
    await side.api("ConfigMap").create({"metadata": {"name": "child", "ownerReferences": [reference]}})


def told_and_gone(state: State) -> bool:
    names = [each["metadata"]["name"] for each in state["ConfigMap"]]
    return names == ["kube-root-ca.crt"] and len(state["Event"]) > 0


def test_both_tell_of_an_owner_in_another_namespace(both: Both) -> None:
    steps = [child_of_another_namespace, settled(kinds=["ConfigMap"], until=told_and_gone)]
    outcome = both(steps, kinds=["ConfigMap"])
    (event,) = outcome["Event"]
    assert (event["type"], event["reason"]) == ("Warning", "OwnerRefInvalidNamespace")
