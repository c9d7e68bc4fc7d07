"""Webhooks that an API server on the same machine asks for as long as a program runs."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from kubewright import ApiError, Client, Manager, Resource, Struct, custom_resource
from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from kubewright.testing import Cluster, define
from kubewright.webhooks import Denied, Review, WebhookServer, install_while_running, validating
from tests.controllers.running import PATIENCE, until


class LampSpec(Struct):
    watts: int = 40


class OldLampSpec(Struct):
    power: int = 40


@custom_resource(group="development.example.com", version="v1beta1", kind="Lamp", storage=False)
class OldLamp(Resource):
    spec: OldLampSpec

    def to_hub(self) -> Lamp:
        return Lamp(spec=LampSpec(watts=self.spec.power))

    @classmethod
    def from_hub(cls, hub: Lamp) -> OldLamp:
        return cls(spec=OldLampSpec(power=hub.spec.watts))


@custom_resource(group="development.example.com", version="v1", versions=[OldLamp])
class Lamp(Resource):
    spec: LampSpec


@validating(Lamp)
async def check(review: Review[Lamp]) -> None:
    if review.object.spec.watts > 100:
        raise Denied("too bright")


def has_webhook(definition: CustomResourceDefinition) -> bool:
    return definition.spec.conversion is not None and definition.spec.conversion.strategy == "Webhook"


def test_they_are_asked_and_convert_while_it_runs_and_no_longer() -> None:
    async def main() -> None:
        async with Cluster(controllers="none") as cluster, Client(cluster.config) as client:
            await define(client, Lamp)
            definitions, lamps = client.api(CustomResourceDefinition), client.api(Lamp, "default")
            webhooks = WebhookServer()
            webhooks.add_conversion(Lamp)
            async with Manager(client, webhooks=webhooks, signals=False) as manager:
                manager.webhook(check)
                asked = partial(install_while_running, client, webhooks, name="lamps", converted=[Lamp])
                manager.add(asked, leader=False)
                async with manager.running():
                    hooks = client.admissionregistration_v1.validating_webhook_configurations()
                    await hooks.wait_for("lamps", lambda hook: bool(hook.webhooks), timeout=PATIENCE)
                    with pytest.raises(ApiError, match="too bright"):
                        await lamps.create({"metadata": {"name": "sun"}, "spec": {"watts": 1000}})
                    await lamps.create({"metadata": {"name": "desk"}, "spec": {"watts": 60}})
                    old = await client.api(OldLamp, "default").get("desk")
                    assert old.spec.power == 60
            assert [each async for each in hooks.list()] == []
            found = await definitions.get("lamps.development.example.com")
            assert found.to_dict()["spec"]["conversion"] == {"strategy": "None"}
            await lamps.create({"metadata": {"name": "sun"}, "spec": {"watts": 1000}})

    asyncio.run(main())


def test_a_definition_that_comes_later() -> None:
    async def main() -> None:
        async with Cluster(controllers="none") as cluster, Client(cluster.config) as client:
            definitions = client.api(CustomResourceDefinition)
            async with WebhookServer() as webhooks:
                webhooks.add_conversion(Lamp)
                asked = install_while_running(client, webhooks, name="lamps", converted=[Lamp])
                running = asyncio.create_task(asked)
                await define(client, Lamp)
                name = "lamps.development.example.com"
                await definitions.wait_for(name, has_webhook, timeout=PATIENCE)
                running.cancel()
                await asyncio.wait({running})
            assert not has_webhook(await definitions.get(name))

    asyncio.run(main())


def test_who_has_put_another_conversion_there_meanwhile_keeps_it() -> None:
    service = {"namespace": "lamps-system", "name": "webhook-service", "path": "/convert", "port": 443}
    deployed = {
        "strategy": "Webhook",
        "webhook": {"clientConfig": {"service": service}, "conversionReviewVersions": ["v1"]},
    }

    async def main() -> None:
        async with Cluster(controllers="none") as cluster, Client(cluster.config) as client:
            await define(client, Lamp)
            definitions, name = client.api(CustomResourceDefinition), "lamps.development.example.com"
            async with WebhookServer() as webhooks:
                webhooks.add_conversion(Lamp)
                asked = install_while_running(client, webhooks, name="lamps", converted=[Lamp])
                running = asyncio.create_task(asked)
                await definitions.wait_for(name, has_webhook, timeout=PATIENCE)
                await definitions.patch(name, [{"op": "add", "path": "/spec/conversion", "value": deployed}])
                running.cancel()
                await asyncio.wait({running})
            assert (await definitions.get(name)).to_dict()["spec"]["conversion"] == deployed

    asyncio.run(main())


def test_what_cannot_be_taken_away_is_told(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        async with Cluster(controllers="none") as cluster:
            client = Client(cluster.config)
            await define(client, Lamp)
            async with WebhookServer() as webhooks:
                webhooks.add_conversion(Lamp)
                webhooks.add(check)
                asked = install_while_running(client, webhooks, name="lamps", converted=[Lamp])
                running = asyncio.create_task(asked)
                await until(lambda: "asks the webhooks" in caplog.text, "it is installed")
                async with Client(cluster.config) as other:
                    await other.api(CustomResourceDefinition).delete("lamps.development.example.com")
                running.cancel()
                await asyncio.wait({running})
                assert running.cancelled()
            await client.close()

    with caplog.at_level("INFO"):
        asyncio.run(main())
    assert "may still have objects converted here" in caplog.text
