"""What `kubewright deploy` finds before it applies anything, and how it ends when the cluster refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kubewright.machinery.errors import NotFound
from kubewright.machinery.unstructured import Unstructured
from kubewright.sync import Client
from kubewright.sync.api import Api
from tests.cli.cluster_commands import Project, needs_kubectl

pytestmark = needs_kubectl

DEPLOY = ("deploy", "--image", "registry.example.com/demo:v1", "--no-wait")


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    from kubewright.testing import Cluster

    # Deployments are as they were applied: nobody scales them but the tests.
    with Cluster.in_thread(controllers="none") as cluster:
        yield cluster


@pytest.fixture
def deployments(client: Client, name: str) -> Api[Unstructured]:
    return client.dynamic("apps/v1", "Deployment", f"{name}-system")


def spec(deployments: Api[Unstructured], name: str) -> Any:
    return deployments.get(f"{name}-controller-manager")["spec"]


def add(project: Project, text: str) -> None:
    """Have the project deploy an object more."""
    if not (project.folder / "config/default/more.yaml").exists():
        project.edit("config/default/kustomization.yaml", {"- ../manager\n": "- ../manager\n- more.yaml\n"})
    project.write("config/default/more.yaml", text)


class TestConflicts:
    def test_all_are_told_before_anything_is_applied(
        self, project: Project, client: Client, name: str, deployments: Api[Unstructured]
    ) -> None:
        project.ok(*DEPLOY)
        place = f"{name}-system"
        ports = {"spec": {"ports": [{"port": 443, "targetPort": 9999}]}}
        services = client.dynamic("v1", "Service", place)
        services.patch(f"{name}-webhook-service", ports, manager="kubectl-edit")
        deployments.patch(f"{name}-controller-manager", {"spec": {"replicas": 3}}, manager="autoscaler")
        # This one comes before the others, and would be applied.
        account = "config/rbac/service_account.yaml"
        text = (project.folder / account).read_text()
        project.write(account, f"{text}imagePullSecrets:\n- name: registry\n")

        ran = project.run(*DEPLOY, "-o", "json")
        port = '.spec.ports[port=443,protocol="TCP"].targetPort'
        manager = f"Deployment {name}-controller-manager in {place}"
        assert ran.document["conflicts"] == [
            f'Service {name}-webhook-service in {place}: {port} belong to "kubectl-edit" using v1',
            f'{manager}: .spec.replicas belong to "autoscaler" using apps/v1',
        ]
        assert ran.refusal() == (
            f"{'; '.join(ran.document['conflicts'])}; nothing was applied: "
            "give --force-conflicts to install or deploy, to take them over"
        )
        assert ran.document["objects"] == []
        accounts = client.dynamic("v1", "ServiceAccount", place)
        assert "imagePullSecrets" not in accounts.get(f"{name}-controller-manager").to_dict()
        assert project.run(*DEPLOY, "--dry-run").refusal() == ran.refusal()

        project.ok(*DEPLOY, "--force-conflicts")
        assert "imagePullSecrets" in accounts.get(f"{name}-controller-manager").to_dict()
        assert spec(deployments, name)["replicas"] == 1
        project.ok(*DEPLOY)

    @pytest.mark.slow
    def test_many_are_counted(self, project: Project, client: Client, name: str) -> None:
        maps = [
            f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: m{number}}}\ndata: {{a: VALUE}}\n"
            for number in range(7)
        ]
        add(project, "---\n".join(maps).replace("VALUE", "mine"))
        project.ok(*DEPLOY)
        api = client.dynamic("v1", "ConfigMap", f"{name}-system")
        for number in range(7):
            api.patch(f"{name}-m{number}", {"data": {"a": "theirs"}}, manager="they")
        ran = project.run(*DEPLOY, "-o", "json")
        assert ran.refusal().count("belong to") == 5
        assert "; and 2 more objects; nothing was applied" in ran.refusal()
        assert len(ran.document["conflicts"]) == 7

    @pytest.mark.slow
    def test_what_is_scaled_stays_so(
        self, project: Project, name: str, deployments: Api[Unstructured]
    ) -> None:
        project.ok(*DEPLOY)
        manager = f"{name}-controller-manager"
        deployments.patch(manager, {"spec": {"replicas": 3}}, subresource="scale", manager="an-autoscaler")
        told = (
            f"Deployment {manager} in {name}-system keeps its number of replicas, 3, which was set by "
            "an-autoscaler through the scale subresource; with --force-conflicts, `deploy` makes it 1"
        )
        dry = project.ok(*DEPLOY, "--dry-run")
        assert dry.err == f"note: {told}\n"
        assert f"deployment.apps/{manager} unchanged (dry run)" in dry.lines
        for _ in range(2):  # also when the first has given the field up
            ran = project.ok(*DEPLOY, "-o", "json")
            assert ran.document["notes"] == [told]
            assert spec(deployments, name)["replicas"] == 3
        # All else of it is applied.
        newer = project.ok(*DEPLOY[:2], "registry.example.com/demo:v2", "--no-wait")
        assert f"deployment.apps/{manager} configured" in newer.lines
        found = spec(deployments, name)
        assert found["replicas"] == 3
        assert found["template"]["spec"]["containers"][0]["image"] == "registry.example.com/demo:v2"

        # Also when both agreed on it for a while, and so shared the field.
        project.edit("config/manager/manager.yaml", {"replicas: 1": "replicas: 3"})
        assert project.ok(*DEPLOY).err == ""
        project.edit("config/manager/manager.yaml", {"replicas: 3": "replicas: 2"})
        assert project.ok(*DEPLOY, "-o", "json").document["notes"] == [f"{told[:-1]}2"]
        assert spec(deployments, name)["replicas"] == 3

        assert project.ok(*DEPLOY, "--force-conflicts").err == ""
        assert spec(deployments, name)["replicas"] == 2

    @pytest.mark.slow
    def test_replicas_of_an_autoscaler_and_of_somebody_else(
        self, project: Project, name: str, deployments: Api[Unstructured]
    ) -> None:
        project.ok(*DEPLOY)
        manager = f"{name}-controller-manager"
        deployments.patch(manager, {"spec": {"replicas": 3}}, subresource="scale", manager="an-autoscaler")
        selector = spec(deployments, name)["selector"]
        template = spec(deployments, name)["template"]
        theirs = {"replicas": 3, "selector": selector, "template": template}
        deployments.apply({"metadata": {"name": manager}, "spec": theirs}, manager="they")
        told = project.run(*DEPLOY).refusal()
        assert ".spec.replicas" in told
        assert '"they"' in told
        assert spec(deployments, name)["replicas"] == 3


@pytest.mark.slow
class TestWhatCannotChange:
    def test_a_selector(
        self, project: Project, client: Client, name: str, deployments: Api[Unstructured]
    ) -> None:
        project.ok(*DEPLOY)
        before = spec(deployments, name)
        project.edit(
            "config/manager/manager.yaml",
            {"control-plane: controller-manager": "control-plane: other-manager"},
        )
        for options in ((), ("--force-conflicts",), ("--dry-run",)):
            ran = project.run(*DEPLOY, *options)
            assert ran.refusal() == (
                f"Deployment {name}-controller-manager in {name}-system: spec.selector cannot be changed; "
                "nothing was applied: undo these changes, or delete the objects first (kubectl delete "
                f"deployment.apps {name}-controller-manager -n {name}-system)"
            )
            assert ran.out == ""
        assert spec(deployments, name) == before
        deployments.delete(f"{name}-controller-manager")
        project.ok(*DEPLOY)
        labels = spec(deployments, name)["selector"]["matchLabels"]
        assert labels["control-plane"] == "other-manager"

    def test_a_kind_that_says_which_fields_may_change(self, project: Project, name: str) -> None:
        text = """
            apiVersion: apps/v1
            kind: StatefulSet
            metadata: {name: store}
            spec:
              serviceName: one
              selector: {matchLabels: {app: store}}
              template:
                metadata: {labels: {app: store}}
                spec: {containers: [{name: store, image: store}]}
        """
        add(project, text)
        project.ok(*DEPLOY)
        add(project, text.replace("serviceName: one", "serviceName: two"))
        told = project.run(*DEPLOY).refusal()
        assert told.startswith(
            f"StatefulSet {name}-store in {name}-system: some fields of spec cannot be changed; nothing was"
        )

    def test_a_role_of_a_binding_together_with_a_conflict(
        self, project: Project, name: str, deployments: Api[Unstructured]
    ) -> None:
        project.ok(*DEPLOY)
        deployments.patch(f"{name}-controller-manager", {"spec": {"replicas": 3}}, manager="they")
        project.edit("config/rbac/role_binding.yaml", {"kind: ClusterRole\n": "kind: Role\n"})
        told = project.run(*DEPLOY).refusal()
        assert ".spec.replicas belong to" in told
        assert f"Binding {name}-manager-rolebinding: roleRef cannot be changed; nothing was applied: " in told
        assert "give --force-conflicts to install or deploy, to take them over, and undo these" in told


@pytest.mark.slow
class TestDenied:
    """The server refuses one object in the middle."""

    @pytest.fixture
    def denied(self, client: Client, name: str) -> Iterator[None]:
        """A policy that lets no Deployment into the project's namespace, in force."""
        group = "admissionregistration.k8s.io/v1"
        rule = {
            "apiGroups": ["apps"],
            "apiVersions": ["*"],
            "operations": ["CREATE", "UPDATE"],
            "resources": ["deployments"],
        }
        policies = client.dynamic(group, "ValidatingAdmissionPolicy")
        bindings = client.dynamic(group, "ValidatingAdmissionPolicyBinding")
        policies.create(
            {
                "metadata": {"name": name},
                "spec": {
                    "matchConstraints": {"resourceRules": [rule]},
                    "validations": [
                        {
                            "expression": f"request.namespace != '{name}-system'",
                            "message": "not on Mondays",
                            # The code is that of missing rights, of which there is another thing to say.
                            "reason": "Forbidden",
                        }
                    ],
                },
            }
        )
        bindings.create(
            {"metadata": {"name": name}, "spec": {"policyName": name, "validationActions": ["Deny"]}}
        )
        yield
        bindings.delete(name)
        policies.delete(name)

    @pytest.mark.usefixtures("denied")
    def test_by_admission(self, project: Project, client: Client, name: str) -> None:
        ran = project.run(*DEPLOY)
        told = ran.refusal()
        assert told.startswith(f"Deployment {name}-controller-manager in {name}-system: ")
        assert "denied request: not on Mondays; change the object, or what denies it, and give" in told
        assert told.endswith("which goes on from there (403 Forbidden)")
        assert ran.lines[-1] == f"service/{name}-webhook-service created"
        client.dynamic("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding").patch(
            name, {"spec": {"validationActions": ["Audit"]}}
        )
        again = project.ok(*DEPLOY)
        assert f"service/{name}-webhook-service unchanged" in again.lines
        assert f"deployment.apps/{name}-controller-manager created" in again.lines

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("metadata: {name: größe}", 'metadata.name: Invalid value: "'),
            ("metadata: {name: x}\ndatas: {a: b}", "field not declared in schema; correct it, and give"),
            (f"metadata: {{name: x}}\ndata: {{a: {'x' * 1_100_000}}}", "; correct it, and give the command"),
            (f"metadata: {{name: x}}\ndata: {{a: {'x' * 3_200_000}}}", "Request entity too large"),
        ],
        ids=["name", "field", "large", "too large for a request"],
    )
    def test_objects_that_cannot_be(self, project: Project, text: str, words: str) -> None:
        add(project, f"apiVersion: v1\nkind: ConfigMap\n{text}\n")
        told = project.run(*DEPLOY).refusal()
        assert words in told
        assert "give the command again, which goes on from there" in told
        assert len(told) < 2000

    def test_a_namespace_that_nobody_makes(self, project: Project) -> None:
        add(project, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n")
        project.write(
            "config/elsewhere/kustomization.yaml",
            """
            resources: [../default]
            patches:
            - target: {kind: ConfigMap}
              patch: |-
                - op: replace
                  path: /metadata/namespace
                  value: nowhere
            """,
        )
        told = project.run(*DEPLOY, "--directory", "config/elsewhere").refusal()
        assert 'namespaces "nowhere" not found; make the namespace, or add it to the manifests' in told

    def test_a_webhook_that_nobody_answers(self, project: Project, client: Client, name: str) -> None:
        api = client.dynamic("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration")
        hook = {
            "name": "hook.example.com",
            "clientConfig": {"url": "https://127.0.0.1:9/x"},
            "rules": [
                {"apiGroups": [""], "apiVersions": ["*"], "operations": ["*"], "resources": ["services"]}
            ],
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": f"{name}-system"}},
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        }
        project.ok(*DEPLOY)
        api.create({"metadata": {"name": f"{name}-hook"}, "webhooks": [hook]})
        try:
            told = project.run("undeploy").refusal()
            assert told.startswith(f"Service {name}-webhook-service in {name}-system: ")
            assert "have its server run, or delete the webhook's configuration, and give the command" in told
        finally:
            api.delete(f"{name}-hook")
        # Nobody empties the namespace here, so that the end is not waited for.
        assert f"service/{name}-webhook-service deleted" in project.run("undeploy", "--timeout", "0.1").lines


@pytest.mark.slow
def test_objects_that_are_there_twice(project: Project, client: Client, name: str) -> None:
    one = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"
    add(project, f"{one}---\n{one}")
    told = project.run(*DEPLOY).refusal(2)
    assert "already registered id: ConfigMap.v1.[noGrp]/x.[noNs]; take one of the two away" in told
    assert "must build at directory" not in told
    with pytest.raises(NotFound):
        client.dynamic("v1", "Namespace").get(f"{name}-system")


@pytest.mark.slow
def test_what_force_overrides_is_told(project: Project, client: Client, name: str) -> None:
    project.ok("install")
    group = f"{name}.example.com"
    client.dynamic(f"{group}/v1", "CustomPod", "default").create({"metadata": {"name": "a"}, "spec": {}})
    path = f"config/crd/bases/{group}_custompods.yaml"
    project.edit(path, {"              replicas:": "              size:"})
    refused = project.run(*DEPLOY)
    assert refused.lines
    forced = project.ok(*DEPLOY, "--force", "--dry-run", "-o", "json")
    assert forced.document["changes"] == refused.lines
    assert [each for each in forced.document["notes"] if each.startswith("forced: ")] == [
        f"forced: {each}" for each in refused.lines
    ]
    crd = f"customresourcedefinition.apiextensions.k8s.io/custompods.{group} configured (dry run)"
    assert crd in forced.err.splitlines()
