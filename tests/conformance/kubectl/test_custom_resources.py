"""A CustomResourceDefinition and its resources, all through with kubectl."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.kubectl.output import described, rows, table
from tests.conformance.kubectl.program import Kubectl
from tests.conformance.namespaces import unique
from tests.conformance.waiting import eventually

pytestmark = pytest.mark.slow

SPEC: dict[str, Any] = {
    "type": "object",
    "description": "What is wanted.",
    "required": ["size"],
    "properties": {
        "size": {"type": "integer", "minimum": 1, "maximum": 9, "description": "How large it is."},
        "color": {"type": "string", "default": "red", "enum": ["red", "blue"]},
        "replicas": {"type": "integer"},
        "parts": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "items": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string"}, "count": {"type": "integer"}},
            },
        },
    },
    "x-kubernetes-validations": [
        {"rule": "self.size <= 5 || self.color == 'blue'", "message": "big ones are blue"}
    ],
}
STATUS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "replicas": {"type": "integer"},
        "selector": {"type": "string"},
        "conditions": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"type": {"type": "string"}, "status": {"type": "string"}},
            },
        },
    },
}


class Gadgets:
    """The definition, and gadgets of it."""

    def __init__(self) -> None:
        word = unique("g").replace("-", "")
        self.group = f"{word}.example.com"
        self.resource = f"gadgets.{self.group}"
        self.short = f"{word}s"
        self.category = f"{word}all"

    def definition(self) -> dict[str, Any]:
        """It has a schema with a rule, both subresources, columns, a short name and a category."""
        description = "Gadget is what this is about."
        properties = {"spec": SPEC, "status": STATUS}
        schema = {"type": "object", "description": description, "properties": properties}
        scale = {
            "specReplicasPath": ".spec.replicas",
            "statusReplicasPath": ".status.replicas",
            "labelSelectorPath": ".status.selector",
        }
        columns = [
            {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
            {"name": "Color", "type": "string", "jsonPath": ".spec.color", "priority": 1},
            {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
        ]
        version = {
            "name": "v1",
            "served": True,
            "storage": True,
            "schema": {"openAPIV3Schema": schema},
            "subresources": {"status": {}, "scale": scale},
            "additionalPrinterColumns": columns,
            "selectableFields": [{"jsonPath": ".spec.color"}],
        }
        names = {
            "plural": "gadgets",
            "singular": "gadget",
            "kind": "Gadget",
            "shortNames": [self.short],
            "categories": [self.category],
        }
        return {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": self.resource},
            "spec": {"group": self.group, "scope": "Namespaced", "names": names, "versions": [version]},
        }

    def gadget(self, name: str, **spec: Any) -> dict[str, Any]:
        return {
            "apiVersion": f"{self.group}/v1",
            "kind": "Gadget",
            "metadata": {"name": name},
            "spec": {"size": 1, **spec},
        }


@pytest.fixture(scope="module")
def gadgets(cluster_kubectl: Kubectl) -> Gadgets:
    """Definitions are made as users make them: apply, then wait."""
    made = Gadgets()
    named = f"customresourcedefinition.apiextensions.k8s.io/{made.resource}"
    assert cluster_kubectl("apply", "-f", "-", stdin=made.definition()) == f"{named} created\n"
    said = cluster_kubectl("wait", f"crd/{made.resource}", "--for=condition=Established", "--timeout=120s")
    assert said == f"{named} condition met\n"
    eventually(
        lambda: made.resource in cluster_kubectl("api-resources", f"--api-group={made.group}", "-o", "name"),
        "the definition is not served",
    )
    return made


def test_the_definition(cluster_kubectl: Kubectl, gadgets: Gadgets) -> None:
    named = f"customresourcedefinition.apiextensions.k8s.io/{gadgets.resource}"
    (line,) = cluster_kubectl("get", "crd", gadgets.resource, "--no-headers").splitlines()
    assert line.split()[0] == gadgets.resource
    assert cluster_kubectl("apply", "-f", "-", stdin=gadgets.definition()) == f"{named} unchanged\n"
    lines = described(cluster_kubectl("describe", "crd", gadgets.resource))
    assert {f"Name: {gadgets.resource}", "Kind: Gadget", "Type: Established"} <= set(lines)


def test_it_is_discovered(cluster_kubectl: Kubectl, gadgets: Gadgets) -> None:
    group = f"--api-group={gadgets.group}"
    verbs = "delete,deletecollection,get,list,patch,create,update,watch"
    assert table(cluster_kubectl("api-resources", group, "-o", "wide")) == [
        ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND", "VERBS", "CATEGORIES"],
        ["gadgets", gadgets.short, f"{gadgets.group}/v1", "true", "Gadget", verbs, gadgets.category],
    ]
    assert f"{gadgets.group}/v1" in cluster_kubectl("api-versions").split()


def test_create_and_get(kubectl: Kubectl, gadgets: Gadgets) -> None:
    named = f"gadget.{gadgets.group}/a"
    assert kubectl("create", "-f", "-", stdin=gadgets.gadget("a", size=3)) == f"{named} created\n"
    assert table(kubectl("get", gadgets.resource)) == [["NAME", "SIZE", "AGE"], ["a", "3", "-"]]
    assert table(kubectl("get", gadgets.short, "-o", "wide")) == [
        ["NAME", "SIZE", "COLOR", "AGE"],
        ["a", "3", "red", "-"],
    ]
    assert kubectl("get", gadgets.category, "-o", "name") == f"{named}\n"
    assert kubectl("get", f"gadgets.v1.{gadgets.group}", "a", "-o", "jsonpath={.spec}") == (
        '{"color":"red","size":3}'
    )
    kubectl.make(gadgets.gadget("b", color="blue"))
    assert rows(kubectl("get", gadgets.short, "--field-selector=spec.color=blue")) == [["b", "1", "-"]]
    lines = described(kubectl("describe", gadgets.short, "a"))
    assert lines[:2] == ["Name: a", f"Namespace: {kubectl.namespace}"]
    assert lines[-4:] == ["Spec:", "Color: red", "Size: 3", "Events: <none>"]


def test_explain(cluster_kubectl: Kubectl, gadgets: Gadgets) -> None:
    # The OpenAPI documents follow the definition a little later.
    eventually(lambda: cluster_kubectl.outcome("explain", gadgets.resource).code == 0, "nothing is explained")
    lines = cluster_kubectl("explain", gadgets.resource).splitlines()
    assert lines[:6] == [
        f"GROUP:      {gadgets.group}",
        "KIND:       Gadget",
        "VERSION:    v1",
        "",
        "DESCRIPTION:",
        "    Gadget is what this is about.",
    ]
    assert "  spec\t<Object>" in lines
    lines = cluster_kubectl("explain", f"{gadgets.resource}.spec.size").splitlines()
    assert lines[4:9] == ["FIELD: size <integer>", "", "", "DESCRIPTION:", "    How large it is."]
    recursive = cluster_kubectl("explain", gadgets.resource, "--recursive").splitlines()
    fields = recursive[recursive.index("  spec\t<Object>") :]
    assert [line for line in fields if "enum:" not in line] == [
        "  spec\t<Object>",
        "    color\t<string>",
        "    parts\t<[]Object>",
        "      count\t<integer>",
        "      name\t<string> -required-",
        "    replicas\t<integer>",
        "    size\t<integer> -required-",
        "  status\t<Object>",
        "    conditions\t<[]Object>",
        "      status\t<string>",
        "      type\t<string>",
        "    replicas\t<integer>",
        "    selector\t<string>",
        "",
    ]
    done = cluster_kubectl.outcome("explain", f"{gadgets.resource}.spec.nope")
    assert (done.code, done.stderr) == (1, 'error: field "nope" does not exist\n')


def test_apply(kubectl: Kubectl, gadgets: Gadgets) -> None:
    named = f"gadget.{gadgets.group}/a"
    parts = [{"name": "x", "count": 1}, {"name": "y"}]
    body = gadgets.gadget("a", parts=parts, replicas=2)
    assert kubectl("apply", "-f", "-", stdin=body) == f"{named} created\n"
    assert kubectl("apply", "-f", "-", stdin=body) == f"{named} unchanged\n"
    assert kubectl.outcome("diff", "-f", "-", stdin=body).code == 0
    changed = gadgets.gadget("a", size=2)
    done = kubectl.outcome("diff", "-f", "-", stdin=changed)
    assert (done.code, "+  size: 2" in done.stdout.splitlines()) == (1, True)
    assert kubectl("apply", "-f", "-", stdin=changed) == f"{named} configured\n"
    assert kubectl.stored("gadgets", "a", f"{gadgets.group}/v1")["spec"] == {"color": "red", "size": 2}


def test_server_side_apply(kubectl: Kubectl, gadgets: Gadgets) -> None:
    def apply(manager: str, *arguments: str, **spec: Any) -> str:
        body = gadgets.gadget("a", **spec)
        return kubectl(
            "apply", "--server-side", f"--field-manager={manager}", *arguments, "-f", "-", stdin=body
        )

    apply("one", parts=[{"name": "x", "count": 1}])
    apply("two", parts=[{"name": "y", "count": 2}])
    parts = kubectl.stored("gadgets", "a", f"{gadgets.group}/v1")["spec"]["parts"]
    assert parts == [{"name": "x", "count": 1}, {"name": "y", "count": 2}]
    body = gadgets.gadget("a", parts=[{"name": "x", "count": 5}])
    said = kubectl.fails("apply", "--server-side", "--field-manager=two", "-f", "-", stdin=body)
    assert said.splitlines()[0] == (
        'error: Apply failed with 1 conflict: conflict with "one": .spec.parts[name="x"].count'
    )
    apply("two", "--force-conflicts", parts=[{"name": "x", "count": 5}])
    parts = kubectl.stored("gadgets", "a", f"{gadgets.group}/v1")["spec"]["parts"]
    assert parts == [{"name": "x", "count": 5}]


def test_patch_label_and_edit(kubectl: Kubectl, gadgets: Gadgets, tmp_path: Path) -> None:
    named = f"gadget.{gadgets.group}/a"
    kubectl.make(gadgets.gadget("a"))
    patch = json.dumps({"spec": {"size": 2}})
    assert kubectl("patch", gadgets.short, "a", "--type=merge", "-p", patch) == f"{named} patched\n"
    operations = json.dumps([{"op": "replace", "path": "/spec/size", "value": 3}])
    assert kubectl("patch", gadgets.short, "a", "--type=json", "-p", operations) == f"{named} patched\n"
    said = kubectl.fails("patch", gadgets.short, "a", "-p", patch)
    assert said == (
        f"error: application/strategic-merge-patch+json is not supported by {gadgets.group}/v1, Kind=Gadget: "
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml\n"
    )
    assert kubectl("label", gadgets.short, "a", "x=y") == f"{named} labeled\n"
    assert kubectl("annotate", gadgets.short, "a", "x=y") == f"{named} annotated\n"
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i 's/size: 3/size: 4/' \"$1\"\n")
    editor.chmod(0o755)
    assert kubectl.with_variables(KUBE_EDITOR=str(editor))("edit", gadgets.short, "a") == f"{named} edited\n"
    assert rows(kubectl("get", gadgets.short, "-l", "x=y")) == [["a", "4", "-"]]


def test_status_and_wait(kubectl: Kubectl, gadgets: Gadgets) -> None:
    kubectl.make(gadgets.gadget("a"))
    patch = json.dumps({"status": {"conditions": [{"type": "Ready", "status": "True"}]}, "spec": {"size": 9}})
    arguments = ["--subresource=status", "--type=merge", "-p", patch]
    with kubectl.start("wait", f"{gadgets.short}/a", "--for=condition=Ready", "--timeout=120s") as wait:
        kubectl("patch", gadgets.short, "a", *arguments)
        assert wait.line() == f"gadget.{gadgets.group}/a condition met"
    stored = kubectl.stored("gadgets", "a", f"{gadgets.group}/v1")
    assert (stored["spec"]["size"], stored["metadata"]["generation"]) == (1, 1)


def test_scale(kubectl: Kubectl, gadgets: Gadgets) -> None:
    kubectl.make(gadgets.gadget("a", replicas=1))
    assert kubectl("scale", gadgets.resource, "a", "--replicas=3") == f"gadget.{gadgets.group}/a scaled\n"
    assert kubectl.stored("gadgets", "a", f"{gadgets.group}/v1")["spec"]["replicas"] == 3
    assert kubectl.fails("scale", f"{gadgets.short}/a", "--current-replicas=1", "--replicas=4") == (
        "error: Expected replicas to be 1, was 3\n"
    )
    assert table(kubectl("get", gadgets.short, "a", "--subresource=scale")) == [
        ["NAME", "DESIRED", "AVAILABLE", "AGE"],
        ["a", "3", "0", "-"],
    ]


NOT_CHECKED = (
    "* <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)


def test_what_is_invalid(kubectl: Kubectl, gadgets: Gadgets) -> None:
    body = gadgets.gadget("a", size=0, color="green")
    first, *errors = kubectl.fails("create", "-f", "-", stdin=body).splitlines()
    assert first == 'The Gadget "a" is invalid: '
    # In any order, as fields are checked.
    assert sorted(errors) == [
        NOT_CHECKED,
        '* spec.color: Unsupported value: "green": supported values: "red", "blue"',
        "* spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1",
    ]
    said = kubectl.fails("create", "-f", "-", stdin=gadgets.gadget("a", size=7))
    assert said == 'The Gadget "a" is invalid: spec: Invalid value: big ones are blue\n'
    body = gadgets.gadget("a", nope=1)
    said = kubectl.fails("create", "-f", "-", stdin=body)
    assert said == (
        'Error from server (BadRequest): error when creating "STDIN": Gadget in version "v1" cannot be '
        'handled as a Gadget: strict decoding error: unknown field "spec.nope"\n'
    )
    done = kubectl.success("create", "--validate=warn", "-f", "-", stdin=body)
    assert done.stderr == 'Warning: unknown field "spec.nope"\n'


def test_watch(kubectl: Kubectl, gadgets: Gadgets) -> None:
    with kubectl.start("get", gadgets.short, "-w", "--output-watch-events") as watch:
        kubectl.make(gadgets.gadget("a"))
        assert watch.line().split() == ["EVENT", "NAME", "SIZE", "AGE"]
        assert watch.line().split()[:3] == ["ADDED", "a", "1"]
        kubectl("delete", gadgets.short, "a")
        assert watch.line().split()[:3] == ["DELETED", "a", "1"]


def test_delete(cluster_kubectl: Kubectl, kubectl: Kubectl) -> None:
    gadgets = Gadgets()
    cluster_kubectl("create", "-f", "-", stdin=gadgets.definition())
    cluster_kubectl("wait", f"crd/{gadgets.resource}", "--for=condition=Established", "--timeout=120s")
    body = {
        "apiVersion": "v1",
        "kind": "List",
        "items": [gadgets.gadget("a"), gadgets.gadget("b")],
    }
    eventually(lambda: kubectl.outcome("apply", "-f", "-", stdin=body).code == 0, "not served")
    said = kubectl("delete", gadgets.resource, "a")
    assert said.startswith(f'gadget.{gadgets.group} "a" deleted')
    said = cluster_kubectl("delete", "crd", gadgets.resource)
    assert said == f'customresourcedefinition.apiextensions.k8s.io "{gadgets.resource}" deleted\n'
    eventually(
        lambda: "doesn't have a resource type" in kubectl.outcome("get", gadgets.resource).stderr,
        "it is still served",
    )
