"""A server with controllers: which run, who they are, and that they end with it."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from kubewright import Client
from kubewright.cluster.loopback import loopback_client
from kubewright.cluster.selection import UnknownController
from kubewright.machinery.errors import Invalid, NotFound
from kubewright.models.core_v1 import ConfigMap, Namespace, Node, Pod, ServiceAccount
from kubewright.server.registry.write import User
from kubewright.testing import Cluster
from tests.cluster.clusters import eventually, with_cluster
from tests.server.processes import COMMAND

PATIENCE = 90


def test_a_controller_that_there_is_not() -> None:
    with pytest.raises(UnknownController, match="there is no controller 'deploymnet'; there are "):
        Cluster(controllers="-deploymnet")
    ended = subprocess.run(
        [COMMAND, "server", "--controllers=deploymnet"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("Error: there is no controller 'deploymnet'; there are ")
    assert ended.stderr.count("\n") == 1


def test_without_controllers_nothing_happens() -> None:
    async def test() -> None:
        async with Cluster(controllers="none") as cluster, Client(cluster.config) as client:
            assert cluster.controllers == ()
            for kind in (ConfigMap, ServiceAccount, Node):
                assert [each async for each in client.api(kind).list()] == []

    asyncio.run(test())


def test_controllers_act_in_their_own_names(tmp_path: Path) -> None:
    """Webhooks, policies and managed fields see the users and managers that they see on a real cluster."""

    async def test(client: Client) -> None:
        await client.api(Namespace).create(Namespace.from_dict({"metadata": {"name": "team"}}))
        accounts = client.api(ServiceAccount, "team")
        await accounts.wait_for("default", lambda _: True, timeout=PATIENCE)
        made = await accounts.get("default")
        assert made.metadata.managed_fields == []  # nobody owns a name
        maps = client.api(ConfigMap, "team")
        await maps.wait_for("kube-root-ca.crt", lambda _: True, timeout=PATIENCE)
        published = await maps.get("kube-root-ca.crt")
        assert {each.manager for each in published.metadata.managed_fields} == {"kube-controller-manager"}
        policy = {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": "who"},
            "spec": {
                "matchConstraints": {
                    "resourceRules": [
                        {
                            "apiGroups": [""],
                            "apiVersions": ["v1"],
                            "operations": ["CREATE"],
                            "resources": ["serviceaccounts"],
                        }
                    ]
                },
                "validations": [
                    {
                        "expression": (
                            "request.userInfo.username == "
                            "'system:serviceaccount:kube-system:service-account-controller'"
                        )
                    }
                ],
            },
        }
        binding = {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingAdmissionPolicyBinding",
            "metadata": {"name": "who"},
            "spec": {"policyName": "who", "validationActions": ["Deny"]},
        }
        await client.apply_yaml(json.dumps(policy), manager="test")
        await client.apply_yaml(json.dumps(binding), manager="test")

        async def refused() -> bool:
            try:
                await accounts.create({"metadata": {"generateName": "x-"}}, dry_run=True)
            except Exception:
                return True
            return False

        await eventually(refused, "the policy does not work")
        await client.api(Namespace).create(Namespace.from_dict({"metadata": {"name": "other"}}))
        await client.api(ServiceAccount, "other").wait_for("default", lambda _: True, timeout=PATIENCE)

    with_cluster(test, "serviceaccount", "root-ca-cert-publisher")


def test_what_controllers_do_is_in_the_audit_log_under_their_names(tmp_path: Path) -> None:
    log = tmp_path / "audit.log"

    async def test(client: Client) -> None:
        await client.api(ServiceAccount, "default").wait_for("default", lambda _: True, timeout=PATIENCE)

        async def watches_are_told_of() -> bool:
            begun = [line for line in log.read_bytes().split(b"\n") if b"ResponseStarted" in line]
            return sum(b"system:kube-controller-manager" in line for line in begun) >= 2

        await eventually(watches_are_told_of, "the caches of the controllers watch nothing")

    with_cluster(test, "serviceaccount", audit_log=log)
    told = [json.loads(line) for line in log.read_bytes().splitlines()]
    (made,) = [
        each
        for each in told
        if each["verb"] == "create" and each["objectRef"].get("name") == "default"
        if each["objectRef"]["namespace"] == "default"
    ]
    controller = "system:serviceaccount:kube-system:service-account-controller"
    assert made["user"]["username"] == controller
    assert "system:serviceaccounts:kube-system" in made["user"]["groups"]
    assert (made["stage"], made["responseStatus"]["code"]) == ("ResponseComplete", 201)
    assert made["requestURI"].startswith("/api/v1/namespaces/default/serviceaccounts")
    assert made["userAgent"].startswith("kube-controller-manager")
    assert made["sourceIPs"] == ["127.0.0.1"]
    assert made["annotations"]["authorization.k8s.io/decision"] == "allow"
    # What their caches watch is told of when it begins, and when it ends with the cluster.
    caches = [each for each in told if each["user"]["username"] == "system:kube-controller-manager"]
    watched = [(each["objectRef"]["resource"], each["stage"]) for each in caches if each["verb"] == "watch"]
    assert Counter(watched) == {
        (resource, stage): 1
        for resource in ("namespaces", "serviceaccounts")
        for stage in ("ResponseStarted", "ResponseComplete")
    }


def test_kubelets_act_in_the_names_of_their_nodes(tmp_path: Path) -> None:
    log = tmp_path / "audit.log"

    async def test(client: Client) -> None:
        pods = client.api(Pod, "default")
        for number in (1, 2):
            spec = {"nodeName": f"node-{number}", "containers": [{"name": "c", "image": "i"}]}
            await pods.create({"metadata": {"name": f"on-{number}"}, "spec": spec})
        for number in (1, 2):
            await pods.wait_for(f"on-{number}", "Ready", timeout=PATIENCE)

    with_cluster(test, "kubelet", nodes=2, audit_log=log)
    told = [json.loads(line) for line in log.read_bytes().splitlines()]
    writes = {
        (each["user"]["username"], each["objectRef"]["resource"], each["objectRef"]["name"])
        for each in told
        if "system:nodes" in each["user"].get("groups", ()) and each["responseStatus"]["code"] < 300
    }
    assert writes == {
        (f"system:node:node-{number}", resource, name)
        for number in (1, 2)
        for resource, name in (
            ("nodes", f"node-{number}"),
            ("leases", f"node-{number}"),
            ("pods", f"on-{number}"),
        )
    }


def test_a_request_of_a_controller_that_is_refused_is_told_of_too(tmp_path: Path) -> None:
    log = tmp_path / "audit.log"
    policy = {
        "apiVersion": "audit.k8s.io/v1",
        "kind": "Policy",
        "rules": [{"level": "Request", "users": ["somebody"]}, {"level": "None"}],
    }

    async def test() -> None:
        async with (
            Cluster(controllers="none", audit_log=log, audit_policy=policy) as cluster,
            loopback_client(cluster, user=lambda: User(name="somebody"), user_agent="me") as client,
        ):
            with pytest.raises(NotFound):
                await client.api(Pod, "default").get("absent")
            with pytest.raises(Invalid):
                await client.api(Pod, "default").create({"metadata": {"name": "p"}, "spec": {}})

    asyncio.run(test())
    told = [json.loads(line) for line in log.read_bytes().splitlines()]
    assert [(each["verb"], each["stage"], each.get("responseStatus", {}).get("code")) for each in told] == [
        ("get", "RequestReceived", None),
        ("get", "ResponseComplete", 404),
        ("create", "RequestReceived", None),
        ("create", "ResponseComplete", 422),
    ]
    assert told[-1]["requestObject"]["metadata"]["name"] == "p"
    assert told[-1]["user"] == {"username": "somebody"}


def test_a_cluster_ends_with_its_controllers() -> None:
    async def test() -> None:
        for _ in range(3):
            async with asyncio.timeout(PATIENCE), Cluster() as cluster, Client(cluster.config) as client:
                containers = [{"name": "c", "image": "i"}]
                await client.api(Pod, "default").create(
                    {"metadata": {"name": "p"}, "spec": {"containers": containers}}
                )
        left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        assert left == []

    asyncio.run(test())
