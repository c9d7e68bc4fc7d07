"""The roles and bindings that a server makes at its start."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.authorization.policies import RBAC
from tests.conformance.authorization.recorded_policy import RESOURCES, observed, recorded
from tests.conformance.client import Client

COUNTS = {"clusterroles": 69, "clusterrolebindings": 50, "roles": 7, "rolebindings": 7}


@pytest.fixture(scope="module")
def found(client: Client) -> dict[str, Any]:
    return observed(client)


@pytest.mark.parametrize("resource", RESOURCES)
def test_it_is_all_there(found: dict[str, Any], resource: str) -> None:
    wanted = recorded()[resource]
    assert len(wanted) == COUNTS[resource]
    names = [(each.get("namespace"), each["name"]) for each in wanted]
    assert [(each.get("namespace"), each["name"]) for each in found[resource]] == names
    for own, other in zip(found[resource], wanted, strict=True):
        assert own == other


@pytest.mark.parametrize(
    "path",
    [
        "clusterroles/cluster-admin",
        "clusterroles/system:aggregate-to-view",
        "clusterrolebindings/system:discovery",
        "namespaces/kube-system/roles/system::leader-locking-kube-scheduler",
        "namespaces/kube-public/rolebindings/system:controller:bootstrap-signer",
    ],
)
def test_who_wrote_them(client: Client, path: str) -> None:
    metadata = client.get(f"{RBAC}/{path}").json()["metadata"]
    assert metadata["uid"]
    (entry,) = metadata["managedFields"]
    assert (entry["manager"], entry["operation"]) == ("kube-apiserver", "Update")
    assert entry["time"] == metadata["creationTimestamp"]
    written: dict[str, Any] = {
        "f:annotations": {".": {}, "f:rbac.authorization.kubernetes.io/autoupdate": {}},
        "f:labels": {".": {}, **{f"f:{name}": {} for name in metadata["labels"]}},
    }
    fields: dict[str, Any] = (
        {"f:rules": {}} if "bindings" not in path else {"f:roleRef": {}, "f:subjects": {}}
    )
    assert entry["fieldsV1"] == {"f:metadata": written, **fields}


def test_the_form_in_which_they_are_shown(client: Client) -> None:
    shown = client.get(f"{RBAC}/clusterroles/system:basic-user").json()
    assert list(shown) == ["kind", "apiVersion", "metadata", "rules"]
    shown = client.get(f"{RBAC}/clusterrolebindings/system:basic-user").json()
    assert list(shown) == ["kind", "apiVersion", "metadata", "subjects", "roleRef"]
    shown = client.get(f"{RBAC}/clusterroles/edit").json()
    assert list(shown) == ["kind", "apiVersion", "metadata", "rules", "aggregationRule"]
