"""`serviceaccounts/token`: signed tokens for service accounts."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from kubewright.machinery.errors import NotFound
from kubewright.machinery.field_errors import FieldError, go_quote
from kubewright.machinery.field_errors import invalid as invalid_field
from kubewright.machinery.gvk import GroupKind, GroupResource
from kubewright.machinery.time import format_time
from kubewright.server.admission.unstored import admit_unstored, validate_unstored
from kubewright.server.authentication.service_account_keys import ServiceAccountKey
from kubewright.server.authentication.service_accounts import service_account_name
from kubewright.server.errors import bad_request, conflict, invalid, method_not_allowed
from kubewright.server.handlers.bodies import read_kind
from kubewright.server.handlers.call import Answer, Call
from kubewright.server.handlers.options import write_of, write_options
from kubewright.server.handlers.respond import output_of, plain_answer
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.registry import Registry
from kubewright.server.registry.store import Store
from kubewright.server.registry.stored import StoredMeta, decode_stored, read_meta

__all__ = ["TokenRequests"]

_GROUP: Final = "authentication.k8s.io"
_REQUEST: Final = GroupKind(_GROUP, "TokenRequest")

_HOUR: Final = 3600
_SHORTEST: Final = 600
"""The fewest seconds that a token may last, upstream's minimum."""
_LONGEST: Final = 1 << 32
"""And the most."""

_WARNED: Final = 3607
"""The seconds that kubelets ask for when a pod does not say: upstream's WarnOnlyBoundTokenExpirationSeconds.
Such tokens last for a year, as there are programs that read theirs only once."""
_YEAR: Final = 365 * 24 * 3600


_ISSUED: Final = "authentication.kubernetes.io/issued-credential-id"
"""The annotation by which the audit log tells which token was issued."""

_NO_STATUS: Final[Mapping[str, object]] = {"token": "", "expirationTimestamp": None}


class _Bound(NamedTuple):
    """What a token is bound to, and the claims that say so."""

    claims: Object
    is_pod: bool = False


class TokenRequests:
    """Issues tokens in the name of an issuer, which is also whom they are for when nobody is named."""

    def __init__(self, key: ServiceAccountKey, issuer: str) -> None:
        self._key: Final = key
        self._issuer: Final = issuer

    async def request(self, call: Call, registry: Registry, store: Store) -> Answer:
        """`create` of a TokenRequest."""
        if call.info.verb != "create":
            raise method_not_allowed()
        options = write_options(call, "CreateOptions")
        obj = await read_kind(call, f"{_GROUP}/v1", "TokenRequest", options.validation)
        metadata = dict(obj.get("metadata") or {})
        if call.record is not None:
            call.record.request_object(_with_expiration(obj))
        _check_place(call, metadata)
        write = write_of(call, options, namespace=call.info.namespace, subresource=call.info.subresource)
        obj = await admit_unstored(store, call.info.name, _complete(call, obj, metadata), write)
        metadata = dict(obj.get("metadata") or {})
        account = read_meta(store.get(call.info.namespace, call.info.name).value)
        if metadata.get("uid", "") not in {"", account.uid}:
            raise conflict(
                GroupResource(_GROUP, "TokenRequest"),
                account.name,
                f"the UID in the token request ({metadata['uid']}) does not match the UID of the service "
                f"account ({account.uid})",
            )
        spec = obj.get("spec") or {}
        seconds = _HOUR if spec.get("expirationSeconds") is None else spec["expirationSeconds"]
        if errors := _expiration_errors(seconds):
            raise invalid(_REQUEST, "", errors)
        audiences = spec.get("audiences") or [self._issuer]
        reference = spec.get("boundObjectRef")
        obj["metadata"] = {
            **metadata,
            "name": account.name,
            "namespace": account.namespace,
            "uid": account.uid,
            "creationTimestamp": format_time(call.now),
        }
        obj["spec"] = {
            **spec,
            "audiences": audiences,
            "expirationSeconds": seconds,
            "boundObjectRef": reference,
        }
        await validate_unstored(store, account.name, {**obj, "status": dict(_NO_STATUS)}, write)
        bound = _Bound({}) if reference is None else _bound_to(registry, account, reference)
        claims = self._claims(call.now, account, audiences, seconds, bound)
        call.annotations[_ISSUED] = f"JTI={claims['jti']}"
        obj["status"] = {
            "token": self._key.sign(claims),
            "expirationTimestamp": format_time(call.now + timedelta(seconds=seconds)),
        }
        return plain_answer(call, obj, output_of(call, transforms=False), status=201)

    def _claims(
        self, now: datetime, account: StoredMeta, audiences: Sequence[str], seconds: int, bound: _Bound
    ) -> Object:
        issued = int(now.timestamp())
        private = {
            "namespace": account.namespace,
            **bound.claims,
            "serviceaccount": {"name": account.name, "uid": account.uid},
        }
        lasts = seconds
        if bound.is_pod and seconds == _WARNED and set(audiences) <= {self._issuer}:
            lasts = _YEAR
            private["warnafter"] = issued + seconds
        return {
            "aud": audiences,
            "exp": issued + lasts,
            "iat": issued,
            "iss": self._issuer,
            "jti": str(uuid.uuid4()),
            "kubernetes.io": private,
            "nbf": issued,
            "sub": service_account_name(account.namespace, account.name),
        }


