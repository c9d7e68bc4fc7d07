"""kubectl apply as kubectl computes it, with pruning and kustomizations; and diff."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.kubectl.program import Kubectl
from tests.conformance.objects import config_map, deployment

pytestmark = pytest.mark.slow

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def data(kubectl: Kubectl, name: str) -> dict[str, str]:
    found: dict[str, str] = kubectl.stored("configmaps", name).get("data", {})
    return found


def test_created_changed_and_unchanged(kubectl: Kubectl) -> None:
    def apply(**wanted: str) -> str:
        return kubectl("apply", "-f", "-", stdin=config_map("a", wanted))

    assert apply(k="v", gone="soon") == "configmap/a created\n"
    assert apply(k="v", gone="soon") == "configmap/a unchanged\n"
    kubectl("patch", "cm", "a", "-p", '{"data": {"foreign": "stays"}}')
    assert apply(k="w") == "configmap/a configured\n"
    assert data(kubectl, "a") == {"k": "w", "foreign": "stays"}
    annotations = kubectl.stored("configmaps", "a")["metadata"]["annotations"]
    assert json.loads(annotations[LAST_APPLIED])["data"] == {"k": "w"}


def test_fields_of_a_deployment(kubectl: Kubectl) -> None:
    body = deployment("a", 1)
    (container,) = body["spec"]["template"]["spec"]["containers"]
    container["env"] = [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]
    container["resources"] = {"limits": {"cpu": "500m"}}
    assert kubectl("apply", "-f", "-", stdin=body) == "deployment.apps/a created\n"
    assert kubectl("apply", "-f", "-", stdin=body) == "deployment.apps/a unchanged\n"
    kubectl("scale", "deployment", "a", "--replicas=5")
    del body["spec"]["replicas"]
    container["env"] = [{"name": "B", "value": "3"}]
    del container["resources"]
    assert kubectl("apply", "-f", "-", stdin=body) == "deployment.apps/a configured\n"
    spec = kubectl.stored("deployments", "a", "apps/v1")["spec"]
    (stored,) = spec["template"]["spec"]["containers"]
    assert (stored["env"], stored["resources"]) == ([{"name": "B", "value": "3"}], {})
    # What apply had set and no longer names goes back to its default.
    assert spec["replicas"] == 1


def test_what_was_not_applied_before(kubectl: Kubectl) -> None:
    kubectl.make(config_map("a"))
    done = kubectl.success("apply", "-f", "-", stdin=config_map("a", {"k": "v"}))
    assert done.stdout == "configmap/a configured\n"
    assert done.stderr.startswith(
        f"Warning: resource configmaps/a is missing the {LAST_APPLIED} annotation which is required by "
    )
    done = kubectl.success("apply", "-f", "-", stdin=config_map("a", {"k": "v"}))
    assert (done.stdout, done.stderr) == ("configmap/a unchanged\n", "")


def test_a_field_that_may_not_change(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", stdin=deployment("a"))
    body = deployment("a")
    body["spec"]["selector"]["matchLabels"] = {"app": "b"}
    body["spec"]["template"]["metadata"]["labels"] = {"app": "b"}
    said = kubectl.fails("apply", "-f", "-", stdin=body)
    assert said == (
        'The Deployment "a" is invalid: spec.selector: Invalid value: {"matchLabels":{"app":"b"}}: field is '
        "immutable\n"
    )


def test_several_at_once(kubectl: Kubectl, tmp_path: Path) -> None:
    (tmp_path / "1.json").write_text(json.dumps(config_map("a", {"k": "v"})))
    (tmp_path / "2.json").write_text(json.dumps(deployment("b")))
    assert kubectl("apply", "-f", str(tmp_path)) == "configmap/a created\ndeployment.apps/b created\n"
    (tmp_path / "1.json").write_text(json.dumps(config_map("a", {"k": "w"})))
    assert kubectl("apply", "-f", str(tmp_path)) == "configmap/a configured\ndeployment.apps/b unchanged\n"


def test_prune(kubectl: Kubectl) -> None:
    def apply(*names: str) -> list[str]:
        items = [config_map(name, labels={"set": "mine"}) for name in names]
        body = {"apiVersion": "v1", "kind": "List", "items": items}
        arguments = ["--prune", "-l", "set=mine", "--prune-allowlist=core/v1/ConfigMap"]
        return kubectl("apply", *arguments, "-f", "-", stdin=body).splitlines()

    kubectl.make(config_map("bystander"))
    assert apply("a", "b") == ["configmap/a created", "configmap/b created"]
    assert apply("b") == ["configmap/b unchanged", "configmap/a pruned"]
    assert kubectl.names("configmaps") == ["b", "bystander"]


def test_what_was_applied_last(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", stdin=config_map("a", {"k": "v"}))
    assert kubectl.json("apply", "view-last-applied", "cm", "a")["data"] == {"k": "v"}
    kubectl.make(config_map("b"))
    assert kubectl("apply", "view-last-applied", "cm", "b") == ""
    body = config_map("b", {"l": "w"})
    said = kubectl("apply", "set-last-applied", "--create-annotation", "-f", "-", stdin=body)
    assert said == "configmap/b configured\n"
    assert kubectl.json("apply", "view-last-applied", "cm", "b")["data"] == {"l": "w"}


def kustomization(folder: Path) -> None:
    (folder / "kustomization.yaml").write_text(
        "namePrefix: my-\n"
        "labels: [{pairs: {by: kustomize}}]\n"
        "resources: [deployment.yaml]\n"
        "configMapGenerator: [{name: settings, literals: [k=v]}]\n"
        "generatorOptions: {disableNameSuffixHash: true}\n"
        "images: [{name: example.com/main, newTag: '7'}]\n"
    )
    (folder / "deployment.yaml").write_text(json.dumps(deployment("web")))


def test_a_kustomization(kubectl: Kubectl, tmp_path: Path) -> None:
    kustomization(tmp_path)
    assert "name: my-web" in kubectl("kustomize", str(tmp_path))
    assert kubectl("apply", "-k", str(tmp_path)) == (
        "configmap/my-settings created\ndeployment.apps/my-web created\n"
    )
    assert kubectl("apply", "-k", str(tmp_path)) == (
        "configmap/my-settings unchanged\ndeployment.apps/my-web unchanged\n"
    )
    assert kubectl.outcome("diff", "-k", str(tmp_path)).code == 0
    made = kubectl.json("get", "-k", str(tmp_path))["items"]
    assert [each["metadata"]["labels"] for each in made] == [{"by": "kustomize"}] * 2
    image = made[1]["spec"]["template"]["spec"]["containers"][0]["image"]
    assert image == "example.com/main:7"
    assert (
        kubectl("delete", "-k", str(tmp_path)).splitlines()[0].startswith('configmap "my-settings" deleted')
    )


def changes(text: str) -> list[str]:
    return [line for line in text.splitlines() if line[:1] in "+-" and line[:3] not in {"+++", "---"}]


def test_diff(kubectl: Kubectl) -> None:
    def diff(body: dict[str, Any], *arguments: str) -> tuple[int, list[str]]:
        done = kubectl.outcome("diff", *arguments, "-f", "-", stdin=body)
        return done.code, changes(done.stdout)

    kubectl("apply", "-f", "-", stdin=config_map("a", {"k": "v", "l": "m"}))
    assert diff(config_map("a", {"k": "v", "l": "m"})) == (0, [])
    assert diff(config_map("a", {"k": "w"})) == (1, ["-  k: v", "-  l: m", "+  k: w"])
    code, lines = diff(config_map("a", {"k": "v", "m": "o"}), "--server-side")
    # The other two are those of the annotation of kubectl.
    assert (code, len(lines), lines[0]) == (1, 3, "+  m: o")
    code, added = diff(config_map("b", {"k": "v"}))
    assert (code, added[:5]) == (
        1,
        ["+apiVersion: v1", "+data:", "+  k: v", "+kind: ConfigMap", "+metadata:"],
    )
    assert data(kubectl, "a") == {"k": "v", "l": "m"}
    assert kubectl.outcome("get", "cm", "b").code == 1


def test_diff_of_what_is_invalid(kubectl: Kubectl) -> None:
    done = kubectl.outcome("diff", "-f", "-", stdin=deployment("a", -1))
    assert done.code > 1 or done.stderr.startswith('The Deployment "a" is invalid: spec.replicas: ')
    assert "must be greater than or equal to 0" in done.stderr
