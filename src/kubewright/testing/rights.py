"""A service account that may do what `kubewright manifests` derives for an operator, and nothing else."""

from __future__ import annotations

import asyncio
import inspect
import logging
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubewright.client.client import Client
from kubewright.codegen.manifests import rights_of
from kubewright.codegen.project import load_project, read_settings
from kubewright.codegen.rights.derived import Rights
from kubewright.config.credentials import StaticCredentials
from kubewright.controllers.declared import Declarations
from kubewright.controllers.roles import policy_rules, roles
from kubewright.machinery.errors import AlreadyExists, NotFound, WaitTimeout
from kubewright.machinery.meta import ObjectMeta
from kubewright.models.authorization_v1 import (
    NonResourceAttributes,
    ResourceAttributes,
    SubjectAccessReview,
    SubjectAccessReviewSpec,
)
from kubewright.models.core_v1 import Namespace, ServiceAccount
from kubewright.models.rbac_v1 import (
    ClusterRole,
    ClusterRoleBinding,
    PolicyRule,
    Role,
    RoleBinding,
    RoleRef,
    Subject,
)

if TYPE_CHECKING:
    from kubewright.controllers.manager import Manager
    from kubewright.machinery.resource import Resource

__all__ = ["derive_rights", "with_rights"]

_ACCOUNT_NAMESPACE: Final = "default"
"""Where the account is: the one namespace that every cluster has for users."""
_IN_FORCE_WITHIN: Final = 30.0
"""Seconds until a server goes by new roles: kube-apiserver learns of them by a watch, in milliseconds."""
_LOOK_AGAIN: Final = 0.02
"""Seconds between questions whether it does."""

_log: Final = logging.getLogger("kubewright.testing")


async def derive_rights(setup: Callable[[Any], Awaitable[object] | object]) -> Rights:
    """The rights that `kubewright manifests` derives for what a setup function registers.

    Marks are collected in all modules of the project to which the function belongs: the one whose
    pyproject.toml names its package below [tool.kubewright]. Outside of a project, in the function's module.
    """
    declared = Declarations()
    result = setup(declared)
    if inspect.isawaitable(result):
        await result
    modules, kinds, folder = _project_of(setup)
    return rights_of(modules, declared, kinds=kinds, folder=folder)


@asynccontextmanager
async def with_rights(
    admin: Client, setup: Callable[[Manager], Awaitable[object] | object], *, lease_namespace: str
) -> AsyncIterator[Client]:
    """A client with the rights that are derived for an operator; account and roles are deleted afterwards.

    Namespaces that roles are in and that do not exist, such as the one that the operator is deployed to, are
    created; they stay, since one that is being deleted could not be used again at once. What cannot be
    derived is logged as a warning. Raises what the server says of the roles.
    """
    rights = await derive_rights(setup)
    for note in rights.notes:
        _log.warning("%s", note)
    async with AsyncExitStack() as stack:
        accounts = admin.api(ServiceAccount, _ACCOUNT_NAMESPACE)
        account = await accounts.create({"metadata": {"generateName": "operator-"}})
        name = account.metadata.name
        stack.push_async_callback(_delete, admin, account)
        granted: list[ClusterRole | Role] = list(roles(rights.permissions, name=name))
        if rights.election:
            metadata = ObjectMeta(name=f"{name}-election", namespace=lease_namespace)
            granted.append(Role(metadata=metadata, rules=policy_rules(rights.election)))
        for namespace in sorted({role.metadata.namespace for role in granted} - {""}):
            with suppress(AlreadyExists):
                await admin.api(Namespace).create(Namespace(metadata=ObjectMeta(name=namespace)))
        for role in granted:
            for each in (role, _binding(role, account)):
                api: Any = admin.api(type(each), each.metadata.namespace or None)
                await api.create(each)
                stack.push_async_callback(_delete, admin, each)
        await _in_force(admin, account, granted)
        token = (await accounts.create_token(name)).status.token
        config = msgspec.structs.replace(
            admin.config, credentials=StaticCredentials(token=token), impersonation=None
        )
        yield await stack.enter_async_context(Client(config))


def _project_of(
    setup: Callable[..., object],
) -> tuple[Sequence[ModuleType], Sequence[type[Resource]], Path]:
    """The modules, the kinds and the folder of the project of a function."""
    name = str(getattr(setup, "__module__", ""))
    module = sys.modules.get(name)
    file = getattr(module, "__file__", None)
    for folder in Path(file).absolute().parents if file else ():
        if (folder / "pyproject.toml").is_file():
            package = read_settings(folder).get("package")
            if isinstance(package, str) and (name == package or name.startswith(f"{package}.")):
                project = load_project(folder, package)
                return project.modules, project.kinds, folder
            break
    return [module] if module is not None else [], (), Path.cwd()


def _binding(role: ClusterRole | Role, account: ServiceAccount) -> ClusterRoleBinding | RoleBinding:
    kind = type(role).__name__
    reference = RoleRef(api_group="rbac.authorization.k8s.io", kind=kind, name=role.metadata.name)
    subject = Subject(kind="ServiceAccount", name=account.metadata.name, namespace=account.metadata.namespace)
    metadata = ObjectMeta(name=role.metadata.name, namespace=role.metadata.namespace)
    if isinstance(role, ClusterRole):
        return ClusterRoleBinding(metadata=metadata, role_ref=reference, subjects=[subject])
    return RoleBinding(metadata=metadata, role_ref=reference, subjects=[subject])


async def _in_force(admin: Client, account: ServiceAccount, granted: Sequence[ClusterRole | Role]) -> None:
    """Wait until the server goes by the roles. Raises WaitTimeout."""
    user = f"system:serviceaccount:{account.metadata.namespace}:{account.metadata.name}"
    try:
        async with asyncio.timeout(_IN_FORCE_WITHIN):
            for role in granted:
                for rule in role.rules[-1:]:
                    while not await _is_allowed(  # noqa: ASYNC110 - only the server knows
                        admin, user, rule, role.metadata.namespace
                    ):
                        await asyncio.sleep(_LOOK_AGAIN)
    except TimeoutError:
        raise WaitTimeout(
            f"the rights of {user} are not in force after {_IN_FORCE_WITHIN:g} seconds"
        ) from None


async def _is_allowed(admin: Client, user: str, rule: PolicyRule, namespace: str) -> bool:
    spec = SubjectAccessReviewSpec(user=user)
    if rule.non_resource_urls:
        spec.non_resource_attributes = NonResourceAttributes(
            path=rule.non_resource_urls[0], verb=rule.verbs[0]
        )
    else:
        resource, _, subresource = rule.resources[0].partition("/")
        spec.resource_attributes = ResourceAttributes(
            group=rule.api_groups[0],
            resource=resource,
            subresource=subresource,
            verb=rule.verbs[0],
            namespace=namespace,
            name=rule.resource_names[0] if rule.resource_names else "",
        )
    review = await admin.api(SubjectAccessReview).create(SubjectAccessReview(spec=spec))
    return review.status.allowed


async def _delete(admin: Client, obj: Resource) -> None:
    with suppress(NotFound):
        await admin.api(type(obj), obj.metadata.namespace or None).delete(obj.metadata.name)
