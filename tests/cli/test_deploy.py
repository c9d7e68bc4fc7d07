"""`kubewright deploy` and `undeploy` of a scaffolded project, on the embedded server."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from kubewright.machinery import yaml
from kubewright.machinery.errors import NotFound
from kubewright.models.admissionregistration_v1 import ValidatingWebhookConfiguration
from kubewright.models.apps_v1 import Deployment
from kubewright.models.core_v1 import Namespace
from kubewright.sync import Client
from tests.cli.cluster_commands import Project, Ran, needs_kubectl
from tests.realcluster.binaries import find_kubectl

pytestmark = needs_kubectl

IMAGE = "registry.example.com/demo:v1"


def crd(name: str) -> str:
    return f"customresourcedefinition.apiextensions.k8s.io/custompods.{name}.example.com"


def deployment(client: Client, name: str) -> Deployment:
    return client.api(Deployment, f"{name}-system").get(f"{name}-controller-manager")


def is_there(client: Client, name: str) -> bool:
    try:
        client.dynamic("v1", "Namespace").get(f"{name}-system")
    except NotFound:
        return False
    return True


class TestDeploy:
    def test_from_nothing_to_a_rollout(self, project: Project, client: Client, name: str) -> None:
        ran = project.ok("deploy", "--image", IMAGE)
        kinds = [line.partition("/")[0].partition(".")[0] for line in ran.lines]
        assert kinds[:3] == ["namespace", "customresourcedefinition", "serviceaccount"]
        assert kinds[-4:] == [
            "deployment",
            "mutatingwebhookconfiguration",
            "validatingwebhookconfiguration",
            "deployment",
        ]
        assert all(line.endswith(" created") for line in ran.lines[:-1])
        assert ran.lines[-1] == f"deployment.apps/{name}-controller-manager rolled out"
        # Nobody runs in pretended pods, who would inject it.
        assert ran.err.startswith(
            f"note: there is no CA bundle in {name}-mutating-webhook-configuration and "
        )
        found = deployment(client, name)
        assert [each.image for each in found.spec.template.spec.containers] == [IMAGE]
        again = project.ok("deploy", "--image", IMAGE)
        assert all(line.endswith(" unchanged") for line in again.lines[:-1])

        newer = project.ok("deploy", "--image", IMAGE.replace("v1", "v2"), "--output", "json")
        document = newer.document
        assert (document["image"], document["rolledOut"]) == (IMAGE.replace("v1", "v2"), True)
        assert {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "name": f"{name}-controller-manager",
            "namespace": f"{name}-system",
            "result": "configured",
        } in document["objects"]
        assert [each["result"] for each in document["objects"]].count("unchanged") == len(
            document["objects"]
        ) - 1
        assert newer.err.splitlines()[0] == f"namespace/{name}-system unchanged"

    def test_a_ca_bundle_that_was_injected_stays(
        self, project: Project, client: Client, name: str, server: Any
    ) -> None:
        project.ok("deploy", "--image", IMAGE, "--no-wait")
        api = client.api(ValidatingWebhookConfiguration)
        injected = api.get(f"{name}-validating-webhook-configuration")
        bundle = Path(server.ca_file).read_bytes()
        for each in injected.webhooks:
            each.client_config.ca_bundle = bundle
        api.update(injected)
        # Also when what is deployed has changed.
        project.edit("config/webhook/manifests.yaml", {"failurePolicy: Fail": "failurePolicy: Ignore"})
        ran = project.ok("deploy", "--image", IMAGE, "--no-wait")
        assert ran.lines[-1].endswith("validating-webhook-configuration configured")
        found = api.get(f"{name}-validating-webhook-configuration")
        assert [(each.client_config.ca_bundle, each.failure_policy) for each in found.webhooks] == [
            (bundle, "Ignore")
        ]
        assert b64encode(bundle).decode() in found.to_json().decode()

    def test_a_dry_run_changes_nothing(self, project: Project, client: Client, name: str) -> None:
        ran = project.ok("deploy", "--image", IMAGE, "--dry-run")
        assert ran.lines[0] == f"namespace/{name}-system created (dry run)"
        assert "whose namespace or definition is not there yet" in ran.err
        assert not is_there(client, name)
        project.ok("deploy", "--image", IMAGE, "--no-wait")
        before = deployment(client, name)
        ran = project.ok("deploy", "--image", f"{IMAGE}0", "--dry-run")
        changed = [line for line in ran.lines if not line.endswith(" unchanged (dry run)")]
        assert changed == [f"deployment.apps/{name}-controller-manager configured (dry run)"]
        assert ran.err == ""
        assert deployment(client, name).spec == before.spec

    def test_definitions_that_harm_objects(self, project: Project, client: Client, name: str) -> None:
        project.ok("install")
        group = f"{name}.example.com"
        client.dynamic(f"{group}/v1", "CustomPod", "default").create({"metadata": {"name": "a"}, "spec": {}})
        path = f"config/crd/bases/{group}_custompods.yaml"
        project.edit(path, {"              replicas:": "              size:"})
        ran = project.run("deploy", "--image", IMAGE)
        assert "the cluster has objects that these changes break, so nothing was applied" in ran.refusal()
        assert not is_there(client, name)

    def test_a_webhook_for_pods_waits_for_those_of_the_operator(self, project: Project, name: str) -> None:
        project.edit(
            "config/webhook/manifests.yaml", {"- custompods": "- pods", f"- {name}.example.com": '- ""'}
        )
        ran = project.ok("deploy", "--image", IMAGE)
        kinds = [line.partition("/")[0].partition(".")[0] for line in ran.lines]
        assert kinds[-3:] == ["deployment", "mutatingwebhookconfiguration", "validatingwebhookconfiguration"]
        project.ok("undeploy")
        ran = project.ok("deploy", "--image", IMAGE, "--no-wait")
        assert "would have to let the operator's own pods pass" in ran.err
        project.ok("undeploy")

    def test_a_conversion_at_a_url_gives_way_to_the_service(
        self, project: Project, client: Client, name: str, server: Any
    ) -> None:
        project.ok("install")
        definition = f"custompods.{name}.example.com"
        bundle = b64encode(Path(server.ca_file).read_bytes()).decode()
        local = {"url": "https://127.0.0.1:9/convert", "caBundle": bundle}
        webhook = {"conversionReviewVersions": ["v1"], "clientConfig": local}
        api = client.dynamic("apiextensions.k8s.io/v1", "CustomResourceDefinition")
        api.patch(definition, {"spec": {"conversion": {"strategy": "Webhook", "webhook": webhook}}})
        path = f"config/crd/bases/{name}.example.com_custompods.yaml"
        service = """strategy: Webhook
            webhook:
              conversionReviewVersions: [v1]
              clientConfig:
                service: {name: hooks, namespace: system}"""
        project.edit(path, {"strategy: None": service.replace("\n        ", "\n")})
        ran = project.ok("deploy", "--image", IMAGE)
        assert f"objects of {definition} are no longer converted at https://127.0.0.1:9/convert" in ran.err
        assert f"there is no CA bundle in {definition} and {name}-mutating-webhook-configuration" in ran.err
        spec: Any = api.get(definition)["spec"]
        config = spec["conversion"]["webhook"]["clientConfig"]
        assert "url" not in config
        assert config["service"]["name"] == "hooks"


def is_held(namespace: Namespace) -> bool:
    return any(
        each.type == "NamespaceFinalizersRemaining" and each.status == "True"
        for each in namespace.status.conditions
    )


@pytest.mark.slow
class TestUndeploy:
    def test_definitions_go_while_the_operator_is_there(
        self, project: Project, client: Client, name: str
    ) -> None:
        project.edit("config/default/kustomization.yaml", {"- ../webhook\n": ""})
        project.ok("deploy", "--image", IMAGE)
        objects = client.dynamic(f"{name}.example.com/v1", "CustomPod", "default")
        objects.create({"metadata": {"name": "a", "finalizers": ["example.com/disk"]}, "spec": {}})
        ran = project.run("undeploy")
        told = "1 object of CustomPod will be deleted as well"
        assert ran.refusal() == f"{told}; give --yes if that is meant"
        ran = project.run("undeploy", "--yes", "--timeout", "0.3")
        assert ran.lines[0] == told
        assert "is held by the finalizers of default/a (example.com/disk) after 0.3 seconds" in ran.refusal()
        assert (
            "nothing else was deleted: see whether the operator, which does their work, runs" in ran.refusal()
        )
        assert deployment(client, name).status.available_replicas == 1
        objects.patch("a", {"metadata": {"finalizers": None}})
        ran = project.ok("undeploy", "--yes")
        assert ran.lines[0] in {f"{crd(name)} deleted", f"{crd(name)} not found"}
        assert ran.lines[-1] == f"namespace/{name}-system deleted"
        assert not is_there(client, name)
        again = project.ok("undeploy")
        assert all(line.endswith(" not found") for line in again.lines)
        # And it can be deployed at once.
        project.ok("deploy", "--image", IMAGE, "--no-wait")

    def test_definitions_may_stay(self, project: Project, client: Client, name: str) -> None:
        project.edit("config/default/kustomization.yaml", {"- ../webhook\n": ""})
        project.ok("deploy", "--image", IMAGE, "--no-wait")
        objects = client.dynamic(f"{name}.example.com/v1", "CustomPod", "default")
        objects.create({"metadata": {"name": "a"}, "spec": {}})
        ran = project.ok("undeploy", "--keep-crds", "-o", "json")
        told = f"custompods.{name}.example.com and all objects in other namespaces stay"
        assert ran.document["notes"][0].startswith(told)
        assert not is_there(client, name)
        objects.get("a")

    def test_a_namespace_that_is_being_deleted_is_waited_for(
        self, project: Project, client: Client, name: str
    ) -> None:
        project.ok("deploy", "--image", IMAGE, "--no-wait")
        maps = client.dynamic("v1", "ConfigMap", f"{name}-system")
        maps.create({"metadata": {"name": "held", "finalizers": ["example.com/disk"]}})
        told = project.run("undeploy", "--yes", "--timeout", "0.2").refusal()
        assert f"the namespace {name}-system is still being deleted after 0.2 seconds" in told
        # What holds it is known once the cluster says so.
        client.api(Namespace).wait_for(f"{name}-system", is_held, timeout=60)
        assert "example.com/disk" in project.run("undeploy", "--timeout", "0.2").refusal()
        ran = project.run("deploy", "--image", IMAGE, "--no-wait", "--timeout", "0.2")
        assert f"the namespace {name}-system is still being deleted after 0.2 seconds" in ran.refusal()
        # What is in it goes already, and is not asked about again.
        again = project.run("undeploy", "--timeout", "0.2").refusal()
        assert f"the namespace {name}-system is still being deleted after 0.2 seconds" in again
        dry = project.ok("deploy", "--image", IMAGE, "--dry-run")
        assert "the server could not check" in dry.err
        maps.patch("held", {"metadata": {"finalizers": None}})
        assert project.ok("deploy", "--image", IMAGE, "--no-wait").lines[-1].endswith(" created")


def test_the_rights_on_the_page_are_enough(
    project: Project, client: Client, name: str, tmp_path: Path
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "deploying.md").read_text()
    text = page.partition("```yaml\n")[2].partition("```")[0]
    role = yaml.load(text.replace("zhhnzw.mock.com", f"{name}.example.com"))
    roles = "rbac.authorization.k8s.io/v1"
    client.dynamic(roles, "ClusterRole").create(role)
    client.dynamic(roles, "ClusterRoleBinding").create(
        {
            "metadata": {"name": "deployer"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "deployer"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "jane"}],
        }
    )
    config = yaml.load(Path(project.kubeconfig).read_text())
    config["users"][0]["user"]["as"] = "jane"
    (tmp_path / "kubeconfig").write_text(yaml.dump(config))
    jane = Project(project.folder, str(tmp_path / "kubeconfig"))
    jane.ok("deploy", "--image", IMAGE)
    jane.ok("install")
    assert jane.ok("undeploy").lines[0] == f"{crd(name)} deleted"
    # Without one of them, the answer says which it is.
    role["rules"] = [rule for rule in role["rules"] if "deployments" not in rule["resources"]]
    client.dynamic(roles, "ClusterRole").update(role)
    told = jane.run("deploy", "--image", IMAGE).refusal()
    assert 'User "jane" cannot get resource "deployments" in API group "apps"' in told
    assert jane.ok("uninstall").lines == [f"{crd(name)} deleted"]


class TestMistakes:
    def test_images(self, project: Project, client: Client, name: str) -> None:
        told = project.run("deploy").refusal(2)
        assert told.startswith("the image controller:latest only stands for the operator's own; give --image")
        assert "'No Image' is no reference to an image" in project.run(
            "deploy", "--image", "No Image"
        ).refusal(2)
        assert not is_there(client, name)

    def test_an_image_of_the_kustomization_is_taken_or_replaced(
        self, project: Project, client: Client, name: str
    ) -> None:
        path = "config/manager/kustomization.yaml"
        text = (project.folder / path).read_text()
        project.write(
            path, f"{text}images:\n- name: controller\n  newName: own.example.com/x\n  newTag: v7\n"
        )
        project.ok("deploy", "--no-wait")
        assert deployment(client, name).spec.template.spec.containers[0].image == "own.example.com/x:v7"
        project.ok("deploy", "--no-wait", "--image", IMAGE)
        assert deployment(client, name).spec.template.spec.containers[0].image == IMAGE

    def test_a_kind_that_the_cluster_does_not_know(self, project: Project, client: Client, name: str) -> None:
        project.edit(
            "config/default/kustomization.yaml", {"- ../manager\n": "- ../manager\n- ../prometheus\n"}
        )
        told = project.run("deploy", "--image", IMAGE).refusal()
        assert told.startswith("ServiceMonitor ")
        assert "nothing was applied" in told
        assert not is_there(client, name)

    def test_a_definition_that_is_none(self, project: Project, client: Client, name: str) -> None:
        path = f"config/crd/bases/{name}.example.com_custompods.yaml"
        project.edit(path, {f"  group: {name}.example.com\n": ""})
        told = project.run("deploy", "--image", IMAGE).refusal()
        assert told.startswith(f"CustomResourceDefinition custompods.{name}.example.com cannot be deployed: ")
        assert "group" in told
        assert not is_there(client, name)

    def test_a_webhook_configuration_that_is_none(self, project: Project) -> None:
        project.edit("config/webhook/manifests.yaml", {"  rules:\n": "  rules: all\n  others:\n"})
        told = project.run("deploy", "--image", IMAGE).refusal()
        assert told.startswith("MutatingWebhookConfiguration ")
        assert "cannot be deployed" in told

    def test_manifests_that_are_out_of_date(self, project: Project, name: str) -> None:
        path = "config/rbac/role.yaml"
        project.write(path, (project.folder / path).read_text() + "# more\n")
        (project.folder / "config/rbac/leader_election_role.yaml").rename(project.folder / "elsewhere.yaml")
        project.edit("config/rbac/kustomization.yaml", {"- leader_election_role.yaml\n": ""})
        ran = project.ok("deploy", "--image", IMAGE, "--no-wait", "--dry-run")
        assert ran.err.splitlines()[0] == (
            "note: config/rbac/leader_election_role.yaml, config/rbac/role.yaml differ from the code; write "
            "them anew with `kubewright manifests`"
        )

    def test_code_that_cannot_be_imported_is_not_needed(self, project: Project) -> None:
        project.write("src/operator_demo/broken.py", "import nowhere_to_be_found\n")
        ran = project.ok("deploy", "--image", IMAGE, "--dry-run")
        assert (
            "was not checked: the module operator_demo.broken cannot be imported" in ran.err.splitlines()[0]
        )

    def test_kustomizations(self, project: Project) -> None:
        for command in (["deploy", "--image", IMAGE], ["undeploy"]):
            told = project.run(*command, "--directory", "elsewhere").refusal(2)
            assert told.startswith("there is no elsewhere/kustomization.yaml; go to the project's folder")
        project.edit("config/default/kustomization.yaml", {"- ../manager\n": "- ../nothing\n"})
        told = project.run("deploy", "--image", IMAGE).refusal(2)
        assert told.startswith("config/nothing is not there, and a kustomization names it; write it with")
        project.edit("config/default/kustomization.yaml", {"- ../nothing\n": "- [\n"})
        told = project.run("deploy", "--image", IMAGE).refusal(2)
        assert told.startswith("config/default cannot be rendered: ")


class TestRenderedByKustomize:
    """Where there is no kubectl: by a program with the command line of kustomize, which asks kubectl."""

    PROGRAM = """\
        #!/bin/sh
        [ "$1" = build ] && [ $# = 2 ] || { echo "Error: unknown command $*" >&2; exit 64; }
        exec "KUBECTL" kustomize "$2"
    """

    @pytest.fixture
    def kubectl_alone(self, project: Project) -> Ran:
        """What a dry run says before there is kustomize in the place of kubectl."""
        return project.ok("deploy", "--image", IMAGE, "--dry-run", "-o", "json")

    @pytest.fixture
    def kustomize(self, project: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
        project.write("bin/kustomize", self.PROGRAM.replace("KUBECTL", str(find_kubectl())))
        program = project.folder / "bin" / "kustomize"
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(program.parent))
        return program

    def test_it_gives_the_same(self, project: Project, kubectl_alone: Ran, kustomize: Path) -> None:
        assert project.ok("deploy", "--image", IMAGE, "--dry-run", "-o", "json") == kubectl_alone
        assert len(kubectl_alone.document["objects"]) > 10
        kustomize.write_text("#!/bin/sh\nexit 1\n")  # which shows that it was asked
        assert "it gives no reason" in project.run("deploy", "--image", IMAGE, "--dry-run").refusal(2)

    @pytest.mark.usefixtures("kustomize")
    def test_its_errors(self, project: Project) -> None:
        project.edit("config/default/kustomization.yaml", {"- ../manager\n": "- ../nothing\n"})
        told = project.run("deploy", "--image", IMAGE).refusal(2)
        assert told.startswith("config/nothing is not there, and a kustomization names it; write it with")
        project.edit("config/default/kustomization.yaml", {"- ../nothing\n": "- [\n"})
        told = project.run("undeploy").refusal(2)
        assert told.startswith("config/default cannot be rendered: ")
        assert told.endswith("; correct its kustomization")

    def test_one_that_does_not_run(self, project: Project, kustomize: Path) -> None:
        kustomize.write_bytes(b"\x7fELF of another machine")
        told = project.run("undeploy").refusal(2)
        assert told == f"{kustomize} cannot be run: Exec format error; install it anew"

    def test_neither_of_the_two(self, project: Project, kustomize: Path) -> None:
        kustomize.unlink()
        for command in (["deploy", "--image", IMAGE], ["undeploy"]):
            assert project.run(*command).refusal(2) == (
                "neither kubectl nor kustomize is on PATH, and one of them renders config/default; install "
                "kubectl"
            )
