"""An operator whose rights are tested: what it has in its package, and a service account that runs it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import msgspec

from kubewright.client.api import Api
from kubewright.client.client import Client
from kubewright.codegen.manifests import Manifest, Manifests, manifests_of
from kubewright.codegen.project import load_project
from kubewright.config.credentials import StaticCredentials
from kubewright.machinery.errors import AlreadyExists, NotFound
from kubewright.machinery.unstructured import Unstructured
from kubewright.models.authorization_v1 import SubjectAccessReview
from kubewright.models.core_v1 import ServiceAccount
from tests.codegen.manifest_project import write_package
from tests.controllers.running import PATIENCE

__all__ = ["LEASE", "NAMESPACE", "SECRET", "Operator", "Right", "deployed", "load_operator"]

PACKAGE = "manifests_of_rights"
NAMESPACE = "operators"
ACCOUNT = "controller-manager"
LEASE = "rights"
SECRET = "webhook-certificates"  # noqa: S105 - of a Secret, the name
USER = f"system:serviceaccount:{NAMESPACE}:{ACCOUNT}"

_MODULE = """
    from __future__ import annotations

    from kubewright import ObjectMeta, Resource, Struct, custom_resource
    from kubewright.controllers import set_controller_reference, status_of
    from kubewright.models.core_v1 import ConfigMap, Pod
    from kubewright.webhooks import CertificateSecret, Injection, Review, WebhookServer, validating


    class SiteSpec(Struct):
        host: str = ""


    class SiteStatus(Struct):
        seen: bool = False


    @custom_resource(
        group="rights.example.com", version="v1", subresources=["status"], versions=[".main:OldSite"]
    )
    class Site(Resource):
        spec: SiteSpec
        status: SiteStatus | None = None


    @custom_resource(group="rights.example.com", version="v1beta1", kind="Site", storage=False)
    class OldSite(Resource):
        spec: SiteSpec

        def to_hub(self) -> Site:
            return Site(spec=self.spec)

        @classmethod
        def from_hub(cls, hub: Site) -> OldSite:
            return cls(spec=hub.spec)


    certificates = CertificateSecret(
        name="webhook-certificates",
        namespace="operators",
        inject=Injection(
            configurations=["validating-webhook-configuration"], definitions=["sites.rights.example.com"]
        ),
    )


    def webhooks() -> WebhookServer:
        return WebhookServer(certificates=certificates)


    @validating(Pod)
    async def check(review: Review[Pod]) -> None: ...


    async def reconcile(ctx, request) -> None:
        site = await ctx.client.api(Site, request.namespace).get(request.name)
        children = ctx.client.api(ConfigMap, request.namespace)
        if not [each async for each in children.list(labels="site")]:
            metadata = ObjectMeta(name=request.name, namespace=request.namespace, labels={"site": ""})
            child = ConfigMap(metadata=metadata)
            set_controller_reference(site, child)
            ctx.events.normal(site, "Making", "its child")
            await children.create(child)
        async with status_of(ctx, site):
            site.status = SiteStatus(seen=True)


    def setup(manager) -> None:
        manager.controller(Site, reconcile, owns=[ConfigMap])
        manager.webhook(check)
"""


class Right(NamedTuple):
    """One verb on a resource, in a namespace, of all objects or of one."""

    verb: str
    group: str
    resource: str
    namespace: str
    name: str

    @property
    def refusal(self) -> str:
        """What a server says to who does not have it."""
        return f'User "{USER}" cannot {self.verb} resource "{self.resource}" in API group "{self.group}"'

    def question(self) -> SubjectAccessReview:
        """Whether the service account has it."""
        resource, _, subresource = self.resource.partition("/")
        asked = {
            "verb": self.verb,
            "group": self.group,
            "resource": resource,
            "subresource": subresource,
            "namespace": self.namespace,
            "name": self.name,
        }
        spec = {"user": USER, "resourceAttributes": asked}
        return SubjectAccessReview.from_dict({"spec": spec})


class Operator(NamedTuple):
    """The operator's code and what was generated from it."""

    module: ModuleType
    manifests: Manifests

    @property
    def roles(self) -> list[Manifest]:
        """As they are deployed: a Role without a namespace is in the operator's own."""
        found = []
        for role in (*self.manifests.roles, *self.manifests.leader_election):
            metadata = dict(role["metadata"])
            if role["kind"] == "Role":
                metadata.setdefault("namespace", NAMESPACE)
            found.append({**role, "metadata": metadata})
        return found

    def rights(self) -> list[Right]:
        """All that the roles grant."""
        return [
            Right(verb, group, resource, role["metadata"].get("namespace", "default"), name)
            for role in self.roles
            for rule in role["rules"]
            for verb in rule["verbs"]
            for group in rule["apiGroups"]
            for resource in rule["resources"]
            for name in rule.get("resourceNames", [""])
        ]


