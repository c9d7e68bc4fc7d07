"""examples.custompod: the story it tells by itself, its operator on a given cluster, and its manifests."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from examples.custompod.types import CustomPod, CustomPodStatus
from examples.custompod.webhook import check, check_scale
from kubewright import Client as AsyncClient
from kubewright import Invalid
from kubewright.crd import validate
from kubewright.machinery import yaml
from kubewright.models.admissionregistration_v1 import ValidatingWebhookConfiguration
from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from kubewright.models.autoscaling_v1 import Scale
from kubewright.models.core_v1 import ServiceAccount
from kubewright.sync import Api, Client
from kubewright.webhooks import Denied, Review
from tests.examples.operators import PATIENCE, in_a_namespace
from tests.examples.programs import ROOT, running
from tests.examples.servers import BOTH, REAL, Server, ended, kubeconfig_of, refused, started
from tests.realcluster.binaries import find_kubectl
from tests.server.processes import COMMAND

MODULE = "examples.custompod"
NAME = "custompods.zhhnzw.mock.com"
SETUP = "examples.custompod.controller:setup"
RUNS = rf"^{NAME} is installed\nthe operator runs, until Ctrl-C\n"
TOO_MANY = "Invalid value: 101: spec.replicas in body should be less than or equal to 100"
AT_ONCE = "spec.replicas: Invalid value: 0: takes 3 pods away at once; scale to 1 first"


@pytest.fixture(scope="module", params=BOTH)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with started(request.param) as server:
        yield server


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with Client(server.config) as client:
        if not any(True for _ in client.api(ServiceAccount, "default").list()):
            client.api(ServiceAccount, "default").create({"metadata": {"name": "default"}})
        yield client


def test_by_itself() -> None:
    lines = ended(MODULE, KUBECONFIG="/no/such/file")
    webhook = 'admission webhook "vcustompod-scale-v1.zhhnzw.mock.com" denied the request'
    assert lines == [
        f"{NAME} is installed",
        "create the pod stray, with the label of a CustomPod that is not there yet",
        "create web, which asks for one pod by default: it adopts stray",
        "  status.replicas: 1",
        "scale web to 3",
        "  status.replicas: 3",
        "scale web to 0",
        f'  refused: {webhook}: Scale.autoscaling "web" is invalid: {AT_ONCE} (422 Invalid)',
        "scale web to 101",
        f'  refused: CustomPod.zhhnzw.mock.com "web" is invalid: spec.replicas: {TOO_MANY} (422 Invalid)',
        "scale web to 1",
        "  status.replicas: 1",
        "delete web",
        "  its finalizer has let it go, with 0 pods left",
        "events: 1 Adopted, 1 CleanedUp, 2 SuccessfulCreate, 3 SuccessfulDelete",
    ]


def settled(cpod: CustomPod) -> bool:
    status = cpod.status or CustomPodStatus()
    return (status.observed_generation, status.replicas) == (cpod.metadata.generation, cpod.spec.replicas)


@pytest.mark.slow
def test_the_operator_on_a_cluster(server: Server, client: Client) -> None:
    cpods = client.api(CustomPod, "default")
    with running(MODULE, "--kubeconfig", server.kubeconfig, PYTHONUNBUFFERED="") as program:
        program.until(RUNS)
        cpods.create({"metadata": {"name": "web"}, "spec": {"replicas": 2}})
        cpods.wait_for("web", settled, timeout=PATIENCE)
        cpods.delete("web")
        cpods.wait_for("web", "deleted", timeout=PATIENCE)
        assert program.stop(signal.SIGINT) == 0
        assert "Traceback" not in program.printed
    assert client.api(CustomResourceDefinition).get(NAME).spec.group == "zhhnzw.mock.com"


@pytest.mark.skipif(
    not (os.environ.get("CI") or os.environ.get("KUBEBUILDER_ASSETS") or shutil.which("kubectl")),
    reason="left out: no kubectl on PATH; make test-real builds one",
)
@pytest.mark.slow
def test_kubectl_and_the_webhooks(server: Server, client: Client) -> None:
    def kubectl(*arguments: str, code: int = 0) -> tuple[str, str]:
        done = subprocess.run(
            [find_kubectl(), "--kubeconfig", server.kubeconfig, *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert done.returncode == code, done.stderr
        return done.stdout, done.stderr

    cpods = client.api(CustomPod, "default")
    with running(MODULE, "--webhooks", "--kubeconfig", server.kubeconfig) as program:
        program.until(RUNS)
        cpods.create({"metadata": {"name": "shown"}, "spec": {"replicas": 3}})
        cpods.wait_for("shown", settled, timeout=PATIENCE)
        until(lambda: "custompods" in kubectl("api-resources", "--cached=false", "-o", "name")[0])
        header, line = kubectl("get", "cpod")[0].splitlines()
        assert header.split() == ["NAME", "DESIRED", "CURRENT", "READY", "AGE"]
        assert line.split()[:4] == ["shown", "3", "3", "0"]
        wait_until_asked(cpods)
        assert AT_ONCE in kubectl("scale", "cpod", "shown", "--replicas=0", code=1)[1]
        patch = ["patch", "cpod", "shown", "--type=merge", "--patch"]
        assert AT_ONCE in kubectl(*patch, '{"spec":{"replicas":0}}', code=1)[1]
        warned = kubectl(*patch, '{"spec":{"replicas":24}}', "--dry-run=server")[1]
        assert "Warning: spec.replicas grows from 3 to 24, which creates 21 pods" in warned
        assert (
            "custompod.zhhnzw.mock.com/shown scaled" in kubectl("scale", "cpod", "shown", "--replicas=1")[0]
        )
        cpods.wait_for("shown", settled, timeout=PATIENCE)
        # Events are told after the status, and not waited for.
        until(lambda: "SuccessfulDelete" in kubectl("describe", "cpod", "shown")[0])
        kubectl("delete", "cpod", "shown")
        assert program.stop(signal.SIGTERM) == 0
    # What was served is asked no more.
    assert not list(client.api(ValidatingWebhookConfiguration).list())


def until(is_so: Callable[[], bool]) -> None:
    """Wait for what others bring about in their own time."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline


