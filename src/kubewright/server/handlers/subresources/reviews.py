"""Reviews: questions about callers, which are answered and not kept."""

from __future__ import annotations

from kubewright.machinery.time import format_time
from kubewright.server.admission.unstored import admit_unstored, validate_unstored
from kubewright.server.authentication import Authenticator
from kubewright.server.errors import bad_request, method_not_allowed, not_found
from kubewright.server.handlers.bodies import read_body
from kubewright.server.handlers.call import Answer, Call
from kubewright.server.handlers.options import write_of, write_options
from kubewright.server.handlers.resources import Endpoint
from kubewright.server.handlers.respond import list_answer, output_of, plain_answer
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.listing import Listed
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.store import Store
from kubewright.server.registry.write import User

__all__ = [
    "component_statuses",
    "review_self",
    "token_reviews",
]


async def review_self(call: Call, registry: Registry, store: Store) -> Answer:
    """SelfSubjectReview: who the caller is."""
    obj = await _read(call, store)
    obj["metadata"] = {"creationTimestamp": format_time(call.now)}
    obj["status"] = {"userInfo": _user_info(call.user)}
    return _answer(call, obj)


def token_reviews(authenticator: Authenticator) -> Endpoint:
    """TokenReview: whose token it is, to an authenticator."""

    async def review_token(call: Call, registry: Registry, store: Store) -> Answer:
        obj = await _read(call, store)
        spec = obj.get("spec") or {}
        token = spec.get("token") or ""
        if not token:
            raise bad_request("token is required for TokenReview in authentication")
        identity, problem = await authenticator.review(token, spec.get("audiences") or ())
        status: Object = {"user": {}}
        if identity is not None:
            status = {
                "authenticated": True,
                "user": _user_info(identity.user),
                "audiences": list(identity.audiences),
            }
        if problem:
            status["error"] = problem
        obj["status"] = status
        return _answer(call, obj)

    return review_token


def _user_info(user: User) -> Object:
    info: Object = {"username": user.name}
    if user.uid:
        info["uid"] = user.uid
    if user.groups:
        info["groups"] = list(user.groups)
    if user.extra:
        info["extra"] = {key: list(values) for key, values in sorted(user.extra.items())}
    return info


async def component_statuses(call: Call, registry: Registry, store: Store) -> Answer:
    """ComponentStatuses: this server has no components whose health it could tell."""
    resource = store.type
    if call.info.verb == "get":
        raise not_found(resource.group_resource, call.info.name)
    if call.info.verb != "list":
        raise method_not_allowed()
    return list_answer(call, resource, [], Listed([], 0, "", None))


async def _read(call: Call, store: Store) -> Object:
    if call.info.verb != "create" or call.info.name:
        raise method_not_allowed()
    options = write_options(call, "CreateOptions")
    obj = await read_body(call, store.type, options.validation)
    write = write_of(call, options, namespace=call.info.namespace)
    manager = store.type.manager("")
    sent = obj
    obj = await store.type.managed(
        lambda: manager.update_no_errors(None, sent, manager=write.manager, now=write.now),
        sent,
        size=write.size,
    )
    obj = await admit_unstored(store, obj["metadata"].get("name", ""), obj, write)
    await validate_unstored(store, obj["metadata"].get("name", ""), obj, write)
    return obj


def _answer(call: Call, obj: Object) -> Answer:
    return plain_answer(call, obj, output_of(call, transforms=False), status=201)
