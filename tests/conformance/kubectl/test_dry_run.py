"""Commands that only look as if: --dry-run; and how strictly fields are checked: --validate."""

from __future__ import annotations

import pytest

from tests.conformance.client import Client
from tests.conformance.kubectl.program import Kubectl
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map, deployment, pod

# Each kubectl takes a tenth of a second: `make test` runs some files of this folder, `make test-real` all.
pytestmark = pytest.mark.slow


def test_creates(kubectl: Kubectl) -> None:
    body = config_map("a", {"k": "v"})
    assert kubectl("create", "--dry-run=server", "-f", "-", stdin=body) == (
        "configmap/a created (server dry run)\n"
    )
    assert kubectl("create", "--dry-run=client", "-f", "-", stdin=body) == "configmap/a created (dry run)\n"
    assert kubectl("apply", "--dry-run=server", "-f", "-", stdin=body) == (
        "configmap/a created (server dry run)\n"
    )
    assert kubectl("run", "p", "--image=x", "--dry-run=server") == "pod/p created (server dry run)\n"
    assert kubectl("get", "cm,pods", "-o", "name") == ""


def test_what_the_server_would_make(kubectl: Kubectl) -> None:
    arguments = ["job", "j", "--image=x", "-o", "jsonpath={.spec.suspend}"]
    assert kubectl("create", *arguments, "--dry-run=server") == "false"
    assert kubectl("create", *arguments, "--dry-run=client") == ""


def test_changes(kubectl: Kubectl, client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("a", {"k": "v"}))
    namespace.create(namespace.deployments, deployment("d", 1))

    def stored() -> list[object]:
        # Without the revisions of the lists: the server writes, too, and not in this namespace alone.
        paths = [namespace.config_maps, namespace.deployments]
        return [client.get(path).json()["items"] for path in paths]

    before = stored()
    dry = "--dry-run=server"
    assert kubectl("label", "cm", "a", "x=y", dry) == "configmap/a labeled (server dry run)\n"
    assert kubectl("patch", "cm", "a", "-p", '{"data": {"k": "w"}}', dry).startswith("configmap/a patched")
    assert kubectl("replace", dry, "-f", "-", stdin=config_map("a")) == (
        "configmap/a replaced (server dry run)\n"
    )
    assert kubectl("set", "image", "deploy/d", "main=x", dry) == (
        "deployment.apps/d image updated (server dry run)\n"
    )
    assert (
        kubectl("scale", "deploy", "d", "--replicas=9", dry) == "deployment.apps/d scaled (server dry run)\n"
    )
    said = kubectl("delete", "cm", "a", dry)
    assert said.startswith('configmap "a" deleted')
    assert said.endswith(" (server dry run)\n")
    assert stored() == before


def test_what_the_server_would_refuse(kubectl: Kubectl) -> None:
    assert kubectl.fails("create", "--dry-run=server", "-f", "-", stdin=deployment("d", -1)) == (
        'The Deployment "d" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to '
        "0\n"
    )


BAD = {**config_map("bad", {"k": "v"}, nope=1), "foo": {"bar": 2}}


@pytest.mark.parametrize("how", ["strict", "true"])
def test_strict(kubectl: Kubectl, how: str) -> None:
    said = kubectl.fails("create", "--dry-run=server", f"--validate={how}", "-f", "-", stdin=BAD)
    assert said == (
        'Error from server (BadRequest): error when creating "STDIN": ConfigMap in version "v1" cannot be '
        'handled as a ConfigMap: strict decoding error: unknown field "foo", unknown field "metadata.nope"\n'
    )


def test_warn(kubectl: Kubectl) -> None:
    done = kubectl.success("apply", "--validate=warn", "-f", "-", stdin=BAD)
    assert done.stdout == "configmap/bad created\n"
    assert done.stderr.splitlines() == [
        'Warning: unknown field "foo"',
        'Warning: unknown field "metadata.nope"',
    ]
    done = kubectl.success("replace", "--validate=warn", "-f", "-", stdin=BAD)
    assert done.stderr.splitlines() == [
        'Warning: unknown field "foo"',
        'Warning: unknown field "metadata.nope"',
    ]
    done = kubectl.success("patch", "cm", "bad", "-p", '{"x": 1}')
    assert (done.stdout, done.stderr) == (
        "configmap/bad patched (no change)\n",
        'Warning: unknown field "x"\n',
    )


@pytest.mark.parametrize("how", ["ignore", "false"])
def test_ignore(kubectl: Kubectl, how: str) -> None:
    done = kubectl.success("create", "--dry-run=server", f"--validate={how}", "-f", "-", stdin=BAD)
    assert (done.stdout, done.stderr) == ("configmap/bad created (server dry run)\n", "")


def test_types_are_always_checked(kubectl: Kubectl) -> None:
    body = {**config_map("a"), "data": {"k": 3}}
    said = kubectl.fails("create", "--validate=ignore", "-f", "-", stdin=body)
    assert said == (
        'Error from server (BadRequest): error when creating "STDIN": ConfigMap in version "v1" cannot be '
        "handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type "
        "string\n"
    )


def test_warnings_of_the_server(kubectl: Kubectl) -> None:
    twice = [{"name": "A"}, {"name": "A"}]
    spec = {
        "nodeSelector": {"beta.kubernetes.io/os": "linux"},
        "containers": [{"name": "c", "image": "x", "env": twice}],
    }
    done = kubectl.success("apply", "-f", "-", stdin=pod("p", spec))
    assert done.stdout == "pod/p created\n"
    assert done.stderr == (
        "Warning: spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "
        '"kubernetes.io/os" instead\n'
        'Warning: spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when '
        "using apply\n"
    )


def test_warnings_of_versions(kubectl: Kubectl) -> None:
    body = {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "e"}}
    said = "Warning: v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice\n"
    assert kubectl.success("create", "-f", "-", stdin=body).stderr == said
    assert kubectl.success("get", "endpoints", "e").stderr == said
    done = kubectl.outcome("get", "endpoints", "--warnings-as-errors")
    assert (done.code, "1 warning received" in done.stderr) == (1, True)
