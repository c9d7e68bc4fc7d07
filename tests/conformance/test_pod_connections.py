"""Logs and streams of pods, as far as they go without a kubelet: options, upgrades, and who may connect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.conformance.authorization.policies import as_user, binding, create, in_force, role, rule, subject
from tests.conformance.client import Client
from tests.conformance.namespaces import Namespace, unique
from tests.conformance.objects import pod
from tests.conformance.statuses import assert_failure, assert_invalid, cause, not_found

STREAMS = ["exec", "attach", "portforward"]
NOT_ALLOWED = "the server does not allow this method on the requested resource"


@pytest.fixture
def path(client: Client, namespace: Namespace) -> Iterator[str]:
    """A pod with three containers on a node where nobody listens."""
    node = unique("node")
    client.post("/api/v1/nodes", {"metadata": {"name": node}})
    address = {"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}]}
    endpoint = {"daemonEndpoints": {"kubeletEndpoint": {"Port": 1}}}
    client.patch(f"/api/v1/nodes/{node}/status", {"status": {**address, **endpoint}})
    containers = [{"name": name, "image": "x"} for name in ("one", "two")]
    spec = {"nodeName": node, "containers": containers, "initContainers": [{"name": "init", "image": "x"}]}
    namespace.create(namespace.pods, pod("a", spec))
    yield f"{namespace.pods}/a"
    client.delete(f"/api/v1/nodes/{node}")


@pytest.mark.parametrize("what", ["log", "exec", "attach"])
def test_which_container_is_meant(client: Client, path: str, what: str) -> None:
    message = "a container name must be specified for pod a, choose one of: [init one two]"
    assert_failure(client.get(f"{path}/{what}", stdout="true"), 400, "BadRequest", message)
    response = client.get(f"{path}/{what}", container="three", stdout="true")
    assert_failure(response, 400, "BadRequest", "container three is not valid for pod a")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tailLines": "abc"}, 'strconv.ParseInt: parsing "abc": invalid syntax'),
        ({"limitBytes": "9" * 20}, f'strconv.ParseInt: parsing "{"9" * 20}": value out of range'),
        (
            {"sinceTime": "abc"},
            'parsing time "abc" as "2006-01-02T15:04:05Z07:00": cannot parse "abc" as "2006"',
        ),
    ],
)
def test_options_of_logs_that_cannot_be_read(
    client: Client, path: str, options: dict[str, Any], message: str
) -> None:
    assert_failure(client.get(f"{path}/log", container="one", **options), 400, "BadRequest", message)


def test_options_of_logs_that_are_wrong(client: Client, path: str) -> None:
    response = client.get(f"{path}/log", container="one", sinceSeconds="1", sinceTime="2026-01-01T00:00:00Z")
    message = "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified"
    assert_invalid(response, "PodLogOptions", "a", cause("FieldValueForbidden", message, "[]"))
    response = client.get(f"{path}/log", container="one", stream="Stdout")
    message = "Forbidden: may not be specified"
    assert_invalid(response, "PodLogOptions", "a", cause("FieldValueForbidden", message, "stream"))
    response = client.get(f"{path}/log", container="one", tailLines="-1", limitBytes="0")
    assert response.status == 422
    assert [each["field"] for each in response.json()["details"]["causes"]] == ["tailLines", "limitBytes"]
    # They are looked at before the pod is.
    assert client.get(f"{path}x/log", tailLines="-1").status == 422
    assert client.get(f"{path}x/log").json() == not_found("pods", "ax")


def test_methods(client: Client, path: str) -> None:
    assert_failure(client.post(f"{path}/log", None), 405, "MethodNotAllowed", NOT_ALLOWED, {})
    for stream in STREAMS:
        for method in ("PUT", "DELETE"):
            response = client.request(method, f"{path}/{stream}")
            assert_failure(response, 405, "MethodNotAllowed", NOT_ALLOWED, {})


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("stream", STREAMS)
def test_streams_need_an_upgrade(client: Client, path: str, stream: str, method: str) -> None:
    query: dict[str, Any] = {"container": "one", "command": "ls", "stdout": "true"}
    response = client.request(method, f"{path}/{stream}", **query)
    assert_failure(response, 400, "BadRequest", "Upgrade request required")


@pytest.mark.parametrize("stream", STREAMS)
def test_who_may_get_may_not_connect(client: Client, namespace: Namespace, path: str, stream: str) -> None:
    user, other = unique("getter"), unique("creator")
    for name, verbs in ((user, "get"), (other, "get create")):
        allowed = role(name, rule(verbs, "core", f"pods/{stream}"), namespace=namespace.name)
        bound = binding(name, name, subject("User", name), namespace=namespace.name, kind="Role")
        create(client, allowed, bound)
    asked = {"namespace": namespace.name, "resource": "pods", "subresource": stream}
    in_force(client, user, verb="get", **asked)
    in_force(client, other, verb="create", **asked)
    query: dict[str, Any] = {"container": "one", "command": "ls", "stdout": "true"}
    details = {"name": "a", "kind": "pods"}
    response = client.get(f"{path}/{stream}", headers=as_user(user), **query)
    assert_failure(response, 403, "Forbidden", 'pods "a" is forbidden: ', details)
    # Before it is asked whether there is such a pod.
    assert client.get(f"{path}x/{stream}", headers=as_user(user), **query).status == 403
    response = client.get(f"{path}/{stream}", headers=as_user(other), **query)
    assert_failure(response, 400, "BadRequest", "Upgrade request required")
