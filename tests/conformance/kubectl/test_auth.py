"""kubectl auth and certificate, and requests in somebody else's name."""

from __future__ import annotations

import pytest

from tests.conformance.client import Client
from tests.conformance.kubectl.output import table
from tests.conformance.kubectl.program import Kubectl
from tests.conformance.namespaces import unique
from tests.conformance.texts import CERTIFICATE_REQUEST
from tests.conformance.waiting import eventually

# Each kubectl takes a tenth of a second: `make test` runs some files of this folder, `make test-real` all.
pytestmark = pytest.mark.slow


def test_who_am_i(cluster_kubectl: Kubectl) -> None:
    said = dict(table(cluster_kubectl("auth", "whoami"))[1:])
    assert said["Groups"] == "[system:masters system:authenticated]"


def test_somebody_else(cluster_kubectl: Kubectl) -> None:
    arguments = ["--as=somebody", "--as-group=some", "--as-uid=some-uid"]
    assert table(cluster_kubectl("auth", "whoami", *arguments)) == [
        ["ATTRIBUTE", "VALUE"],
        ["Username", "somebody"],
        ["UID", "some-uid"],
        ["Groups", "[some system:authenticated]"],
    ]


def test_what_may_i_do(kubectl: Kubectl) -> None:
    assert kubectl("auth", "can-i", "create", "pods") == "yes\n"
    assert kubectl("auth", "can-i", "*", "*", "-A") == "yes\n"
    assert kubectl("auth", "can-i", "get", "/healthz") == "yes\n"
    lines = [line.split() for line in kubectl("auth", "can-i", "--list").splitlines()]
    assert ["*.*", "[]", "[]", "[*]"] in lines
    assert ["[*]", "[]", "[*]"] in lines


def test_what_may_somebody_else_do(kubectl: Kubectl) -> None:
    user = unique("user")
    assert kubectl.outcome("auth", "can-i", "get", "pods", f"--as={user}").stdout == "no\n"
    assert kubectl.fails("get", "cm", f"--as={user}") == (
        f'Error from server (Forbidden): configmaps is forbidden: User "{user}" cannot list resource '
        f'"configmaps" in API group "" in the namespace "{kubectl.namespace}"\n'
    )
    kubectl("create", "role", "reader", "--verb=get,list", "--resource=pods")
    kubectl("create", "rolebinding", "reader", "--role=reader", f"--user={user}")
    eventually(
        lambda: kubectl.outcome("auth", "can-i", "get", "pods", f"--as={user}").stdout == "yes\n",
        "the role is not in force",
    )
    assert kubectl.outcome("auth", "can-i", "delete", "pods", f"--as={user}").stdout == "no\n"
    assert kubectl.success("get", "pods", f"--as={user}").stdout == ""
    assert kubectl("auth", "can-i", "get", "pods", f"--as={user}", "--as-group=system:masters") == "yes\n"


def test_reconcile(kubectl: Kubectl) -> None:
    group = "rbac.authorization.k8s.io"
    rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]
    metadata = {"name": "r", "namespace": kubectl.namespace}
    role = {"apiVersion": f"{group}/v1", "kind": "Role", "metadata": metadata, "rules": rules}
    lines = kubectl("auth", "reconcile", "-f", "-", stdin=role).splitlines()
    assert lines[0] == f"role.{group}/r reconciled"
    assert kubectl.stored("roles", "r", f"{group}/v1")["rules"] == rules


