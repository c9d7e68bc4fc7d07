"""What the plugins of a cluster make of pods: accounts, tokens, priorities, tolerations."""

from __future__ import annotations

from typing import Any

import pytest

from kubewright import Client, Forbidden
from kubewright.models.core_v1 import Namespace, Node, Pod, ServiceAccount
from kubewright.models.scheduling_v1 import PriorityClass
from tests.cluster.clusters import with_cluster

MOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"


def pod(name: str = "web", *, annotations: dict[str, str] | None = None, **spec: Any) -> Pod:
    containers = spec.pop("containers", [{"name": "c", "image": "i"}])
    metadata = {"name": name, "annotations": annotations or {}}
    return Pod.from_dict({"metadata": metadata, "spec": {"containers": containers, **spec}})


def test_a_pod_has_the_default_account_and_its_token() -> None:
    async def test(client: Client) -> None:
        made = (
            await client.api(Pod, "default").create(pod(initContainers=[{"name": "i", "image": "i"}]))
        ).to_dict()
        spec = made["spec"]
        assert (spec["serviceAccountName"], spec["serviceAccount"]) == ("default", "default")
        volume = spec["volumes"][0]
        assert volume["name"].startswith("kube-api-access-")
        assert volume["projected"] == {
            "defaultMode": 420,
            "sources": [
                {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
                {
                    "downwardAPI": {
                        "items": [
                            {
                                "path": "namespace",
                                "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"},
                            }
                        ]
                    }
                },
            ],
        }
        mount = {"name": volume["name"], "readOnly": True, "mountPath": MOUNT}
        assert spec["containers"][0]["volumeMounts"] == [mount]
        assert spec["initContainers"][0]["volumeMounts"] == [mount]

    with_cluster(test, "serviceaccount", "root-ca-cert-publisher")


def test_who_wants_no_token_gets_none() -> None:
    async def test(client: Client) -> None:
        accounts, pods = client.api(ServiceAccount, "default"), client.api(Pod, "default")
        quiet = {"metadata": {"name": "quiet"}, "automountServiceAccountToken": False}
        quiet["imagePullSecrets"] = [{"name": "registry"}]
        await accounts.create(quiet)
        by_account = await pods.create(pod("a", serviceAccountName="quiet"))
        assert by_account.spec.volumes == []
        assert [each.name for each in by_account.spec.image_pull_secrets] == ["registry"]
        by_pod = await pods.create(pod("b", automountServiceAccountToken=False))
        assert by_pod.spec.volumes == []
        both = await pods.create(pod("c", serviceAccountName="quiet", automountServiceAccountToken=True))
        assert len(both.spec.volumes) == 1
        mounted = {"name": "c", "image": "i", "volumeMounts": [{"name": "v", "mountPath": MOUNT}]}
        own = await pods.create(pod("d", containers=[mounted], volumes=[{"name": "v", "emptyDir": {}}]))
        assert [each.name for each in own.spec.volumes] == ["v"]

    with_cluster(test, "serviceaccount")


def test_an_account_that_is_not_there() -> None:
    async def test(client: Client) -> None:
        with pytest.raises(Forbidden) as refused:
            await client.api(Pod, "default").create(pod(serviceAccountName="nobody"))
        assert str(refused.value.status.message) == (
            'pods "web" is forbidden: error looking up service account default/nobody: '
            'serviceaccount "nobody" not found'
        )

    with_cluster(test, "serviceaccount")


def test_a_pod_of_a_new_namespace_waits_for_its_account() -> None:
    async def test(client: Client) -> None:
        for number in range(5):
            await client.api(Namespace).create(Namespace.from_dict({"metadata": {"name": f"n{number}"}}))
            made = await client.api(Pod, f"n{number}").create(pod())
            assert made.spec.service_account_name == "default"

    with_cluster(test, "serviceaccount")


def test_secrets_that_the_account_does_not_name() -> None:
    async def test(client: Client) -> None:
        account = {
            "metadata": {
                "name": "strict",
                "annotations": {"kubernetes.io/enforce-mountable-secrets": "true"},
            },
            "secrets": [{"name": "mine"}],
        }
        await client.api(ServiceAccount, "default").create(account)
        reference = {"valueFrom": {"secretKeyRef": {"name": "other", "key": "k"}}, "name": "V"}
        cases: dict[str, dict[str, Any]] = {
            'volume with secret.secretName="other" is not allowed': {
                "volumes": [{"name": "v", "secret": {"secretName": "other"}}]
            },
            'container c with envVar V referencing secret.secretName="other"': {
                "containers": [{"name": "c", "image": "i", "env": [reference]}]
            },
            'container c with envFrom referencing secret.secretName="other"': {
                "containers": [{"name": "c", "image": "i", "envFrom": [{"secretRef": {"name": "other"}}]}]
            },
            'imagePullSecrets[0].name="other" is not allowed': {"imagePullSecrets": [{"name": "other"}]},
        }
        for message, spec in cases.items():
            with pytest.raises(Forbidden) as refused:
                await client.api(Pod, "default").create(pod(serviceAccountName="strict", **spec))
            assert message in str(refused.value)
        volumes = [{"name": "v", "secret": {"secretName": "mine"}}]
        await client.api(Pod, "default").create(pod(serviceAccountName="strict", volumes=volumes))

    with_cluster(test, "serviceaccount")


