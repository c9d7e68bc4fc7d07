"""What a type checker must see of the client. Not run: `test_typing.py` gives it to mypy in strict mode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_type

from kubewright import Api, Client, Resource, Status, Unstructured
from kubewright.client.forms import Listed
from kubewright.client.listing import Listing
from kubewright.machinery.table import PartialObjectMetadata
from kubewright.machinery.watch import WatchEvent
from kubewright.models.apps_v1 import Deployment
from kubewright.models.autoscaling_v1 import Scale
from kubewright.models.core_v1 import Pod
from kubewright.sync import Api as BlockingApi
from kubewright.sync import Client as BlockingClient


class Widget(Resource, api_version="example.com/v1", plural="widgets"):
    """A kind of one's own."""


async def asked(client: Client) -> None:
    pods = client.api(Pod, "default")
    assert_type(pods, Api[Pod])
    assert_type(client.core_v1.pods("default"), Api[Pod])
    assert_type(client.apps_v1.deployments(), Api[Deployment])
    assert_type(client.dynamic("v1", "Pod"), Api[Unstructured])
    assert_type(await client.resource("deploy"), Api[Unstructured])
    assert_type(client.api(Widget), Api[Widget])
    assert_type(await pods.get("a"), Pod)
    assert_type(await pods.create({"metadata": {"name": "a"}}), Pod)
    assert_type(await pods.patch("a", {}), Pod)
    assert_type(await pods.apply({}, manager="me"), Pod)
    assert_type(await pods.delete("a"), Pod | Status)
    assert_type(pods.list(), Listing[Pod])
    async for pod in pods.list(labels={"app": "web"}):
        assert_type(pod, Pod)
    async for page in pods.list().pages():
        assert_type(page, Listed[Pod])
    async for event in pods.watch():
        assert_type(event, WatchEvent[Pod])
        assert_type(event.object.spec.node_name, str)
    assert_type(await pods.metadata().get("a"), PartialObjectMetadata)
    assert_type(await client.apps_v1.deployments("x").scale("web"), Scale)
    assert_type(await pods.wait_for("a", "Ready", timeout=1), Pod)
    async for line in pods.logs("a", follow=True):
        assert_type(line, str)
    await pods.get(3)  # type: ignore[arg-type]
    await pods.get("a", resourceVersion="0")  # type: ignore[call-arg]
    await pods.create(Deployment.from_dict({}))  # type: ignore[arg-type]
    await pods.delete("a", propagation="Slowly")  # type: ignore[arg-type]


def blocked(client: BlockingClient) -> None:
    pods = client.api(Pod, "default")
    assert_type(pods, BlockingApi[Pod])
    assert_type(client.core_v1.pods("default"), BlockingApi[Pod])
    assert_type(client.resource("deploy"), BlockingApi[Unstructured])
    assert_type(pods.get("a", resource_version="0"), Pod)
    assert_type(pods.delete("a"), Pod | Status)
    for pod in pods.list(labels="app=web"):
        assert_type(pod, Pod)
    assert_type(pods.watch(), Iterator[WatchEvent[Pod]])
    assert_type(pods.logs("a"), Iterator[str])
    assert_type(pods.metadata().get("a"), PartialObjectMetadata)
    assert_type(client.apps_v1.deployments("x").scale("web"), Scale)
    pods.get(3)  # type: ignore[arg-type]
    pods.get("a", resourceVersion="0")  # type: ignore[call-arg]
    with pods.exec_stream("a", ["sh"], stdin=True) as session:
        session.write("ls")
        assert_type(session.exit_code, int | None)
    with pods.port_forward("a", 8080) as forward:
        assert_type(forward.local_port(8080), int)