def load_operator(folder: Path) -> Operator:
    """Write the operator's package, import it, and make its manifests."""
    write_package(folder, PACKAGE, {"main.py": _MODULE})
    project = load_project(folder)
    manifests = manifests_of(project, setup=f"{PACKAGE}.main:setup")
    (module,) = (each for each in project.modules if each.__name__.endswith(".main"))
    return Operator(module, manifests)


@asynccontextmanager
async def deployed(
    operator: Operator, admin: Client, *, without: Sequence[Right] = ()
) -> AsyncIterator[Client]:
    """The operator's manifests in a cluster, and a client of its service account; all is removed after.

    `without` is left out of the roles.
    """
    async with AsyncExitStack() as stack:
        with suppress(AlreadyExists):
            await admin.dynamic("v1", "Namespace").create({"metadata": {"name": NAMESPACE}})
        # Secret, Lease and ConfigMap are made by the operator.
        stack.push_async_callback(_deleted, admin.dynamic("v1", "ServiceAccount", NAMESPACE), ACCOUNT)
        stack.push_async_callback(_deleted, admin.dynamic("v1", "Secret", NAMESPACE), SECRET)
        stack.push_async_callback(_deleted, admin.dynamic("v1", "ConfigMap", "default"), "shop")
        stack.push_async_callback(
            _deleted, admin.dynamic("coordination.k8s.io/v1", "Lease", NAMESPACE), LEASE
        )
        await admin.dynamic("v1", "ServiceAccount", NAMESPACE).create({"metadata": {"name": ACCOUNT}})
        bindings = [_binding(role) for role in operator.roles]
        roles = [_reduced(role, without) for role in operator.roles]
        for each in (*operator.manifests.definitions, *operator.manifests.webhooks, *roles, *bindings):
            api = admin.dynamic(each["apiVersion"], each["kind"], each["metadata"].get("namespace"))
            stack.push_async_callback(_deleted, api, each["metadata"]["name"])
            await api.create(each)
        definitions = admin.apiextensions_v1.custom_resource_definitions()
        await definitions.wait_for("sites.rights.example.com", "Established", timeout=PATIENCE)
        await _until_they_count(operator, admin, without)
        made = await admin.api(ServiceAccount, NAMESPACE).create_token(ACCOUNT)
        credentials = StaticCredentials(token=made.status.token)
        config = msgspec.structs.replace(admin.config, credentials=credentials)
        yield await stack.enter_async_context(Client(config))


async def _deleted(api: Api[Unstructured], name: str) -> None:
    with suppress(NotFound):
        await api.delete(name)
        await api.wait_for(name, "deleted", timeout=PATIENCE)


def _reduced(role: Manifest, without: Sequence[Right]) -> Manifest:
    """A role with one rule for each right, but for those that are left out."""
    rules = []
    for rule in role["rules"]:
        for group in rule["apiGroups"]:
            for resource in rule["resources"]:
                left_out = {each.verb for each in without if (each.group, each.resource) == (group, resource)}
                verbs = [verb for verb in rule["verbs"] if verb not in left_out]
                if verbs:
                    rules.append({**rule, "apiGroups": [group], "resources": [resource], "verbs": verbs})
    return {**role, "rules": rules}


def _binding(role: Manifest) -> Manifest:
    return {
        "apiVersion": role["apiVersion"],
        "kind": f"{role['kind']}Binding",
        "metadata": role["metadata"],
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": role["kind"],
            "name": role["metadata"]["name"],
        },
        "subjects": [{"kind": "ServiceAccount", "name": ACCOUNT, "namespace": NAMESPACE}],
    }


async def _until_they_count(operator: Operator, admin: Client, without: Sequence[Right]) -> None:
    """Wait until the server decides by the roles, which a real one does a moment later."""
    reviews = admin.api(SubjectAccessReview)
    granted = [each for each in operator.rights() if each not in without]
    first = {(each.namespace, each.group): each for each in granted}
    async with asyncio.timeout(PATIENCE):
        for right in (*first.values(), *without):
            expected = right not in without
            while (await reviews.create(right.question())).status.allowed is not expected:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