def test_certificates(cluster_kubectl: Kubectl, client: Client) -> None:
    name = unique("request")
    spec = {
        "request": CERTIFICATE_REQUEST,
        "signerName": "kubernetes.io/kube-apiserver-client",
        "usages": ["client auth"],
    }
    kind = {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest"}
    cluster_kubectl("create", "-f", "-", stdin={**kind, "metadata": {"name": name}, "spec": spec})
    assert cluster_kubectl("get", "csr", name, "--no-headers").split()[-1] == "Pending"
    said = cluster_kubectl("certificate", "approve", name)
    assert said == f"certificatesigningrequest.certificates.k8s.io/{name} approved\n"
    assert cluster_kubectl("get", "csr", name, "--no-headers").split()[-1] == "Approved"
    other = unique("request")
    cluster_kubectl("create", "-f", "-", stdin={**kind, "metadata": {"name": other}, "spec": spec})
    cluster_kubectl("certificate", "deny", other)
    (condition,) = cluster_kubectl.json("get", "csr", other)["status"]["conditions"]
    assert (condition["type"], condition["reason"]) == ("Denied", "KubectlDeny")


def test_the_list_of_what_somebody_may_do(kubectl: Kubectl) -> None:
    user = unique("user")
    kubectl("create", "role", "reader", "--verb=get,list", "--resource=pods,pods/log")
    kubectl("create", "role", "named", "--verb=delete", "--resource=cm", "--resource-name=mine")
    for role in ("reader", "named"):
        kubectl("create", "rolebinding", role, f"--role={role}", f"--user={user}")
    arguments = ("auth", "can-i", "--list", "--no-headers", f"--as={user}")
    eventually(lambda: "mine" in kubectl(*arguments), "the roles are not in force")
    eventually(lambda: "pods" in kubectl(*arguments), "the roles are not in force")
    lines = {tuple(line.split()) for line in kubectl(*arguments).splitlines()}
    assert {
        ("pods", "[]", "[]", "[get", "list]"),
        ("pods/log", "[]", "[]", "[get", "list]"),
        ("configmaps", "[]", "[mine]", "[delete]"),
        ("selfsubjectreviews.authentication.k8s.io", "[]", "[]", "[create]"),
        ("selfsubjectrulesreviews.authorization.k8s.io", "[]", "[]", "[create]"),
        ("[/version]", "[]", "[get]"),
        ("[/apis/*]", "[]", "[get]"),
    } <= lines
    assert kubectl("auth", "can-i", "delete", "cm/mine", f"--as={user}") == "yes\n"
    assert kubectl.outcome("auth", "can-i", "delete", "cm/other", f"--as={user}").stdout == "no\n"
    assert kubectl("auth", "can-i", "get", "pods", "--subresource=log", f"--as={user}") == "yes\n"


def test_reconciling_adds_what_is_missing(kubectl: Kubectl) -> None:
    group = "rbac.authorization.k8s.io"
    name, namespace = unique("reconciled"), kubectl.namespace
    role = {"apiVersion": f"{group}/v1", "kind": "ClusterRole", "metadata": {"name": name}}
    binding = {
        "apiVersion": f"{group}/v1",
        "kind": "RoleBinding",
        "metadata": {"name": name, "namespace": namespace},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": name},
    }

    def reconcile(verbs: list[str], users: list[str], *arguments: str) -> str:
        rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": verbs}]
        subjects = [{"apiGroup": group, "kind": "User", "name": user} for user in users]
        objects = [{**role, "rules": rules}, {**binding, "subjects": subjects}]
        listed = {"apiVersion": "v1", "kind": "List", "items": objects}
        return kubectl("auth", "reconcile", "-f", "-", *arguments, stdin=listed)

    def stored() -> tuple[list[str], list[str]]:
        rules = kubectl.json("get", "clusterrole", name)["rules"]
        subjects = kubectl.stored("rolebindings", name, f"{group}/v1")["subjects"]
        return [verb for rule in rules for verb in rule["verbs"]], [each["name"] for each in subjects]

    assert f"clusterrole.{group}/{name} reconciled" in reconcile(["get"], ["ann"])
    assert stored() == (["get"], ["ann"])
    reconcile(["get", "list"], ["bob"])
    assert stored() == (["get", "list"], ["ann", "bob"])
    reconcile(["list"], ["bob"], "--remove-extra-permissions", "--remove-extra-subjects")
    assert stored() == (["list"], ["bob"])
