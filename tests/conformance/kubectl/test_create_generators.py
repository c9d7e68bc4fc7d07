"""kubectl create with a generator for each kind: what it says, and what the server then has."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.client import Client
from tests.conformance.kubectl.output import rows
from tests.conformance.kubectl.program import Kubectl
from tests.conformance.namespaces import Namespace, unique
from tests.conformance.objects import config_map

# Each kubectl takes a tenth of a second: `make test` runs some files of this folder, `make test-real` all.
pytestmark = pytest.mark.slow

RBAC = "rbac.authorization.k8s.io"


def part(obj: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """The fields of an object that are expected, at each level; lists are taken whole."""
    return {
        name: part(obj.get(name, {}), value) if isinstance(value, dict) else obj.get(name)
        for name, value in expected.items()
    }


NAMESPACED: list[tuple[str, str, str, str, dict[str, Any]]] = [
    (
        "deployment a --image=example.com/web:1 --replicas=2 --port=80",
        "deployment.apps/a",
        "apps/v1",
        "deployments",
        {"metadata": {"labels": {"app": "a"}}, "spec": {"replicas": 2, "revisionHistoryLimit": 10}},
    ),
    (
        "configmap a --from-literal=k=v --from-literal=l=w",
        "configmap/a",
        "v1",
        "configmaps",
        {"data": {"k": "v", "l": "w"}},
    ),
    (
        "secret generic a --from-literal=k=v --type=example.com/x",
        "secret/a",
        "v1",
        "secrets",
        {"type": "example.com/x", "data": {"k": base64.b64encode(b"v").decode()}},
    ),
    (
        "job a --image=example.com/job:1 -- date",
        "job.batch/a",
        "batch/v1",
        "jobs",
        {"spec": {"backoffLimit": 6, "completions": 1, "parallelism": 1, "completionMode": "NonIndexed"}},
    ),
    (
        "cronjob a --image=example.com/job:1 --schedule=@hourly -- date",
        "cronjob.batch/a",
        "batch/v1",
        "cronjobs",
        {"spec": {"schedule": "@hourly", "concurrencyPolicy": "Allow", "suspend": False}},
    ),
    (
        "service clusterip a --tcp=80:8080",
        "service/a",
        "v1",
        "services",
        {
            "spec": {
                "type": "ClusterIP",
                "selector": {"app": "a"},
                "ports": [{"name": "80-8080", "port": 80, "targetPort": 8080, "protocol": "TCP"}],
            }
        },
    ),
    (
        "service clusterip a --clusterip=None",
        "service/a",
        "v1",
        "services",
        {"spec": {"type": "ClusterIP", "clusterIP": "None", "clusterIPs": ["None"]}},
    ),
    (
        # Servers do not give away the first 86 ports of the range as long as there are others.
        "service nodeport a --tcp=80 --node-port=30023",
        "service/a",
        "v1",
        "services",
        {
            "spec": {
                "type": "NodePort",
                "externalTrafficPolicy": "Cluster",
                "ports": [{"name": "80", "port": 80, "targetPort": 80, "protocol": "TCP", "nodePort": 30023}],
            }
        },
    ),
    (
        "service loadbalancer a --tcp=443:8443",
        "service/a",
        "v1",
        "services",
        {"spec": {"type": "LoadBalancer", "allocateLoadBalancerNodePorts": True}},
    ),
    (
        "service externalname a --external-name=example.com",
        "service/a",
        "v1",
        "services",
        {"spec": {"type": "ExternalName", "externalName": "example.com", "clusterIP": {}}},
    ),
    (
        "role a --verb=get,list --resource=pods,deployments.apps/scale --resource-name=x",
        f"role.{RBAC}/a",
        f"{RBAC}/v1",
        "roles",
        {
            "rules": [
                {"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods"], "resourceNames": ["x"]},
                {
                    "verbs": ["get", "list"],
                    "apiGroups": ["apps"],
                    "resources": ["deployments/scale"],
                    "resourceNames": ["x"],
                },
            ]
        },
    ),
    (
        "rolebinding a --role=r --user=u --group=g --serviceaccount=ns:sa",
        f"rolebinding.{RBAC}/a",
        f"{RBAC}/v1",
        "rolebindings",
        {
            "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": "r"},
            "subjects": [
                {"kind": "User", "apiGroup": RBAC, "name": "u"},
                {"kind": "Group", "apiGroup": RBAC, "name": "g"},
                {"kind": "ServiceAccount", "name": "sa", "namespace": "ns"},
            ],
        },
    ),
    (
        "quota a --hard=cpu=1,pods=2",
        "resourcequota/a",
        "v1",
        "resourcequotas",
        {"spec": {"hard": {"cpu": "1", "pods": "2"}}},
    ),
    (
        "poddisruptionbudget a --selector=app=x --min-available=50%",
        "poddisruptionbudget.policy/a",
        "policy/v1",
        "poddisruptionbudgets",
        {"spec": {"minAvailable": "50%", "selector": {"matchLabels": {"app": "x"}}}},
    ),
    ("serviceaccount a", "serviceaccount/a", "v1", "serviceaccounts", {"kind": "ServiceAccount"}),
    (
        "ingress a --rule=example.com/path*=svc:80,tls=cert --class=c --annotation=x=y",
        "ingress.networking.k8s.io/a",
        "networking.k8s.io/v1",
        "ingresses",
        {
            "metadata": {"annotations": {"x": "y"}},
            "spec": {
                "ingressClassName": "c",
                "tls": [{"hosts": ["example.com"], "secretName": "cert"}],
                "rules": [
                    {
                        "host": "example.com",
                        "http": {
                            "paths": [
                                {
                                    "path": "/path",
                                    "pathType": "Prefix",
                                    "backend": {"service": {"name": "svc", "port": {"number": 80}}},
                                }
                            ]
                        },
                    }
                ],
            },
        },
    ),
]


@pytest.mark.parametrize(
    ("arguments", "named", "group_version", "resource", "expected"),
    NAMESPACED,
    ids=[each[0].partition(" --")[0] for each in NAMESPACED],
)
def test_in_a_namespace(
    kubectl: Kubectl,
    client: Client,
    namespace: Namespace,
    arguments: str,
    named: str,
    group_version: str,
    resource: str,
    expected: dict[str, Any],
) -> None:
    assert kubectl("create", *arguments.split()) == f"{named} created\n"
    stored = client.get(f"{namespace.path(resource, group_version)}/a").json()
    assert part(stored, expected) == expected


CLUSTER_WIDE: list[tuple[str, str, str, dict[str, Any]]] = [
    ("namespace {}", "namespace/{}", "/api/v1/namespaces/{}", {"status": {"phase": "Active"}}),
    (
        "clusterrole {} --verb=get --non-resource-url=/x",
        f"clusterrole.{RBAC}/{{}}",
        f"/apis/{RBAC}/v1/clusterroles/{{}}",
        {"rules": [{"verbs": ["get"], "nonResourceURLs": ["/x"]}]},
    ),
    (
        "clusterrole {} --aggregation-rule=a=b",
        f"clusterrole.{RBAC}/{{}}",
        f"/apis/{RBAC}/v1/clusterroles/{{}}",
        {"aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}},
    ),
    (
        "clusterrolebinding {} --clusterrole=view --group=nobody",
        f"clusterrolebinding.{RBAC}/{{}}",
        f"/apis/{RBAC}/v1/clusterrolebindings/{{}}",
        {"roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "view"}},
    ),
    (
        "priorityclass {} --value=10 --description=d --preemption-policy=Never",
        "priorityclass.scheduling.k8s.io/{}",
        "/apis/scheduling.k8s.io/v1/priorityclasses/{}",
        {"value": 10, "description": "d", "preemptionPolicy": "Never"},
    ),
]


@pytest.mark.parametrize(
    ("arguments", "named", "path", "expected"), CLUSTER_WIDE, ids=[each[0] for each in CLUSTER_WIDE]
)
def test_in_the_cluster(
    cluster_kubectl: Kubectl,
    client: Client,
    arguments: str,
    named: str,
    path: str,
    expected: dict[str, Any],
) -> None:
    name = unique("made")
    said = cluster_kubectl("create", *arguments.format(name).split())
    assert said == f"{named.format(name)} created\n"
    assert part(client.get(path.format(name)).json(), expected) == expected


def test_a_config_map_of_files(kubectl: Kubectl, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("some\ntext\n")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    (tmp_path / "env").write_text("A=1\nB=2\n")
    kubectl(
        "create", "cm", "files", f"--from-file={tmp_path / 'text'}", f"--from-file=b={tmp_path / 'bytes'}"
    )
    made = kubectl.stored("configmaps", "files")
    assert (made["data"], made["binaryData"]) == ({"text": "some\ntext\n"}, {"b": "//4="})
    kubectl("create", "cm", "env", f"--from-env-file={tmp_path / 'env'}")
    assert kubectl.stored("configmaps", "env")["data"] == {"A": "1", "B": "2"}


def test_secrets_of_their_types(kubectl: Kubectl, certificate: tuple[Path, Path]) -> None:
    cert, key = certificate
    kubectl("create", "secret", "tls", "tls", f"--cert={cert}", f"--key={key}")
    registry = ["--docker-server=x.example", "--docker-username=u", "--docker-password=p"]
    kubectl("create", "secret", "docker-registry", "docker", *registry)
    assert rows(kubectl("get", "secrets")) == [
        ["docker", "kubernetes.io/dockerconfigjson", "1", "-"],
        ["tls", "kubernetes.io/tls", "2", "-"],
    ]
    text = base64.b64decode(kubectl.stored("secrets", "docker")["data"][".dockerconfigjson"])
    assert json.loads(text)["auths"]["x.example"]["username"] == "u"
    assert kubectl("get", "secret", "tls", "-o", "go-template={{index .data `tls.crt` | base64decode}}") == (
        cert.read_text()
    )


def test_a_job_of_a_cron_job(kubectl: Kubectl) -> None:
    kubectl("create", "cronjob", "cron", "--image=example.com/job:1", "--schedule=*/5 * * * *")
    assert kubectl("create", "job", "now", "--from=cronjob/cron") == "job.batch/now created\n"
    made = kubectl.stored("jobs", "now", "batch/v1")
    assert made["metadata"]["annotations"]["cronjob.kubernetes.io/instantiate"] == "manual"
    (owner,) = made["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"], owner["controller"]) == ("CronJob", "cron", True)


def test_a_token(kubectl: Kubectl) -> None:
    kubectl("create", "serviceaccount", "me")
    token = kubectl("create", "token", "me", "--duration=1h", "--audience=somebody").strip()
    middle = token.split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(middle + "=" * (-len(middle) % 4)))
    assert (claims["sub"], claims["aud"]) == (f"system:serviceaccount:{kubectl.namespace}:me", ["somebody"])
    assert claims["exp"] - claims["iat"] == 3600
    assert kubectl.fails("create", "token", "nobody") == (
        'error: failed to create token: serviceaccounts "nobody" not found\n'
    )


def test_what_is_there_already(kubectl: Kubectl) -> None:
    kubectl.make(config_map("a"))
    assert kubectl.fails("create", "cm", "a") == (
        'error: failed to create configmap: configmaps "a" already exists\n'
    )


def test_a_name_that_is_not_allowed(kubectl: Kubectl) -> None:
    said = kubectl.fails("create", "cm", "Bad_Name")
    start = (
        'error: failed to create configmap: ConfigMap "Bad_Name" is invalid: metadata.name: Invalid value: '
    )
    assert said.startswith(f'{start}"Bad_Name": a lowercase RFC 1123 subdomain must consist of lower case ')


def test_scopes_that_do_not_fit(kubectl: Kubectl) -> None:
    assert kubectl.fails("create", "quota", "a", "--hard=cpu=1", "--scopes=BestEffort") == (
        'error: failed to create quota: ResourceQuota "a" is invalid: spec.scopes: Invalid value: '
        '["BestEffort"]: unsupported scope applied to resource\n'
    )


def test_in_a_namespace_that_is_not_there(cluster_kubectl: Kubectl) -> None:
    name = unique("nowhere")
    said = cluster_kubectl.fails("create", "cm", "a", "-n", name)
    assert said == f'error: failed to create configmap: namespaces "{name}" not found\n'