def _with_expiration(obj: Object) -> Object:
    """A request with the time that tokens last of which nothing is said."""
    spec = obj.get("spec") or {}
    return {**obj, "spec": {**spec, "expirationSeconds": spec.get("expirationSeconds") or _HOUR}}


def _complete(call: Call, obj: Object, metadata: Object) -> Object:
    """A request with all that Go's type always has, as plugins see it."""
    spec = {"audiences": None, "boundObjectRef": None, **(obj.get("spec") or {})}
    if spec.get("expirationSeconds") is None:
        spec["expirationSeconds"] = _HOUR
    return {
        **obj,
        "metadata": {**metadata, "namespace": call.info.namespace},
        "spec": spec,
        "status": dict(_NO_STATUS),
    }


def _check_place(call: Call, metadata: Object) -> None:
    """Refuse a request that says itself to be for another account. Raises Invalid, and BadRequest."""
    if metadata.get("namespace", "") not in {"", call.info.namespace}:
        raise bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
    name = metadata.get("name", "")
    if name not in {"", call.info.name}:
        detail = "must match the service account name if specified"
        raise invalid(_REQUEST, call.info.name, [invalid_field("metadata.name", name, detail)])


def _expiration_errors(seconds: int) -> list[FieldError]:
    if seconds < _SHORTEST:
        detail = "may not specify a duration less than 10 minutes"
    elif seconds > _LONGEST:
        detail = "may not specify a duration larger than 2^32 seconds"
    else:
        return []
    return [invalid_field("spec.expirationSeconds", seconds, detail)]


def _bound_to(registry: Registry, account: StoredMeta, reference: Object) -> _Bound:
    """The claims of a token that ends with an object. Raises NotFound, Conflict and BadRequest."""
    kind = reference.get("kind") or ""
    group, _, version = (reference.get("apiVersion") or "").rpartition("/")
    bind = _BINDERS.get(kind) if not group else None
    if bind is None:
        raise bad_request(f"cannot bind token to object of type {group}/{version}, Kind={kind}")
    name = reference.get("name") or ""
    if not name:
        raise bad_request("Name parameter required.")
    bound, uid = bind(registry, account, name)
    wanted = reference.get("uid") or ""
    if wanted not in {"", uid}:
        raise conflict(
            GroupResource("", kind),
            name,
            f"the UID in the bound object reference ({wanted}) does not match the UID in record. "
            "The object might have been deleted and then recreated",
        )
    return bound


def _bind_pod(registry: Registry, account: StoredMeta, name: str) -> tuple[_Bound, str]:
    pod = decode_stored(_store(registry, "pods").get(account.namespace, name).value)
    spec = pod.get("spec") or {}
    if spec.get("serviceAccountName", "") != account.name:
        raise bad_request(
            f"cannot bind token for serviceaccount {go_quote(account.name)} to pod running with different "
            "serviceaccount name."
        )
    uid = pod["metadata"]["uid"]
    claims: Object = {"pod": {"name": name, "uid": uid}}
    if node := spec.get("nodeName"):
        claims = {"node": _node(registry, node), **claims}
    return _Bound(claims, is_pod=True), uid


def _node(registry: Registry, name: str) -> Object:
    """The node of a pod; its name alone when it does not exist."""
    try:
        return {"name": name, "uid": read_meta(_store(registry, "nodes").get("", name).value).uid}
    except NotFound:
        return {"name": name}


def _bind_node(registry: Registry, _: StoredMeta, name: str) -> tuple[_Bound, str]:
    uid = read_meta(_store(registry, "nodes").get("", name).value).uid
    return _Bound({"node": {"name": name, "uid": uid}}), uid


def _bind_secret(registry: Registry, account: StoredMeta, name: str) -> tuple[_Bound, str]:
    uid = read_meta(_store(registry, "secrets").get(account.namespace, name).value).uid
    return _Bound({"secret": {"name": name, "uid": uid}}), uid


_BINDERS: Final[Mapping[str, Callable[[Registry, StoredMeta, str], tuple[_Bound, str]]]] = {
    "Pod": _bind_pod,
    "Node": _bind_node,
    "Secret": _bind_secret,
}


def _store(registry: Registry, resource: str) -> Store:
    found = registry.find("", "v1", resource)
    assert found is not None  # noqa: S101 - it is built in
    return found
