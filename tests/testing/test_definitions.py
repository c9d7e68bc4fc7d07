"""Kinds made known to a cluster."""

from __future__ import annotations

import pytest

from kubewright import AlreadyExists, Client
from kubewright.models.core_v1 import Pod
from kubewright.testing import define
from kubewright.webhooks import WebhookServer
from tests.webhooks.test_development import Lamp, OldLamp


async def test_its_objects_can_be_written_at_once(kube: Client) -> None:
    await define(kube, Lamp)
    await kube.api(Lamp, "default").create({"metadata": {"name": "desk"}, "spec": {}})
    with pytest.raises(AlreadyExists):
        await define(kube, Lamp)


async def test_conversions_by_a_webhook(kube: Client) -> None:
    async with WebhookServer() as webhooks:
        webhooks.add_conversion(Lamp)
        await define(kube, Lamp, webhooks=webhooks)
        await kube.api(Lamp, "default").create({"metadata": {"name": "desk"}, "spec": {"watts": 11}})
        assert (await kube.api(OldLamp, "default").get("desk")).spec.power == 11


async def test_what_is_no_custom_resource(kube: Client) -> None:
    with pytest.raises(TypeError, match="Pod is no custom resource"):
        await define(kube, Pod)
