"""The roles of every cluster, when some are there already."""

from __future__ import annotations

import asyncio
import json
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

from kubewright.server.authorization.bootstrap_objects import bootstrap_objects
from kubewright.server.authorization.reconciliation import reconciled
from kubewright.server.registry.stored import split
from kubewright.server.storage import SQLiteStorage
from kubewright.testing import Cluster
from tests.conformance.authorization.policies import RBAC
from tests.conformance.authorization.recorded_policy import recorded
from tests.conformance.client import Client
from tests.conformance.waiting import eventually
from tests.server.authorization.policies import rule, subject

MADE = list(bootstrap_objects(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), Random(1)))  # noqa: S311 - for uids
POLICY = {
    (each.resource, each.namespace, each.name): json.loads(each.value.before + each.value.after)
    for each in MADE
}


def of(resource: str, name: str, namespace: str = "") -> Any:
    return deepcopy(POLICY[resource, namespace, name])


def test_the_file_is_made_into_objects() -> None:
    for resource, objects in recorded().items():
        for short in objects:
            obj = of(resource, short["name"], short.get("namespace", ""))
            for field in ("rules", "aggregationRule", "subjects", "roleRef"):
                if field == "rules" and "aggregationRule" in short:
                    continue
                assert obj.get(field) == short.get(field)
            assert obj["metadata"]["creationTimestamp"] == "2026-01-02T03:04:05Z"
    assert len({each["metadata"]["uid"] for each in POLICY.values()}) == len(MADE) == len(POLICY)


def test_what_is_complete_stays() -> None:
    for obj in POLICY.values():
        assert reconciled(deepcopy(obj), obj) is None


def test_missing_rules_come_back() -> None:
    wanted = of("clusterroles", "system:discovery")
    live = {**deepcopy(wanted), "rules": None}
    found = reconciled(live, wanted)
    assert found is not None
    assert [each["nonResourceURLs"] for each in found["rules"]] == [
        [url] for url in wanted["rules"][0]["nonResourceURLs"]
    ]
    live = {**deepcopy(wanted), "rules": [rule("get", "x", "y"), {"verbs": ["*"], "nonResourceURLs": ["*"]}]}
    assert reconciled(live, wanted) is None


def test_labels_and_annotations_come_back_and_others_stay() -> None:
    wanted = of("clusterroles", "cluster-admin")
    live = deepcopy(wanted)
    live["metadata"]["labels"] = {"kubernetes.io/bootstrapping": "mine", "a": "b"}
    live["metadata"]["annotations"] = {}
    found = reconciled(live, wanted)
    assert found is not None
    assert found["metadata"]["labels"] == {"kubernetes.io/bootstrapping": "mine", "a": "b"}
    assert found["metadata"]["annotations"] == {"rbac.authorization.kubernetes.io/autoupdate": "true"}


def test_who_wants_no_updates_gets_none() -> None:
    wanted = of("clusterroles", "cluster-admin")
    live = {**deepcopy(wanted), "rules": []}
    live["metadata"]["annotations"] = {"rbac.authorization.kubernetes.io/autoupdate": "false"}
    assert reconciled(live, wanted) is None


def test_missing_subjects_come_back_and_others_stay() -> None:
    wanted = of("clusterrolebindings", "system:basic-user")
    mine = subject("User", "me")
    found = reconciled({**deepcopy(wanted), "subjects": [mine]}, wanted)
    assert found is not None
    assert found["subjects"] == [mine, *wanted["subjects"]]


def test_a_binding_to_another_role_is_made_anew() -> None:
    wanted = of("clusterrolebindings", "system:basic-user")
    live = deepcopy(wanted)
    live["roleRef"]["name"] = "cluster-admin"
    assert reconciled(live, wanted) == wanted


def test_aggregation() -> None:
    wanted = of("clusterroles", "edit")
    other = {"matchLabels": {"a": "b"}}
    found = reconciled({**deepcopy(wanted), "aggregationRule": {"clusterRoleSelectors": [other]}}, wanted)
    assert found is not None
    selectors = wanted["aggregationRule"]["clusterRoleSelectors"]
    assert found["aggregationRule"]["clusterRoleSelectors"] == [other, *selectors]
    assert reconciled({**deepcopy(wanted), "rules": []}, wanted) is None
    wanted = of("clusterroles", "cluster-admin")
    found = reconciled({**deepcopy(wanted), "aggregationRule": {"clusterRoleSelectors": [other]}}, wanted)
    assert found is not None
    assert "aggregationRule" not in found


def test_a_start_puts_right_what_was_changed(tmp_path: Path) -> None:
    def get(client: Client, path: str) -> Any:
        return client.get(f"{RBAC}/{path}").json()

    with Cluster.in_thread(controllers="none", data_dir=tmp_path) as cluster:
        client = Client(cluster)
        before = get(client, "clusterroles/system:node")
        count = len(get(client, "clusterroles")["items"])
        client.patch(f"{RBAC}/clusterroles/system:node", {"rules": before["rules"][:1]})
        assert client.delete(f"{RBAC}/clusterroles/system:basic-user").status == 200
        untouched = get(client, "clusterroles/cluster-admin")
        path = f"{RBAC}/clusterrolebindings/system:basic-user"
        found = client.get(path).json()
        assert client.delete(path).status == 200
        found["roleRef"]["name"] = "cluster-admin"
        del found["metadata"]["resourceVersion"]
        assert client.post(f"{RBAC}/clusterrolebindings", found).status == 201
        client.patch(f"{RBAC}/clusterroles/view", {"rules": []})
        client.close()
    with Cluster.in_thread(controllers="none", data_dir=tmp_path) as cluster:
        client = Client(cluster)
        assert len(get(client, "clusterroles")["items"]) == count
        assert get(client, "clusterroles/cluster-admin") == untouched
        eventually(
            lambda: len(get(client, "clusterroles/system:node")["rules"]) > 1, "its rules are not back"
        )
        ref = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "system:basic-user"}
        eventually(
            lambda: get(client, "clusterrolebindings/system:basic-user").get("roleRef") == ref,
            "the binding is not as it was",
        )
        eventually(lambda: bool(get(client, "clusterroles/view")["rules"]), "view has not gathered")
        entries = get(client, "clusterroles/system:node")["metadata"]["managedFields"]
        assert {"kube-apiserver"} <= {each["manager"] for each in entries}
        client.close()


def test_a_start_gathers_what_was_not_gathered_before(tmp_path: Path) -> None:
    async def main() -> None:
        async with Cluster(controllers="none", data_dir=tmp_path):
            pass
        # As if the process had ended between the write of a role and what follows from it.
        async with await SQLiteStorage.open(tmp_path) as storage:
            entry = storage.get("/registry/clusterroles/view")
            assert entry is not None
            value = split({**json.loads(entry.value), "rules": []}, with_type=False)
            await storage.update(entry.key, value, expected_revision=entry.revision)

    asyncio.run(main())
    with Cluster.in_thread(controllers="none", data_dir=tmp_path) as cluster:
        client = Client(cluster)
        path = f"{RBAC}/clusterroles/view"
        eventually(lambda: bool(client.get(path).json()["rules"]), "view has not gathered")
        client.close()


def test_everybody_has_their_rights_when_the_server_is_ready() -> None:
    async def main() -> None:
        async with Cluster(controllers="none") as cluster:
            storage = cluster.registry.storage
            assert len(storage.list("/registry/clusterroles/").entries) == 69
            assert len(storage.list("/registry/clusterrolebindings/").entries) == 50

    asyncio.run(main())
