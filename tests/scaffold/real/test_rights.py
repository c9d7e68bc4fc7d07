"""A scaffolded operator runs as its own service account, with exactly the rights that it needs.

It is deployed by its own config/default: its program takes the place of the pod, and the API server asks its
webhooks behind their Service, under the certificates that it makes and injects.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from kubewright import ApiError, Client, Unstructured
from tests.scaffold.real.deployment import GROUP, PATIENCE, AuditedServer, Deployment, Project, Right
from tests.scaffold.real.programs import in_this_process, the_program

LEASES = "coordination.k8s.io"
HOOKS = "admissionregistration.k8s.io"
DEFINITIONS = "apiextensions.k8s.io"

USED = {
    *(Right(verb, LEASES, "leases") for verb in ("get", "create", "update")),
    *(Right(verb, "", "secrets") for verb in ("get", "create", "update")),
    *(Right(verb, "", "events") for verb in ("create", "patch")),
    *(Right(verb, HOOKS, "mutatingwebhookconfigurations") for verb in ("get", "update")),
    *(Right(verb, HOOKS, "validatingwebhookconfigurations") for verb in ("get", "update")),
    *(Right(verb, DEFINITIONS, "customresourcedefinitions") for verb in ("get", "update")),
    *(Right(verb, GROUP, "custompods") for verb in ("list", "watch")),
    Right("patch", GROUP, "custompods/status"),
}
"""What the operator does as it is scaffolded."""

UNUSED = {
    Right("get", GROUP, "custompods"): "reconcilers that do without the cache: ctx.client.uncached",
}
"""What it is granted besides, and for what."""


@pytest.mark.slow  # it needs kubectl
def test_it_is_granted_what_it_uses_and_what_there_is_a_reason_for(project: Project) -> None:
    assert project.granted() == USED | set(UNUSED)


def on(
    audited: AuditedServer, project: Project, test: Callable[[Deployment], Coroutine[Any, Any, None]]
) -> None:
    """Run a test with the project deployed."""

    async def main() -> None:
        async with Client(audited.server.config) as admin:
            deployment = Deployment(admin, audited, project)
            await deployment.apply()
            await deployment.granted()
            await deployment.forget()
            await test(deployment)

    asyncio.run(main())


def is_ready(pod: Unstructured) -> bool:
    conditions = pod.to_dict().get("status", {}).get("conditions", [])
    return any((each["type"], each["status"]) == ("Ready", "True") for each in conditions)


async def served(admin: Client, name: str, **spec: object) -> Unstructured:
    """Create an object when the webhooks are served, which they are not from the start."""
    pods = admin.dynamic(f"{GROUP}/v1", "CustomPod", "default")
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return await pods.create({"metadata": {"name": name}, "spec": spec})
            except ApiError as error:
                if "failed calling webhook" not in str(error):
                    raise
                await asyncio.sleep(0.1)


async def converted(admin: Client, name: str) -> Unstructured:
    """An object in the other version, when the server knows whom to ask to convert it."""
    pods = admin.dynamic(f"{GROUP}/v2", "CustomPod", "default")
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return await pods.get(name)
            except ApiError as error:
                if "conversion webhook" not in str(error):
                    raise
                await asyncio.sleep(0.1)


def test_it_works_as_its_own_account(audited: AuditedServer, project: Project, tmp_path: Path) -> None:
    log = tmp_path / "program.log"

    async def test(deployment: Deployment) -> None:
        admin = deployment.admin
        pods = admin.dynamic(f"{GROUP}/v1", "CustomPod", "default")
        events = admin.dynamic("v1", "Event", "default")
        with the_program(project, deployment.kubeconfig, log) as program:
            made = await served(admin, "first")
            assert made.metadata.labels == {"app.kubernetes.io/managed-by": project.record.name}
            with pytest.raises(ApiError, match="must have at most 63 characters"):
                await served(admin, "a" * 64)
            await pods.wait_for("first", is_ready, timeout=PATIENCE)
            old = await converted(admin, "first")
            assert (old.api_version, old.to_dict()["spec"]) == (f"{GROUP}/v2", {"replicas": 1})
            leases = admin.dynamic(LEASES + "/v1", "Lease", project.namespace)
            assert (await leases.get(f"{project.record.name}.mock.com")).to_dict()["spec"]["holderIdentity"]
            # The same event again, which is a patch of the first.
            await pods.patch("first", {"status": None}, subresource="status")
            await pods.wait_for("first", is_ready, timeout=PATIENCE)

            async def counted() -> bool:
                return any([each.to_dict()["count"] >= 2 async for each in events.list()])

            await _until(counted)
            program.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(program.wait, PATIENCE) == 0
        # A Secret that somebody prepared is filled: an update.
        secrets = admin.dynamic("v1", "Secret", project.namespace)
        await secrets.delete(f"{project.record.name}-webhook-certificates")
        await secrets.create({"metadata": {"name": f"{project.record.name}-webhook-certificates"}})
        with the_program(project, deployment.kubeconfig, log) as program:
            await served(admin, "second")
            await pods.wait_for("second", is_ready, timeout=PATIENCE)
        for name in ("first", "second"):
            await pods.delete(name)

    on(audited, project, test)
    assert "cannot" not in log.read_text()
    assert audited.used(project.user) == USED


async def _until(is_so: Callable[[], Coroutine[Any, Any, bool]]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await is_so():  # noqa: ASYNC110 - it is in another process
            await asyncio.sleep(0.05)


async def _missed(deployment: Deployment, right: Right, said: Callable[[], str]) -> None:
    """Take a right away, run the program, and wait until it says so."""
    project, admin = deployment.project, deployment.admin
    await deployment.grant(without=right)
    await deployment.forget()
    await deployment.stored("first")
    if right == Right("update", "", "secrets"):
        secrets = admin.dynamic("v1", "Secret", project.namespace)
        await secrets.create({"metadata": {"name": f"{project.record.name}-webhook-certificates"}})
    async with in_this_process(project) as running:
        refusal = right.refusal(project.user)

        async def is_told() -> bool:
            error = running.exception() if running.done() and not running.cancelled() else None
            return refusal in said() or refusal in str(error)

        if right == Right("patch", "", "events"):
            pods = admin.dynamic(f"{GROUP}/v1", "CustomPod", "default")
            await pods.wait_for("first", is_ready, timeout=PATIENCE)
            await pods.patch("first", {"status": None}, subresource="status")
        await _until(is_told)


def test_it_says_which_right_is_missing(
    audited: AuditedServer,
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def test(deployment: Deployment) -> None:
        monkeypatch.setenv("KUBECONFIG", str(deployment.kubeconfig))
        monkeypatch.setenv("POD_NAMESPACE", project.namespace)
        for right in sorted(USED):
            caplog.clear()
            await _missed(deployment, right, lambda: caplog.text)

    on(audited, project, test)
