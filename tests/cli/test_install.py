"""`kubewright install` and `uninstall`, on the embedded server and on a real one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from kubewright.cli.deployment import definitions
from kubewright.machinery import yaml
from kubewright.machinery.errors import NotFound
from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from kubewright.sync import Client
from tests.cli.cluster_commands import Project, Server, objects_of, write_kind
from tests.server.processes import COMMAND, PATIENCE

embedded_only = pytest.mark.parametrize("server", ["embedded"], indirect=True)
"""For what is the command's own doing, so that the real server is asked what depends on a server alone."""

_GROUPS = (f"install{number}.example.com" for number in count())
"""Each test has a kind of its own, since all share a server."""


@pytest.fixture(scope="module", params=["embedded", pytest.param("real", marks=pytest.mark.real)])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    if request.param == "real":
        from tests.realcluster.server import RealServer

        with RealServer(fsync=False) as real:
            yield real
    else:
        from kubewright.testing import Cluster

        with Cluster.in_thread(controllers="none") as cluster:
            yield cluster


@pytest.fixture
def group() -> str:
    return next(_GROUPS)


@pytest.fixture
def project(server: Server, tmp_path: Path, group: str) -> Project:
    write_kind(tmp_path, group)
    return Project(tmp_path, server.kubeconfig)


def line(group: str, result: str) -> str:
    return f"customresourcedefinition.apiextensions.k8s.io/custompods.{group} {result}"


def create(client: Client, group: str, name: str, *, finalizers: tuple[str, ...] = ()) -> None:
    objects_of(client, group).create(
        {"metadata": {"name": name, "finalizers": list(finalizers)}, "spec": {"replicas": 20}}
    )


def let_go(client: Client, group: str, name: str) -> None:
    client.dynamic(f"{group}/v1", "CustomPod", "default").patch(name, {"metadata": {"finalizers": None}})


def definition(client: Client, group: str) -> Any:
    return client.api(CustomResourceDefinition).get(f"custompods.{group}").to_dict()