def wait_until_asked(cpods: Api[CustomPod]) -> None:
    """Wait until the API server asks the webhooks: it hears of them a moment after they are installed."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            cpods.set_scale("shown", 0, dry_run=True)
        except Invalid:
            return
    raise AssertionError("the webhooks are not asked")


def reviewed(before: int | None, after: int) -> Review[CustomPod]:
    def cpod(replicas: int) -> CustomPod:
        return CustomPod.from_dict({"metadata": {"name": "web"}, "spec": {"replicas": replicas}})

    return Review(cpod(after), old=cpod(before) if before is not None else None)


@pytest.mark.parametrize(
    ("before", "after", "warning"),
    [
        (None, 0, ""),
        (None, 20, ""),
        (None, 21, "grows from 0 to 21, which creates 21 pods"),
        (2, 0, ""),
        (3, 1, ""),
        (0, 0, ""),
        (80, 100, ""),
        (79, 100, "grows from 79 to 100, which creates 21 pods"),
    ],
)
def test_what_the_webhooks_allow(before: int | None, after: int, warning: str) -> None:
    review = reviewed(before, after)
    asyncio.run(check(review))
    assert [warning in each for each in review.warnings] == ([True] if warning else [])


def test_what_the_webhooks_refuse() -> None:
    with pytest.raises(Denied, match="takes 3 pods away at once; scale to 1 first"):
        asyncio.run(check(reviewed(3, 0)))
    old, new = (Scale.from_dict({"spec": {"replicas": replicas}}) for replicas in (3, 0))
    with pytest.raises(Denied, match="takes 3 pods away at once; scale to 1 first"):
        asyncio.run(check_scale(Review(new, old=old, operation="UPDATE", subresource="scale")))


@pytest.mark.slow
def test_the_schema(server: Server) -> None:
    async def test(client: AsyncClient, namespace: str) -> None:
        cpods = client.api(CustomPod, namespace)
        made = await cpods.create({"metadata": {"name": "n" * 63}})
        assert made.spec.replicas == 1
        for name, replicas, sentence in (
            ("web", 101, TOO_MANY),
            ("web", -1, "spec.replicas in body should be greater than or equal to 0"),
            ("n" * 64, 1, "the name must have at most 63 characters"),
        ):
            wrong = CustomPod.from_dict({"metadata": {"name": name}, "spec": {"replicas": replicas}})
            with pytest.raises(Invalid, match=re.escape(sentence)):
                await cpods.create(wrong)
            with pytest.raises(Invalid, match=re.escape(sentence)):
                validate(wrong)

    in_a_namespace(server, CustomPod, test)


def test_the_manifests() -> None:
    command = [COMMAND, "manifests", "--package", MODULE, "--setup", SETUP, "--output", "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, "")
    written: dict[str, Any] = {
        document["kind"]: document for document in map(yaml.load, done.stdout.split("\n---\n"))
    }
    definition, role = written["CustomResourceDefinition"], written["ClusterRole"]
    names = {
        "plural": "custompods",
        "singular": "custompod",
        "kind": "CustomPod",
        "listKind": "CustomPodList",
    }
    assert definition["spec"]["names"] == {**names, "shortNames": ["cpod"]}
    scale = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    (version,) = definition["spec"]["versions"]
    assert version["subresources"] == {
        "status": {},
        "scale": {**scale, "labelSelectorPath": ".status.selector"},
    }
    rights = {resource: {*rule["verbs"]} for rule in role["rules"] for resource in rule["resources"]}
    # Those to install webhooks are for the story's sake.
    assert {each: rights[each] for each in rights if "webhook" not in each} == {
        "custompods": {"get", "list", "watch", "patch"},
        "custompods/status": {"patch"},
        "custompods/finalizers": {"update"},
        "pods": {"get", "list", "watch", "create", "update", "delete"},
        "events": {"create", "patch"},
    }
    resources = [
        rule["resources"]
        for each in written["ValidatingWebhookConfiguration"]["webhooks"]
        for rule in each["rules"]
    ]
    assert sorted(resources) == [["custompods"], ["custompods/scale"]]


@pytest.mark.parametrize("server", REAL, indirect=True)
def test_no_rights(server: Server, tmp_path: Path) -> None:
    told = refused(MODULE, "--kubeconfig", kubeconfig_of(server.kubeconfig, tmp_path, user="nobody"))
    assert "is forbidden: User" in told


@pytest.mark.slow
def test_no_cluster(tmp_path: Path) -> None:
    assert refused(MODULE, "--kubeconfig", "/no/such/file").startswith("there is no kubeconfig /no/such/file")
