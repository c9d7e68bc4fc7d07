"""Reviews: questions about callers and rights, which are answered and not kept.

There is one administrator, who may do everything; nobody else is known. Who else there may be comes with
authentication and authorization proper, and this is where it is to be asked.
"""

from __future__ import annotations

from typing import Final

from kubewright.machinery.time import format_time
from kubewright.server.certificates import ADMIN_GROUP
from kubewright.server.errors import invalid, method_not_allowed, not_found
from kubewright.server.handlers.bodies import read_body
from kubewright.server.handlers.call import Answer, Call
from kubewright.server.handlers.options import write_of, write_options
from kubewright.server.handlers.respond import output_of, plain_answer
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.store import Store

__all__ = [
    "component_statuses",
    "review_access",
    "review_own_access",
    "review_own_rules",
    "review_self",
    "review_token",
]

_AUTHORIZATION: Final = "authorization.k8s.io"
_EVERYTHING: Final = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}
_EVERY_PATH: Final = {"verbs": ["*"], "nonResourceURLs": ["*"]}


async def review_self(call: Call, registry: Registry, store: Store) -> Answer:
    """SelfSubjectReview: who the caller is."""
    user = call.user
    info: Object = {"username": user.name, "groups": list(user.groups)}
    if user.uid:
        info["uid"] = user.uid
    if user.extra:
        info["extra"] = dict(user.extra)
    obj = _read(call, store)
    obj["metadata"] = {"creationTimestamp": format_time(call.now)}
    obj["status"] = {"userInfo": info}
    return _answer(call, obj)


async def review_token(call: Call, registry: Registry, store: Store) -> Answer:
    """TokenReview: whose token it is; of the administrator's own, the only one there is, nothing is told."""
    obj = _read(call, store)
    obj["status"] = {"user": {}, "error": "invalid bearer token"}
    return _answer(call, obj)


async def review_access(call: Call, registry: Registry, store: Store) -> Answer:
    """SubjectAccessReview and its local form: whether somebody may do something."""
    obj = _read(call, store)
    spec = obj.get("spec") or {}
    obj["status"] = _verdict(allowed=ADMIN_GROUP in (spec.get("groups") or ()))
    return _answer(call, obj)


async def review_own_access(call: Call, registry: Registry, store: Store) -> Answer:
    """SelfSubjectAccessReview: whether the caller may do something."""
    obj = _read(call, store)
    obj["status"] = _verdict(allowed=ADMIN_GROUP in call.user.groups)
    return _answer(call, obj)


async def review_own_rules(call: Call, registry: Registry, store: Store) -> Answer:
    """SelfSubjectRulesReview: what the caller may do."""
    obj = _read(call, store)
    allowed = ADMIN_GROUP in call.user.groups
    obj["status"] = {
        "resourceRules": [dict(_EVERYTHING)] if allowed else [],
        "nonResourceRules": [dict(_EVERY_PATH)] if allowed else [],
        "incomplete": False,
    }
    return _answer(call, obj)


async def component_statuses(call: Call, registry: Registry, store: Store) -> Answer:
    """ComponentStatuses: this server has no components whose health it could tell."""
    resource = store.type
    if call.info.verb == "get":
        raise not_found(resource.group_resource, call.info.name)
    if call.info.verb != "list":
        raise method_not_allowed()
    obj = {"kind": "ComponentStatusList", "apiVersion": "v1", "metadata": {}, "items": []}
    return plain_answer(call, obj, output_of(call, transforms=False))


def _verdict(*, allowed: bool) -> Object:
    return {"allowed": allowed} if allowed else {"allowed": False, "reason": "only the administrator may"}


def _read(call: Call, store: Store) -> Object:
    if call.info.verb != "create" or call.info.name:
        raise method_not_allowed()
    options = write_options(call, "CreateOptions")
    obj = read_body(call, store.type, options.validation)
    if store.type.served.group == _AUTHORIZATION and (errors := store.type.rules.validate(obj)):
        raise invalid(store.type.group_kind, "", errors)
    write = write_of(call, options, namespace=call.info.namespace)
    manager = store.type.manager("")
    return manager.update_no_errors(None, obj, manager=write.manager, now=write.now)


def _answer(call: Call, obj: Object) -> Answer:
    return plain_answer(call, obj, output_of(call, transforms=False), status=201)
