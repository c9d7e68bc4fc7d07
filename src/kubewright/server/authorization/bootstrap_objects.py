"""The roles and bindings of every cluster as the store takes them, put together from bytes.

A server makes them at each start in memory, so they are not taken apart on the way: rules stay the bytes that
they are in the file, and managedFields are what a field manager would find, which takes long to load.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import msgspec

from kubewright.machinery.label_selectors import Selector
from kubewright.machinery.time import format_time
from kubewright.machinery.uid import random_uid
from kubewright.server.authorization.aggregation import CONTROLLER
from kubewright.server.storage import Value

__all__ = ["Made", "bootstrap_objects"]

_API_VERSION: Final = "rbac.authorization.k8s.io/v1"

_LABELS: Final = {"kubernetes.io/bootstrapping": "rbac-defaults"}
_ANNOTATIONS: Final = {"rbac.authorization.kubernetes.io/autoupdate": "true"}
"""What all of them carry."""

_encode: Final = msgspec.json.Encoder().encode


class _Aggregation(msgspec.Struct, rename="camel"):
    cluster_role_selectors: list[dict[str, dict[str, str]]]


class _Recorded(msgspec.Struct, rename="camel"):
    """An object of the file."""

    name: str
    namespace: str = ""
    labels: dict[str, str] = {}
    rules: list[msgspec.Raw] = []
    aggregation_rule: _Aggregation | None = None
    subjects: msgspec.Raw = msgspec.Raw()
    role_ref: msgspec.Raw = msgspec.Raw()


_decode: Final = msgspec.json.Decoder(dict[str, list[_Recorded]]).decode


class Made(NamedTuple):
    """A new object: where it belongs, and its value."""

    resource: str
    namespace: str
    name: str
    value: Value


def bootstrap_objects(now: datetime, random: Random) -> Iterator[Made]:
    """All of them, as if they were created now."""
    # Without the spaces that are there for readers of the file.
    text = msgspec.json.format(Path(__file__).with_name("bootstrap_policy.json").read_bytes(), indent=-1)
    policy = _decode(text)
    _gather(policy["clusterroles"])
    time = _encode(format_time(now))
    for resource, objects in policy.items():
        for recorded in objects:
            yield Made(resource, recorded.namespace, recorded.name, _value(recorded, time, random))


def _gather(roles: Sequence[_Recorded]) -> None:
    """Give those with an aggregationRule the rules of the others; see `aggregation`."""
    # By name, the last first: admin gathers from edit, and edit from view.
    for role in sorted(roles, key=lambda each: each.name, reverse=True):
        if role.aggregation_rule is None:
            continue
        (given,) = role.aggregation_rule.cluster_role_selectors
        selector = Selector.from_label_selector(given)
        found: dict[bytes, msgspec.Raw] = {}
        for other in roles:
            if other is not role and selector.matches(other.labels):
                for rule in other.rules:
                    found.setdefault(bytes(rule), rule)
        role.rules = list(found.values())


def _value(recorded: _Recorded, time: bytes, random: Random) -> Value:
    labels = {**_LABELS, **recorded.labels}
    place = b'"namespace":%b,' % _encode(recorded.namespace) if recorded.namespace else b""
    before = b'{"metadata":{"name":%b,%b"uid":"%b","resourceVersion":"' % (
        _encode(recorded.name),
        place,
        random_uid(random).encode(),
    )
    after = b'","creationTimestamp":%b,"labels":%b,"annotations":%b,"managedFields":[%b]},%b}' % (
        time,
        _encode(labels),
        _encode(_ANNOTATIONS),
        _managers(recorded, labels, time),
        _fields(recorded),
    )
    return Value(before, after)


def _fields(recorded: _Recorded) -> bytes:
    if bytes(recorded.role_ref):
        subjects = b'"subjects":%b,' % bytes(recorded.subjects) if bytes(recorded.subjects) else b""
        return b'%b"roleRef":%b' % (subjects, bytes(recorded.role_ref))
    rules = b'"rules":[%b]' % b",".join(map(bytes, recorded.rules))
    if recorded.aggregation_rule is None:
        return rules
    return b'%b,"aggregationRule":%b' % (rules, _encode(recorded.aggregation_rule))


def _managers(recorded: _Recorded, labels: dict[str, str], time: bytes) -> bytes:
    members = partial(_members, time=time)
    written = b'"f:metadata":{"f:annotations":%b,"f:labels":%b}' % (
        _owned(_ANNOTATIONS),
        _owned(labels),
    )
    if bytes(recorded.role_ref):
        subjects = b',"f:subjects":{}' if bytes(recorded.subjects) else b""
        return members("kube-apiserver", "Update", written + b',"f:roleRef":{}' + subjects)
    if recorded.aggregation_rule is None:
        return members("kube-apiserver", "Update", written + b',"f:rules":{}')
    selectors = b'"f:aggregationRule":{".":{},"f:clusterRoleSelectors":{}},'
    gathered = members(CONTROLLER, "Apply", b'"f:rules":{}')
    return gathered + b"," + members("kube-apiserver", "Update", selectors + written)


def _members(manager: str, operation: str, fields: bytes, *, time: bytes) -> bytes:
    return (
        b'{"manager":"%b","operation":"%b","apiVersion":"%b","time":%b,"fieldsType":"FieldsV1","fieldsV1":{%b}}'
        % (manager.encode(), operation.encode(), _API_VERSION.encode(), time, fields)
    )


def _owned(mapping: dict[str, str]) -> bytes:
    return _encode({".": {}, **{f"f:{name}": {} for name in mapping}})