def test_mirror_pods_have_neither_accounts_nor_secrets() -> None:
    async def test(client: Client) -> None:
        mirror = {"kubernetes.io/config.mirror": "x"}
        made = await client.api(Pod, "default").create(pod("m", annotations=mirror, nodeName="n"))
        assert made.spec.service_account_name == ""
        with pytest.raises(Forbidden, match="a mirror pod may not reference service accounts"):
            await client.api(Pod, "default").create(
                pod("n", annotations=mirror, nodeName="n", serviceAccountName="default")
            )
        with pytest.raises(Forbidden, match="a mirror pod may not reference secrets"):
            await client.api(Pod, "default").create(
                pod("o", annotations=mirror, nodeName="n", imagePullSecrets=[{"name": "x"}])
            )

    with_cluster(test, "serviceaccount")


def test_priorities() -> None:
    async def test(client: Client) -> None:
        pods, classes = client.api(Pod, "default"), client.api(PriorityClass)
        plain = await pods.create(pod("plain"))
        assert (plain.spec.priority, plain.spec.preemption_policy) == (0, "PreemptLowerPriority")
        assert plain.spec.priority_class_name == ""
        await classes.create(_class("high", 1000, preemptionPolicy="Never"))
        high = await pods.create(pod("high", priorityClassName="high"))
        assert (high.spec.priority, high.spec.preemption_policy) == (1000, "Never")
        with pytest.raises(Forbidden, match="no PriorityClass with name none was found"):
            await pods.create(pod("x", priorityClassName="none"))
        with pytest.raises(Forbidden, match=r"the integer value of priority \(5\) must not be provided"):
            await pods.create(pod("x", priority=5))
        with pytest.raises(Forbidden, match=r"PreemptionPolicy \(PreemptLowerPriority\) must not be"):
            await pods.create(pod("x", priorityClassName="high", preemptionPolicy="PreemptLowerPriority"))
        await classes.create(_class("usual", 7, globalDefault=True))
        usual = await pods.create(pod("usual"))
        assert (usual.spec.priority, usual.spec.priority_class_name) == (7, "usual")
        with pytest.raises(Forbidden, match="PriorityClass usual is already marked as default"):
            await classes.create(_class("other", 8, globalDefault=True))
        # Whoever replaces a pod need not know its priority.
        again = pod("usual")
        again.metadata.labels = {"a": "b"}
        again.spec.priority_class_name = "usual"
        assert (await pods.update(again)).spec.priority == 7

    with_cluster(test, "root-ca-cert-publisher")


def _class(name: str, value: int, **more: Any) -> PriorityClass:
    return PriorityClass.from_dict({"metadata": {"name": name}, "value": value, **more})


def test_tolerations_and_taints() -> None:
    async def test(client: Client) -> None:
        made = await client.api(Pod, "default").create(pod())
        usual = [
            ("node.kubernetes.io/not-ready", "Exists", "NoExecute", 300),
            ("node.kubernetes.io/unreachable", "Exists", "NoExecute", 300),
        ]
        assert _tolerations(made) == usual
        own = [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}]
        made = await client.api(Pod, "default").create(pod("own", tolerations=own))
        assert [each[0] for each in _tolerations(made)] == [
            "node.kubernetes.io/not-ready",
            "node.kubernetes.io/unreachable",
        ]
        made = await client.api(Pod, "default").create(pod("all", tolerations=[{"operator": "Exists"}]))
        assert len(_tolerations(made)) == 1
        node = await client.api(Node).create(Node.from_dict({"metadata": {"name": "mine"}}))
        assert [(each.key, each.effect) for each in node.spec.taints] == [
            ("node.kubernetes.io/not-ready", "NoSchedule")
        ]

    with_cluster(test, "root-ca-cert-publisher")


def _tolerations(made: Pod) -> list[tuple[Any, ...]]:
    return [(each.key, each.operator, each.effect, each.toleration_seconds) for each in made.spec.tolerations]


def test_without_the_controller_of_accounts_nobody_needs_one() -> None:
    async def test(client: Client) -> None:
        made = await client.api(Pod, "default").create(pod())
        assert made.spec.service_account_name == ""
        assert made.spec.volumes == []

    with_cluster(test, "root-ca-cert-publisher")
