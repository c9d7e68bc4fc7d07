"""The status of policies, which the server writes in its own time."""

from __future__ import annotations

import asyncio
from typing import Any

from kubewright.server.openapi.documents import OpenAPI
from tests.cel import needs_cel
from tests.server.admission.policies.registries import GROUP, Server, serving


async def observed(server: Server, name: str, generation: int) -> dict[str, Any]:
    """The policy, once its status is of a generation."""
    store = server.store("validatingadmissionpolicies", GROUP)
    with store.storage.watch(store.type.prefix, after_revision=0) as events:
        async for batch in events:
            for event in batch:
                obj = store.type.decode(event.value)
                status = obj.get("status") or {}
                if obj["metadata"]["name"] == name and status.get("observedGeneration") == generation:
                    return obj
    raise AssertionError("the watch has ended")


@needs_cel
def test_warnings() -> None:
    async def test() -> None:
        async with serving() as server, asyncio.timeout(30), asyncio.TaskGroup() as tasks:
            openapi = OpenAPI(lambda: server.registry.served, list)
            expression = "object.data.a == 'x' && object.metadata.namespace == object.metadata.__namespace__"
            await server.validating("before", validations=[{"expression": expression}])
            task = tasks.create_task(server.policies.keep_status(openapi))
            await server.validating("after", validations=[{"expression": "object.spec.a == 'x'"}])
            before = await observed(server, "before", 1)
            assert before["status"] == {"observedGeneration": 1, "typeChecking": {}}
            after = await observed(server, "after", 1)
            (warning,) = after["status"]["typeChecking"]["expressionWarnings"]
            assert warning["fieldRef"] == "spec.validations[0].expression"
            assert warning["warning"].startswith(
                "/v1, Kind=ConfigMap: ERROR: <input>:1:7: undefined field 'spec'"
            )
            manager = after["metadata"]["managedFields"][0]
            assert (manager["manager"], manager["operation"], manager["subresource"]) == (
                "validatingadmissionpolicy-status",
                "Apply",
                "status",
            )
            assert after["metadata"]["generation"] == 1
            task.cancel()

    asyncio.run(test())