class TestInstall:
    def test_says_what_became_of_each_definition(self, project: Project, client: Client, group: str) -> None:
        assert project.ok("install").lines == [line(group, "created")]
        create(client, group, "served-at-once")
        assert project.ok("install").lines == [line(group, "unchanged")]
        project.replace("maximum=1000", "maximum=2000")
        assert project.ok("install").lines == [line(group, "configured")]
        (owner,) = [
            each["manager"]
            for each in definition(client, group)["metadata"]["managedFields"]
            if each["operation"] == "Apply"
        ]
        assert owner == "kubewright"

    @embedded_only
    def test_json(self, project: Project, group: str) -> None:
        ran = project.ok("install", "--output", "json")
        assert ran.document == {
            "objects": [
                {
                    "apiVersion": "apiextensions.k8s.io/v1",
                    "kind": "CustomResourceDefinition",
                    "name": f"custompods.{group}",
                    "result": "created",
                }
            ],
            "notes": [],
        }
        assert ran.err.splitlines() == [line(group, "created")]

    @embedded_only
    def test_labels_of_the_code_and_of_the_kustomization(
        self, project: Project, client: Client, group: str
    ) -> None:
        project.replace('version="v1")', 'version="v1", labels={"of": "code"})')
        project.ok("install")
        deployed = {key: value for key, value in definition(client, group).items() if key != "status"}
        labels = {"of": "code", "by": "kustomize"}
        deployed["metadata"] = {"name": f"custompods.{group}", "labels": labels}
        api = client.dynamic("apiextensions.k8s.io/v1", "CustomResourceDefinition")
        api.apply(deployed, manager="kubewright")
        assert project.ok("install").lines == [line(group, "unchanged")]
        assert definition(client, group)["metadata"]["labels"] == labels

    @embedded_only
    def test_samples(self, project: Project, client: Client, group: str) -> None:
        sample = f"apiVersion: {group}/v1\nkind: CustomPod\nmetadata: {{name: NAME}}\n"
        project.write("config/samples/b.yaml", sample.replace("NAME", "b"))
        project.write("config/samples/a.yaml", sample.replace("NAME", "a"))
        project.write("config/samples/kustomization.yaml", "resources: [a.yaml, b.yaml]\n")
        made = [f"custompod.{group}/{name} created" for name in "ab"]
        assert project.ok("install", "--samples").lines == [line(group, "created"), *made]
        assert project.ok("install", "--samples").lines[-1] == f"custompod.{group}/b unchanged"
        assert client.dynamic(f"{group}/v1", "CustomPod", "default").get("a")["spec"] == {"replicas": 1}

    @embedded_only
    def test_without_objects_a_definition_may_change(
        self, project: Project, client: Client, group: str
    ) -> None:
        project.ok("install")
        project.replace("maximum=1000", "maximum=10")
        assert project.ok("install").lines == [line(group, "configured")]

    def test_what_breaks_objects_is_refused(self, project: Project, client: Client, group: str) -> None:
        project.ok("install")
        create(client, group, "large")
        before = definition(client, group)
        project.replace("maximum=1000", "maximum=10")
        ran = project.run("install")
        assert "the cluster has objects that these changes break, so nothing was applied" in ran.refusal()
        assert "--force" in ran.refusal()
        (change,) = ran.lines
        assert change.startswith(f"custompods.{group}: v1 .spec.replicas: maximum 10 is lower than 1000")
        assert definition(client, group) == before
        refused = project.run("install", "-o", "json")
        assert refused.document["changes"] == [change]
        assert refused.document["error"] == refused.refusal()
        forced = project.ok("install", "--force", "-o", "json")
        assert forced.document["notes"] == [f"forced: {change}"]
        assert forced.document["changes"] == [change]
        assert forced.err.splitlines() == [f"note: forced: {change}", line(group, "configured")]
        # It breaks nothing more than it did.
        assert project.ok("install", "--force").err == ""

    def test_a_definition_of_a_newer_version_is_refused(
        self, project: Project, client: Client, group: str
    ) -> None:
        project.ok("install")
        newer = client.api(CustomResourceDefinition).get(f"custompods.{group}").to_dict()["spec"]
        newer["versions"].append({**newer["versions"][0], "name": "v2", "storage": False})
        name = f"custompods.{group}"
        client.dynamic("apiextensions.k8s.io/v1", "CustomResourceDefinition").patch(name, {"spec": newer})
        ran = project.run("install")
        assert ran.lines == [f"{name}: the cluster has the version v2, which the code does not"]
        assert "from a newer version of the project" in ran.refusal()
        assert "upgrade the project's code, or give --force to install or deploy" in ran.refusal()
        assert len(definition(client, group)["spec"]["versions"]) == 2
        # The patch made another manager the owner of all that it changed.
        assert "--force-conflicts" in project.run("install", "--force").refusal()
        forced = project.ok("install", "--force", "--force-conflicts")
        assert forced.err == f"note: forced: {ran.lines[0]}\n"
        assert [each["name"] for each in definition(client, group)["spec"]["versions"]] == ["v1"]

    @embedded_only
    def test_a_newer_version_that_holds_objects_is_not_to_be_forced(
        self, project: Project, client: Client, group: str
    ) -> None:
        project.replace('version="v1"', 'version="v2alpha1"')
        project.ok("install")
        project.replace('version="v2alpha1"', 'version="v1"')
        ran = project.run("install")
        assert "which the code does not" in ran.lines[0]
        assert "upgrade the project's code, or take the definitions and their objects away" in ran.refusal()

    @embedded_only
    def test_an_older_version_that_is_gone_is_no_newer_one(
        self, project: Project, client: Client, group: str
    ) -> None:
        project.replace('version="v1"', 'version="v1beta1"')
        project.ok("install")
        project.replace('version="v1beta1"', 'version="v1"')
        ran = project.run("install")
        assert "newer" not in ran.refusal()
        assert "the API server refuses these changes" in ran.refusal()
        assert "`kubewright uninstall`" in ran.refusal()
        # Which no option changes, so that it is said before the server does.
        assert project.run("install", "--force").refusal() == ran.refusal()

    def test_other_managers_keep_what_is_theirs(self, project: Project, client: Client, group: str) -> None:
        project.ok("install")
        api = client.dynamic("apiextensions.k8s.io/v1", "CustomResourceDefinition")
        names = definition(client, group)["spec"]["names"]
        other = {
            "metadata": {"name": f"custompods.{group}"},
            "spec": {"names": {**names, "shortNames": ["cp"], "categories": ["all"]}},
        }
        api.apply(other, manager="somebody")
        project.replace('version="v1")', 'version="v1", short_names=["cpod"])')
        ran = project.run("install")
        told = f'CustomResourceDefinition custompods.{group}: .spec.names.shortNames belong to "somebody"'
        assert ran.refusal().startswith(told)
        assert ran.refusal().endswith(
            "; nothing was applied: give --force-conflicts to install or deploy, to take them over"
        )
        assert project.ok("install", "--force-conflicts").lines == [line(group, "configured")]
        names = definition(client, group)["spec"]["names"]
        assert (names["shortNames"], names["categories"]) == (["cpod"], ["all"])

    @embedded_only
    def test_names_that_are_taken(self, project: Project, client: Client, group: str, tmp_path: Path) -> None:
        project.ok("install")
        other = Project(tmp_path / "other", project.kubeconfig)
        write_kind(other.folder, group)
        other.replace('version="v1")', 'version="v1", plural="otherpods")')
        ran = other.run("install", "--timeout", "20")
        assert f"otherpods.{group} cannot be served" in ran.refusal()
        assert "give the kind other names" in ran.refusal()
        other.ok("uninstall")


