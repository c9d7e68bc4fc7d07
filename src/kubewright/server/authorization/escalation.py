"""Nobody gives away rights that they do not have: checks on writes of roles and bindings.

Upstream makes them in the storage of these kinds, after mutating admission and before the rules of the kind;
as the last plugin that may change an object, this stands at the same place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kubewright.machinery.errors import ApiError
from kubewright.machinery.field_errors import go_quote
from kubewright.machinery.gvk import GroupResource
from kubewright.server.admission.attributes import Attributes as AdmissionAttributes
from kubewright.server.authorization.attributes import Attributes
from kubewright.server.authorization.coverage import described, go_list, parts_of, uncovered
from kubewright.server.authorization.policy_rules import (
    EVERYTHING,
    MissingRole,
    PolicyRule,
    RoleRef,
    read_rules,
)
from kubewright.server.authorization.rbac import RBAC, aggregate
from kubewright.server.certificates import ADMIN_GROUP
from kubewright.server.errors import bad_request, failed, forbidden, not_found
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.write import Write

__all__ = ["EscalationCheck"]

_GROUP: Final = "rbac.authorization.k8s.io"
_ROLES: Final = frozenset({"roles", "clusterroles"})
_BINDINGS: Final = frozenset({"rolebindings", "clusterrolebindings"})

_OF_COLLECTOR: Final = ("ownerReferences", "finalizers", "selfLink", "managedFields")
"""What a garbage collector may change of any role or binding."""

_MAX_PARTS: Final = 10_000
"""How many combinations of group, resource, verb and name are compared with the writer's rights: tenths of a
second. The largest role of upstream's own has some hundreds."""


class EscalationCheck:
    """Refuses roles with rights that their writer does not have, and bindings to such roles.

    Exempt are system:masters, who may `escalate` the role, and who may `bind` it.
    """

    def __init__(self, rbac: RBAC) -> None:
        self._rbac: Final = rbac

    async def admit(self, attributes: AdmissionAttributes) -> None:
        """Raises Forbidden, and NotFound for bindings to roles that do not exist."""
        served, obj = attributes.type.served, attributes.obj
        if served.group != _GROUP or obj is None or attributes.operation not in {"CREATE", "UPDATE"}:
            return
        write, resource = attributes.write, served.resource
        if ADMIN_GROUP in write.user.groups or (attributes.old and _same_but_for_gc(obj, attributes.old)):
            return
        if resource in _ROLES:
            self._check_role(resource, obj, attributes.old, write)
        elif resource in _BINDINGS:
            self._check_binding(resource, obj, write)

    async def validate(self, attributes: AdmissionAttributes) -> None:
        """Everything was said in `admit`."""

    def _check_role(self, resource: str, obj: Object, old: Object | None, write: Write) -> None:
        if self._may(write, "escalate", resource, write.path_name):
            return
        name = obj["metadata"].get("name", "")
        self._check_holds(resource, name, read_rules(obj.get("rules")), write)
        if resource == "clusterroles" and (_aggregates(obj) or (old is not None and _aggregates(old))):
            # Such a role can gather anything.
            held = self._rbac.rules_for(write.user, "").rules
            if uncovered(held, EVERYTHING):
                why = "must have cluster-admin privileges to use the aggregationRule"
                raise _refused(resource, name, why)

    def _check_binding(self, resource: str, obj: Object, write: Write) -> None:
        ref = obj.get("roleRef") or {}
        role = RoleRef(kind=ref.get("kind") or "", name=ref.get("name") or "")
        if role.kind not in {"Role", "ClusterRole"}:
            raise failed(f"unsupported role reference kind: {go_quote(role.kind)}")
        if self._may(write, "bind", f"{role.kind.lower()}s", role.name, group=ref.get("apiGroup") or ""):
            return
        if role.kind == "Role" and not write.namespace:
            raise bad_request("Namespace parameter required.")
        rules = self._rbac.role_rules(role, write.namespace)
        if isinstance(rules, MissingRole):
            # Upstream takes it for what the request is about.
            raise not_found(GroupResource(_GROUP, resource), role.name)
        self._check_holds(resource, obj["metadata"].get("name", ""), rules, write)

    def _check_holds(self, resource: str, name: str, rules: Sequence[PolicyRule], write: Write) -> None:
        if sum(map(parts_of, rules)) > _MAX_PARTS:
            why = f"its rules have more than {_MAX_PARTS:,} combinations; divide it into several roles"
            raise _refused(resource, name, why)
        user = write.user
        held = self._rbac.rules_for(user, write.namespace)
        missing = uncovered(held.rules, rules)
        if not missing:
            return
        why = (
            f"user {go_quote(user.name)} (groups={go_list(user.groups)}) is attempting to grant RBAC "
            "permissions not currently held:\n" + "\n".join(described(missing))
        )
        if held.missing:
            told = (f"{resource}.{_GROUP} {go_quote(each.name)} not found" for each in held.missing)
            why += f"; resolution errors: [{aggregate(told)}]"
        raise _refused(resource, name, why)

    def _may(self, write: Write, verb: str, resource: str, name: str, *, group: str = _GROUP) -> bool:
        question = Attributes(
            user=write.user,
            verb=verb,
            group=group,
            version="*",
            resource=resource,
            namespace=write.namespace,
            name=name,
        )
        return self._rbac.authorize(question).allowed


def _aggregates(role: Object) -> bool:
    return bool((role.get("aggregationRule") or {}).get("clusterRoleSelectors"))


def _same_but_for_gc(obj: Object, old: Object) -> bool:
    return _without_gc(obj) == _without_gc(old)


def _without_gc(obj: Object) -> Object:
    metadata = {key: value for key, value in obj["metadata"].items() if value and key not in _OF_COLLECTOR}
    rest = {key: value for key, value in obj.items() if value and key != "metadata"}
    return {**rest, "metadata": metadata}


def _refused(resource: str, name: str, why: str) -> ApiError:
    return forbidden(GroupResource(_GROUP, resource), name, why)
