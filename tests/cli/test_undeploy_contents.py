"""What `kubewright undeploy` says of a namespace that others use as well."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kubewright.cli.deployment import namespace_contents
from kubewright.machinery import yaml
from kubewright.models.apps_v1 import Deployment
from kubewright.sync import Client
from tests.cli.cluster_commands import Project, needs_kubectl

pytestmark = [needs_kubectl, pytest.mark.slow]

DEPLOY = ("deploy", "--image", "registry.example.com/demo:v1")


@pytest.fixture
def project(project: Project) -> Project:
    # Nobody answers webhooks in pretended pods.
    project.edit("config/default/kustomization.yaml", {"- ../webhook\n": ""})
    return project


def secret(name: str, **annotations: str) -> dict[str, Any]:
    annotated = {key.replace("_", "-"): value for key, value in annotations.items()}
    return {"metadata": {"name": name, "annotations": annotated}}


def test_what_is_the_operators_or_the_clusters_goes_without_asking(
    project: Project, client: Client, name: str
) -> None:
    project.ok(*DEPLOY)
    place = f"{name}-system"
    secrets = client.dynamic("v1", "Secret", place)
    # What the operator makes for its webhooks, by the name that its role has.
    secrets.create({"metadata": {"name": f"{name}-webhook-certificates"}})
    for account in ("default", f"{name}-controller-manager"):
        annotations = {"kubernetes.io/service-account.name": account}
        secrets.create(
            {
                "metadata": {"name": f"{account}-token", "annotations": annotations},
                "type": "kubernetes.io/service-account-token",
            }
        )
    client.dynamic("coordination.k8s.io/v1", "Lease", place).create({"metadata": {"name": "leader"}})
    client.dynamic("v1", "Endpoints", place).create({"metadata": {"name": "made-by-hand"}})
    event = {
        "metadata": {"name": "e"},
        "involvedObject": {"kind": "Pod", "namespace": place, "name": "x"},
        "reason": "Because",
    }
    client.dynamic("v1", "Event", place).create(event)
    manager = client.api(Deployment, place).get(f"{name}-controller-manager")
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": manager.metadata.name}
    owned = {"name": "owned", "ownerReferences": [{**owner, "uid": manager.metadata.uid}]}
    client.dynamic("v1", "ConfigMap", place).create({"metadata": owned})
    ran = project.ok("undeploy", "-o", "json")
    assert "lost" not in ran.document
    assert ran.document["objects"][-1]["result"] == "deleted"


def test_what_others_have_there_is_told(project: Project, client: Client, name: str) -> None:
    project.ok(*DEPLOY)
    place = f"{name}-system"
    pod = {"containers": [{"name": "web", "image": "web"}]}
    web = {
        "metadata": {"name": "web"},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": pod},
        },
    }
    client.dynamic("apps/v1", "Deployment", place).create(web)
    client.dynamic("v1", "Pod", place).create({"metadata": {"name": "alone"}, "spec": pod})
    client.dynamic("v1", "Secret", place).create(secret("password"))
    # The pods and what else belongs to it are not told besides it.
    client.api(Deployment, place).wait_for("web", lambda each: each.status.ready_replicas == 2, timeout=60)
    told = f"Deployment web, Pod alone and Secret password in the namespace {place} will be deleted as well"
    ran = project.run("undeploy", "-o", "json")
    assert ran.refusal() == f"{told}; give --yes if that is meant"
    assert ran.document["objects"] == []
    assert client.api(Deployment, place).get(f"{name}-controller-manager").status.available_replicas == 1

    client.dynamic("v1", "ConfigMap", place).create({"metadata": {"name": "settings"}})
    kinds = client.dynamic(f"{name}.example.com/v1", "CustomPod", place)
    kinds.create({"metadata": {"name": "mine"}, "spec": {}})
    told = project.run("undeploy").refusal()
    assert told.startswith("1 object of CustomPod and ConfigMap settings, Deployment web, Pod alone and Sec")
    # Those of the operator's kinds that are there go even where all others stay.
    kept = project.run("undeploy", "--keep-crds").refusal()
    assert kept.startswith(
        "ConfigMap settings, CustomPod mine, Deployment web, Pod alone and Secret password"
    )
    client.dynamic("v1", "ConfigMap", place).create({"metadata": {"name": "more"}})
    assert "Pod alone and 1 more in the namespace" in project.run("undeploy", "--keep-crds").refusal()
    assert project.ok("undeploy", "--yes").lines[-1] == f"namespace/{place} deleted"


def test_a_certificate_of_cert_manager(project: Project, client: Client, name: str) -> None:
    """Its Secret belongs to nobody, and says of which Certificate it is."""
    project.ok(*DEPLOY, "--no-wait")
    manifests = project.folder / "config/default"
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "certificates.cert-manager.io"},
        "spec": {
            "group": "cert-manager.io",
            "names": {"kind": "Certificate", "plural": "certificates"},
            "scope": "Namespaced",
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": {"type": "object"}},
                }
            ],
        },
    }
    client.apply_yaml(yaml.dump(definition))
    (manifests / "certificate.yaml").write_text(
        "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: serving}\n"
    )
    project.edit(
        "config/default/kustomization.yaml", {"- ../manager\n": "- ../manager\n- certificate.yaml\n"}
    )
    project.ok(*DEPLOY, "--no-wait")
    secrets = client.dynamic("v1", "Secret", f"{name}-system")
    for each in (f"{name}-serving", "of-somebody"):
        annotations = {"cert-manager.io/certificate-name": each}
        secrets.create({"metadata": {"name": f"{each}-cert", "annotations": annotations}})
    told = project.run("undeploy").refusal()
    assert told.startswith(f"Secret of-somebody-cert in the namespace {name}-system will be deleted as well")
    client.dynamic("apiextensions.k8s.io/v1", "CustomResourceDefinition").delete(
        "certificates.cert-manager.io"
    )


def test_what_may_not_be_listed_is_said(project: Project, client: Client, name: str, tmp_path: Path) -> None:
    project.ok(*DEPLOY, "--no-wait")
    every = {"apiGroups": ["*"], "resources": ["*"]}
    rules = [
        {**every, "verbs": ["get", "delete"]},
        *(
            {"apiGroups": [group], "resources": ["*"], "verbs": ["list"]}
            for group in ("apps", "batch", f"{name}.example.com", "rbac.authorization.k8s.io")
        ),
    ]
    roles = "rbac.authorization.k8s.io"
    client.dynamic(f"{roles}/v1", "ClusterRole").create({"metadata": {"name": name}, "rules": rules})
    client.dynamic(f"{roles}/v1", "ClusterRoleBinding").create(
        {
            "metadata": {"name": name},
            "roleRef": {"apiGroup": roles, "kind": "ClusterRole", "name": name},
            "subjects": [{"apiGroup": roles, "kind": "User", "name": name}],
        }
    )
    config = yaml.load(Path(project.kubeconfig).read_text())
    config["users"][0]["user"]["as"] = name
    (tmp_path / "kubeconfig").write_text(yaml.dump(config))
    jane = Project(project.folder, str(tmp_path / "kubeconfig"))
    told = jane.run("undeploy").refusal()
    assert told.startswith("what there is of configmaps, ")
    assert f" other kinds in the namespace {name}-system, which you may not list, will be deleted" in told
    assert jane.ok("undeploy", "--yes").lines[-1] == f"namespace/{name}-system deleted"


def test_not_more_than_some_pages_are_read(
    project: Project, client: Client, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.ok(*DEPLOY, "--no-wait")
    monkeypatch.setattr(namespace_contents, "_PAGE", 2)
    monkeypatch.setattr(namespace_contents, "_MOST_PAGES", 2)
    maps = client.dynamic("v1", "ConfigMap", f"{name}-system")
    for number in range(6):
        maps.create({"metadata": {"name": f"m{number}"}})
    ran = project.run("undeploy")
    assert f"in the namespace {name}-system and what more there is of configmaps in the" in ran.refusal()
    # The one that the cluster makes may be among the four that are read.
    assert ran.refusal().startswith("ConfigMap m0, ConfigMap m1")
    assert "ConfigMap m4" not in ran.refusal()