class TestConversions:
    SOURCE = """
        from __future__ import annotations

        from kubewright import EMPTY, Resource, Struct, custom_resource


        class OldSpec(Struct):
            size: int = 0


        class CustomPodSpec(Struct):
            replicas: int = 0


        @custom_resource(group="GROUP", version="v1beta1", kind="CustomPod", storage=False)
        class CustomPodV1Beta1(Resource):
            spec: OldSpec = EMPTY

            def to_hub(self) -> CustomPod:
                return CustomPod(spec=CustomPodSpec(replicas=self.spec.size))

            @classmethod
            def from_hub(cls, hub: CustomPod) -> CustomPodV1Beta1:
                return cls(spec=OldSpec(size=hub.spec.replicas))


        @custom_resource(group="GROUP", version="v1", versions=[CustomPodV1Beta1])
        class CustomPod(Resource):
            spec: CustomPodSpec = EMPTY
    """

    @pytest.fixture
    def project(self, project: Project, group: str) -> Project:
        project.write("src/operator_demo/kinds.py", self.SOURCE.replace("GROUP", group))
        return project

    @embedded_only
    def test_the_webhook_is_installed_and_said_to_be_missing(
        self, project: Project, client: Client, group: str
    ) -> None:
        ran = project.ok("install")
        assert ran.err.startswith(
            f"note: the service webhook-service in system, which converts custompods.{group}"
        )
        assert "requests in other versions than v1 fail until the operator is deployed" in ran.err
        # Requests in the version that is stored need no conversion.
        create(client, group, "a")
        assert project.ok("install").lines == [line(group, "unchanged")]

    @embedded_only
    def test_nothing_is_missing_where_run_is_about_to_serve_the_webhook(
        self, project: Project, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("WEBHOOKS", "local")
        assert "is not there" not in project.ok("install").err

    @embedded_only
    def test_a_scaffolded_project_has_names_of_its_own(
        self, project: Project, client: Client, group: str
    ) -> None:
        record = '{"name":"demo","package":"operator_demo","domain":"example.com","kubewright":"0.1.0"}'
        project.write(".kubewright/project.json", record)
        project.ok("install")
        service = definition(client, group)["spec"]["conversion"]["webhook"]["clientConfig"]["service"]
        assert (service["namespace"], service["name"]) == ("demo-system", "demo-webhook-service")

    def test_what_the_deployed_operator_has_stays(
        self, project: Project, client: Client, group: str, server: Any
    ) -> None:
        bundle = b64encode(Path(server.ca_file).read_bytes()).decode()
        project.ok("install")
        api = client.dynamic("apiextensions.k8s.io/v1", "CustomResourceDefinition")
        name = f"custompods.{group}"
        deployed = {key: value for key, value in definition(client, group).items() if key != "status"}
        config = deployed["spec"]["conversion"]["webhook"]["clientConfig"]
        config["service"] |= {"namespace": "deployed", "name": "hooks"}
        deployed["metadata"] = {"name": name, "labels": {"by": "kustomize"}}
        api.apply(deployed, manager="kubewright")
        injected = {"spec": {"conversion": {"webhook": {"clientConfig": {"caBundle": bundle}}}}}
        api.patch(name, injected, manager="the-operator")
        project.replace("replicas: int = 0", "replicas: int = 0\n    image: str = ''")
        ran = project.ok("install")
        assert ran.lines == [line(group, "configured")]
        assert "the service hooks in deployed" in ran.err
        found = definition(client, group)
        config = found["spec"]["conversion"]["webhook"]["clientConfig"]
        assert (config["service"]["name"], config["caBundle"]) == ("hooks", bundle)
        assert found["metadata"]["labels"] == {"by": "kustomize"}
        (own,) = [each for each in found["metadata"]["managedFields"] if each["operation"] == "Apply"]
        assert "f:caBundle" not in json.dumps(own)


class TestUninstall:
    @embedded_only
    def test_without_objects(self, project: Project, client: Client, group: str) -> None:
        assert project.ok("uninstall").lines == [line(group, "not found")]
        project.ok("install")
        assert project.ok("uninstall").lines == [line(group, "deleted")]
        with pytest.raises(NotFound):
            definition(client, group)

    @embedded_only
    def test_objects_are_lost_only_when_that_is_meant(
        self, project: Project, client: Client, group: str
    ) -> None:
        project.ok("install")
        create(client, group, "a")
        create(client, group, "b")
        ran = project.run("uninstall")
        told = "2 objects of CustomPod will be deleted as well"
        assert ran.refusal() == f"{told}; give --yes if that is meant"
        assert ran.out == ""
        assert len(client.dynamic(f"{group}/v1", "CustomPod").list().to_list()) == 2
        assert project.ok("uninstall", "--yes").lines == [told, line(group, "deleted")]

    @embedded_only
    @pytest.mark.parametrize(("answer", "code"), [("n\n", 1), ("y\n", 0)])
    def test_on_a_terminal_it_asks(
        self,
        project: Project,
        client: Client,
        group: str,
        monkeypatch: pytest.MonkeyPatch,
        answer: str,
        code: int,
    ) -> None:
        project.ok("install")
        create(client, group, "a")
        monkeypatch.setattr(definitions, "_is_terminal", lambda: True)
        ran = project.run("uninstall", answer=answer)
        assert ran.code == code
        assert "1 object of CustomPod will be deleted as well. Go on? [y/N]" in ran.err
        if code:
            assert "nothing was deleted" in ran.refusal()
            definition(client, group)

    @embedded_only
    def test_finalizers_that_nobody_serves(self, project: Project, client: Client, group: str) -> None:
        project.ok("install")
        create(client, group, "held", finalizers=("example.com/disk", "x.io/dns"))
        ran = project.run("uninstall", "--yes", "--timeout", "0.3")
        told = f"custompods.{group} is held by the finalizers of default/held (example.com/disk, x.io/dns)"
        assert ran.refusal().startswith(f"{told} after 0.3 seconds; run the operator")
        assert f"kubectl patch custompods.{group} held -n default --type=merge" in ran.refusal()
        # What is being deleted is waited for, and told in the same words.
        again = project.run("install", "--timeout", "0.3")
        assert again.lines[0] == f"custompods.{group} is being deleted; waiting until it is gone"
        assert again.refusal().startswith(told)
        let_go(client, group, "held")
        assert project.ok("install").lines[-1] == line(group, "created")

    @embedded_only
    def test_goes_on_where_it_was_left(self, project: Project, client: Client, group: str) -> None:
        project.ok("install")
        create(client, group, "held", finalizers=("example.com/disk",))
        assert project.run("uninstall", "--yes", "--timeout", "0.1").code == 1
        let_go(client, group, "held")
        assert project.ok("uninstall", "--yes", "-o", "json").document["objects"][0]["result"] in {
            "deleted",
            "not found",
        }


@embedded_only
class TestMistakes:
    def test_no_project(self, project: Project, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        for command in ("install", "uninstall"):
            told = Project(tmp_path / "empty", project.kubeconfig).run(command).refusal(2)
            assert told.startswith("there is no pyproject.toml here; go to the project's folder")

    def test_code_that_cannot_be_imported(self, project: Project) -> None:
        project.write("src/operator_demo/broken.py", "import nowhere_to_be_found\n")
        assert "the module operator_demo.broken cannot be imported" in project.run("install").refusal(2)

    def test_no_kinds(self, project: Project) -> None:
        project.write("src/operator_demo/kinds.py", "")
        ran = project.ok("install")
        assert (ran.out, ran.err.startswith("note: the project declares no kinds")) == ("", True)

    def test_no_samples(self, project: Project) -> None:
        assert "there is no folder config/samples" in project.run("install", "--samples").refusal(2)

    def test_a_sample_that_is_refused(self, project: Project, group: str) -> None:
        text = f"apiVersion: {group}/v1\nkind: CustomPod\nmetadata: {{name: a}}\nspec: {{replicas: -1}}\n"
        project.write("config/samples/a.yaml", text)
        told = project.run("install", "--samples").refusal()
        assert told.startswith("CustomPod a: CustomPod")
        assert "spec.replicas" in told

    def test_a_sample_that_is_there_twice(self, project: Project, client: Client, group: str) -> None:
        sample = f"apiVersion: {group}/v1\nkind: CustomPod\nmetadata: {{name: a}}\n"
        project.write("config/samples/a.yaml", f"{sample}---\n{sample}")
        told = project.run("install", "--samples").refusal(2)
        assert told == (
            "CustomPod a is there twice, as config/samples/a.yaml, document 1 and config/samples/a.yaml, "
            "document 2; take one of them away"
        )
        with pytest.raises(NotFound):
            definition(client, group)

    def test_a_sample_of_somebody_else(self, project: Project, client: Client, group: str) -> None:
        text = f"apiVersion: {group}/v1\nkind: CustomPod\nmetadata: {{name: a}}\nspec: {{replicas: 2}}\n"
        project.write("config/samples/a.yaml", text)
        project.ok("install", "--samples")
        api = client.dynamic(f"{group}/v1", "CustomPod", "default")
        api.patch("a", {"spec": {"replicas": 3}}, manager="somebody")
        project.replace("maximum=1000", "maximum=2000")
        before = definition(client, group)
        told = project.run("install", "--samples").refusal()
        assert told.startswith('CustomPod a: .spec.replicas belong to "somebody"')
        assert definition(client, group) == before
        project.ok("install", "--samples", "--force-conflicts")
        assert api.get("a")["spec"] == {"replicas": 2}

    @pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "soon"])
    def test_times(self, project: Project, seconds: str) -> None:
        told = project.run("install", "--timeout", seconds).refusal(2)
        assert told.startswith("Invalid value for '--timeout': ")
        assert told.endswith(
            ("is no time; give seconds above 0, such as 60", "see `kubewright install --help`")
        )

    def test_no_cluster(self, project: Project) -> None:
        assert "no cluster is configured" in project.run("install", KUBECONFIG="/nowhere").refusal()

    @pytest.mark.parametrize("command", ["install", "uninstall"])
    def test_no_rights(self, project: Project, tmp_path: Path, command: str) -> None:
        config = yaml.load(Path(project.kubeconfig).read_text())
        config["users"][0]["user"]["as"] = "jane"
        (tmp_path / "kubeconfig").write_text(yaml.dump(config))
        told = project.run(command, KUBECONFIG=str(tmp_path / "kubeconfig")).refusal()
        assert 'User "jane" cannot get resource "customresourcedefinitions"' in told
        assert "ask for this right" in told

    def test_ctrl_c(self, project: Project, client: Client, group: str) -> None:
        project.ok("install")
        create(client, group, "held", finalizers=("example.com/disk",))
        process = subprocess.Popen(
            [COMMAND, "uninstall", "--yes", "--output", "json"],
            cwd=project.folder,
            env={**os.environ, "KUBECONFIG": project.kubeconfig, "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with process:
            assert process.stderr is not None
            assert process.stderr.readline() == ("1 object of CustomPod will be deleted as well\n")
            held = client.dynamic(f"{group}/v1", "CustomPod", "default")
            held.wait_for("held", lambda each: bool(each.metadata.deletion_timestamp), timeout=PATIENCE)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130
        told = "interrupted; what is told above is done, and `kubewright uninstall` goes on from there"
        assert err.splitlines()[-1] == f"Error: {told}"
        assert json.loads(out)["error"] == told
        let_go(client, group, "held")
        project.ok("uninstall")
