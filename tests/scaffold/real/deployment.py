"""A scaffolded project deployed by its own manifests, whose program runs as its own service account."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from kubewright.client.client import Client
from kubewright.machinery.errors import ApiError, NotFound
from kubewright.models.authorization_v1 import SubjectAccessReview
from kubewright.models.core_v1 import ServiceAccount
from kubewright.scaffold.record import ProjectRecord
from tests.controllers.servers import Server
from tests.realcluster.binaries import find_kubectl
from tests.realcluster.credentials import write_kubeconfig
from tests.realcluster.server import free_ports
from tests.scaffold.records import ALL, a_kind, a_record, make_manifests, write_project

__all__ = [
    "GROUP",
    "PATIENCE",
    "AuditedServer",
    "Deployment",
    "Manifest",
    "Project",
    "Right",
    "kustomized",
    "make_project",
]

Manifest = dict[str, Any]
GROUP = "rights.mock.com"
PATIENCE = 60.0
"""Seconds that anything may take on a busy machine."""
_SERVICE_PORT = 9443
"""Of the scaffold; each test run takes another one, so that several can run on one machine."""


class AuditedServer(NamedTuple):
    """A server, and where it writes who asked for what."""

    server: Server
    log: Path

    def used(self, user: str) -> set[Right]:
        """What a user did and was allowed to."""
        found = set()
        # A server may be about to write the last line.
        whole, _, _ = self.log.read_text().rpartition("\n")
        for line in whole.splitlines():
            event = json.loads(line)
            about = event.get("objectRef")
            if event["user"]["username"] == user and about is not None:
                assert event["annotations"]["authorization.k8s.io/decision"] == "allow", event
                resource = "/".join(filter(None, [about["resource"], about.get("subresource")]))
                found.add(Right(event["verb"], about.get("apiGroup", ""), resource))
        return found


class Right(NamedTuple):
    """One verb on a resource."""

    verb: str
    group: str
    resource: str

    def refusal(self, user: str) -> str:
        """What a server says to who does not have it."""
        return f'User "{user}" cannot {self.verb} resource "{self.resource}" in API group "{self.group}"'


@dataclass(frozen=True)
class Project:
    """A project in a folder, with its manifests."""

    folder: Path
    record: ProjectRecord
    port: int
    """Where its program serves the webhooks."""
    objects: Sequence[Manifest] = field(repr=False)
    """What kustomize makes of config/default."""

    @property
    def namespace(self) -> str:
        return f"{self.record.name}-system"

    @property
    def account(self) -> str:
        return f"{self.record.name}-controller-manager"

    @property
    def user(self) -> str:
        return f"system:serviceaccount:{self.namespace}:{self.account}"

    def roles(self) -> list[Manifest]:
        """The roles that are bound to its service account."""
        bound = {
            (each["roleRef"]["kind"], each["roleRef"]["name"])
            for each in self.objects
            if each["kind"].endswith("RoleBinding")
            and [each["subjects"][0][key] for key in ("kind", "name", "namespace")]
            == ["ServiceAccount", self.account, self.namespace]
        }
        found = [each for each in self.objects if (each["kind"], each["metadata"]["name"]) in bound]
        assert len(found) == len(bound) == 3
        return found

    def granted(self) -> set[Right]:
        """What these roles grant."""
        return {
            Right(verb, group, resource)
            for role in self.roles()
            for rule in role["rules"]
            for verb in rule["verbs"]
            for group in rule["apiGroups"]
            for resource in rule["resources"]
        }


def make_project(folder: Path) -> Project:
    """Write a project with everything, and make its manifests."""
    kinds = [a_kind(group="rights", webhooks=ALL), a_kind(group="rights", version="v2")]
    record = a_record("rights-demo", *kinds)
    write_project(folder, record)
    (port,) = free_ports(1)
    module = folder / "src" / record.package / "webhooks" / "__init__.py"
    text = module.read_text()
    assert f"port={_SERVICE_PORT}," in text
    module.write_text(text.replace(f"port={_SERVICE_PORT},", f"port={port},"))
    make_manifests(folder, record)
    return Project(folder, record, port, kustomized(folder / "config" / "default"))


def kustomized(folder: Path) -> list[Manifest]:
    """What kubectl's kustomize makes of a folder."""
    done = subprocess.run(
        [str(find_kubectl()), "kustomize", str(folder)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return list(yaml.safe_load_all(done.stdout))


class Deployment:
    """A project in a cluster: all but its pod, whose place a program on this machine takes."""

    def __init__(self, admin: Client, audited: AuditedServer, project: Project) -> None:
        self.admin = admin
        self.project = project
        self.kubeconfig = audited.log.with_name("kubeconfig")
        self._server = audited.server

    async def apply(self, *, ready: bool = True) -> None:
        """Apply what kustomize makes, and an endpoint of the webhooks' Service."""
        text = yaml.safe_dump_all([*self.project.objects, self._endpoints(ready=ready)])
        await self.admin.apply_yaml(text, manager="test", force=True)
        accounts = self.admin.api(ServiceAccount, self.project.namespace)
        issued = await accounts.create_token(self.project.account)
        write_kubeconfig(
            self.kubeconfig,
            url=self._server.url,
            ca_file=Path(self._server.ca_file),
            token=issued.status.token,
        )

    async def grant(self, *, without: Right | None = None) -> None:
        """Have the roles grant all that they say, or all but one right; returns when that counts."""
        for role in self.project.roles():
            api = self.admin.dynamic(role["apiVersion"], role["kind"], role["metadata"].get("namespace"))
            rules = list(_reduced(role["rules"], without))
            await api.patch(role["metadata"]["name"], [{"op": "replace", "path": "/rules", "value": rules}])
        await self.granted(without=without)

    async def granted(self, *, without: Right | None = None) -> None:
        """Wait until what the roles grant counts: a real server hears of it a moment later."""
        reviews = self.admin.api(SubjectAccessReview)
        async with asyncio.timeout(PATIENCE):
            for role in self.project.roles():
                for question, right in _questions(role, self.project):
                    expected = right != without
                    while (await reviews.create(question)).status.allowed is not expected:  # noqa: ASYNC110
                        await asyncio.sleep(0.02)

    async def forget(self) -> None:
        """Take away what the program has made, and what it has said of objects."""
        name, namespace = self.project.record.name, self.project.namespace
        leases = self.admin.dynamic("coordination.k8s.io/v1", "Lease", namespace)
        secrets = self.admin.dynamic("v1", "Secret", namespace)
        for api, made in ((leases, f"{name}.mock.com"), (secrets, f"{name}-webhook-certificates")):
            with suppress(NotFound):
                await api.delete(made)
        await self.admin.dynamic("v1", "Event", "default").delete_collection()

    async def stored(self, name: str) -> None:
        """An object of the kind without a status, whether or not anybody answers for webhooks."""
        pods = self.admin.dynamic(f"{GROUP}/v1", "CustomPod", "default")
        with suppress(NotFound):
            await pods.patch(name, {"status": None}, subresource="status")
            return
        hooks = [each for each in self.project.objects if each["kind"].endswith("WebhookConfiguration")]
        for each in hooks:
            await self.admin.dynamic(each["apiVersion"], each["kind"]).delete(each["metadata"]["name"])
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    await pods.create({"metadata": {"name": name}, "spec": {}})
                    break
                except ApiError:  # a real server asks them for a moment more
                    await asyncio.sleep(0.05)
        await self.admin.apply_yaml(yaml.safe_dump_all(hooks), manager="test", force=True)

    def _endpoints(self, *, ready: bool) -> Manifest:
        (service,) = (
            each["metadata"]["name"]
            for each in self.project.objects
            if each["kind"] == "Service" and each["metadata"]["name"].endswith("webhook-service")
        )
        return {
            "apiVersion": "discovery.k8s.io/v1",
            "kind": "EndpointSlice",
            "metadata": {
                "name": service,
                "namespace": self.project.namespace,
                "labels": {"kubernetes.io/service-name": service},
            },
            "addressType": "IPv4",
            "endpoints": [{"addresses": [_own_address()], "conditions": {"ready": ready}}],
            "ports": [{"name": "", "port": self.project.port, "protocol": "TCP"}],
        }


def _own_address() -> str:
    """An address of this machine that endpoints may have, which loopback is not."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        # Nothing is sent: it only asks which address would send. The network is one for documentation.
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])


def _reduced(rules: Iterable[Manifest], without: Right | None) -> Iterable[Manifest]:
    for rule in rules:
        for group in rule["apiGroups"]:
            for resource in rule["resources"]:
                verbs = [verb for verb in rule["verbs"] if Right(verb, group, resource) != without]
                if verbs:
                    yield {**rule, "apiGroups": [group], "resources": [resource], "verbs": verbs}


def _questions(role: Manifest, project: Project) -> Iterable[tuple[SubjectAccessReview, Right]]:
    for rule in role["rules"]:
        for group in rule["apiGroups"]:
            for resource in rule["resources"]:
                for verb in rule["verbs"]:
                    name, _, subresource = resource.partition("/")
                    asked = {
                        "verb": verb,
                        "group": group,
                        "resource": name,
                        "subresource": subresource,
                        "namespace": role["metadata"].get("namespace", "default"),
                        "name": rule.get("resourceNames", [""])[0],
                    }
                    spec = {"user": project.user, "resourceAttributes": asked}
                    yield SubjectAccessReview.from_dict({"spec": spec}), Right(verb, group, resource)
