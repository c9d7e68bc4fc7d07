"""Images in rendered objects, and which webhooks would keep an operator from being deployed."""

from __future__ import annotations

from typing import Any

import pytest

from kubewright.cli.deployment.deploying import blocks_rollout
from kubewright.cli.deployment.rendering import RenderError, check_image, has_placeholder, set_image
from kubewright.client.manifests import Manifest, read_manifests
from kubewright.machinery import yaml
from kubewright.machinery.errors import ParseError

DIGEST = f"sha256:{'0f' * 32}"


@pytest.mark.parametrize(
    "image",
    [
        "nginx",
        "operator-demo:v1",
        "registry.example.com:5000/team/operator_demo:v1.2.3-rc.1_x",
        f"localhost:5000/x@{DIGEST}",
        f"Registry.example.com/x:v1@{DIGEST}",
    ],
)
def test_references_to_images(image: str) -> None:
    assert check_image(image) == image


@pytest.mark.parametrize(
    "image", ["", " x", "x:", "x y", "Upper", "https://x/y", "x@sha256:12", "-x", "x/../y", "x\n"]
)
def test_what_is_no_reference_to_an_image(image: str) -> None:
    with pytest.raises(ParseError, match="is no reference to an image; write registry/name:tag"):
        check_image(image)


def deployment(*containers: dict[str, Any], first: dict[str, Any] | None = None) -> list[Manifest]:
    pod = {"containers": list(containers), "initContainers": [first] if first else []}
    data = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "x"},
        "spec": {"template": {"spec": pod}},
    }
    return read_manifests(yaml.dump(data))


def images(manifests: list[Manifest]) -> list[str]:
    pod = manifests[0].data["spec"]["template"]["spec"]
    return [each["image"] for each in (*pod["initContainers"], *pod["containers"])]


class TestSetImage:
    def test_the_placeholder_wherever_it_is(self) -> None:
        made = deployment(
            {"name": "manager", "image": "controller:latest"},
            {"name": "proxy", "image": "example.com/controller:v1"},
            first={"name": "migrate", "image": f"controller@{DIGEST}"},
        )
        assert has_placeholder(made)
        set_image(made, "own:v1")
        assert images(made) == ["own:v1", "own:v1", "example.com/controller:v1"]
        assert not has_placeholder(made)

    def test_the_manager_where_there_is_no_placeholder(self) -> None:
        made = deployment({"name": "proxy", "image": "p"}, {"name": "manager", "image": "mine:v1"})
        assert not has_placeholder(made)
        set_image(made, "mine:v2")
        assert images(made) == ["p", "mine:v2"]

    def test_nowhere_to_put_it(self) -> None:
        with pytest.raises(RenderError, match="nowhere to put mine:v2; give the operator's container"):
            set_image(deployment({"name": "proxy", "image": "p"}), "mine:v2")


@pytest.mark.parametrize(
    ("group", "resource", "policy", "blocks"),
    [
        ("zhhnzw.mock.com", "custompods", "Fail", False),
        ("zhhnzw.mock.com", "*", "Fail", False),
        ("", "pods", "Fail", True),
        ("", "pods", "Ignore", False),
        ("", "configmaps", "Fail", False),
        ("apps", "replicasets", "Fail", True),
        ("*", "*", "Fail", True),
        ("*", "leases", "Fail", True),
        ("*", "*/*", "Fail", True),
        ("", "pods/*", "Fail", True),
    ],
)
def test_webhooks_that_would_wait_for_themselves(
    group: str, resource: str, policy: str, blocks: bool
) -> None:
    rule = {"apiGroups": [group], "resources": [resource], "operations": ["CREATE"]}
    assert blocks_rollout({"webhooks": [{"rules": [rule], "failurePolicy": policy}]}) is blocks
    if policy == "Fail":
        # Which is what it is when it is not said.
        assert blocks_rollout({"webhooks": [{"rules": [rule]}]}) is blocks
