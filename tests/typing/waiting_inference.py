"""What a type checker must see of waiting. Not run: `test_waiting.py` gives it to mypy in strict mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_type

from kubewright import Client, Unstructured
from kubewright.models.core_v1 import Pod
from kubewright.sync import Client as BlockingClient


async def asked(client: Client, condition: str, is_so: Callable[[Pod], bool]) -> None:
    pods = client.api(Pod, "default")
    assert_type(await pods.wait_for("a", "Ready", timeout=1), Pod)
    assert_type(await pods.wait_for("a", "Ready=False", timeout=1), Pod)
    assert_type(await pods.wait_for("a", lambda pod: pod.spec.node_name != "", timeout=1), Pod)
    assert_type(await pods.wait_for("a", is_so, timeout=1), Pod)
    assert_type(await pods.wait_for("a", condition, timeout=1), Pod)
    assert_type((await pods.wait_for("a", "Ready", timeout=1)).spec.node_name, str)
    assert_type(await client.dynamic("v1", "Pod").wait_for("a", "Ready", timeout=1), Unstructured)
    await pods.wait_for("a", "deleted", timeout=1)
    gone = await pods.wait_for("a", "deleted", timeout=1)  # type: ignore[func-returns-value]
    assert_type(gone, None)
    await pods.wait_for("a", 5, timeout=1)  # type: ignore[call-overload]
    await pods.wait_for("a", "Ready")  # type: ignore[call-overload]


def blocked(client: BlockingClient, is_so: Callable[[Pod], bool]) -> None:
    pods = client.api(Pod, "default")
    assert_type(pods.wait_for("a", "Ready", timeout=1), Pod)
    assert_type(pods.wait_for("a", is_so, timeout=1), Pod)
    assert_type(pods.wait_for("a", "Ready", timeout=1).spec.node_name, str)
    pods.wait_for("a", "deleted", timeout=1)
    assert_type(pods.wait_for("a", "deleted", timeout=1), None)
