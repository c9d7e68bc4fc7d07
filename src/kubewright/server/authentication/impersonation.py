"""Acting for somebody else: who may impersonate whom, as kube-apiserver 1.36 decides it.

There are five modes. In the four constrained ones a caller needs two rights: to do what the request does
while impersonating (`impersonate-on:<mode>:<verb>` on what is asked for), and to impersonate whom it names
(`impersonate:<mode>`). The old one, `impersonate`, needs the second alone. The modes are tried in order,
beginning with the one that has let the caller in last, and the first refusal is what the caller is told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import msgspec

from kubewright.machinery.errors import ApiError
from kubewright.machinery.names import is_dns1123_subdomain
from kubewright.server.authentication.authenticator import ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED
from kubewright.server.authentication.service_accounts import service_account_groups, split_service_account
from kubewright.server.authorization import Attributes, Authorizer, refused
from kubewright.server.certificates import ADMIN_GROUP
from kubewright.server.kinds.prefixed_paths import validate_domain_prefixed_path
from kubewright.server.registry.write import User

__all__ = ["Impersonation"]

_AUTHENTICATION: Final = "authentication.k8s.io"
_NODES: Final = "system:nodes"
_NODE_PREFIX: Final = "system:node:"
_NODE_NAME: Final = "authentication.kubernetes.io/node-name"
_NODE_KEYS: Final = "authentication.kubernetes.io/associated-node-keys"

_MANY: Final = 4
"""From so many groups or extras on, the right to all of them is asked for first."""

_REMEMBERED: Final = 10_000
"""How many callers' modes are remembered, as many as upstream does."""


class _Mode(NamedTuple):
    name: str
    applies: Callable[[User, User], bool]
    """Whether it is for this caller and whom it wants to act for."""


class Impersonation:
    """Decides who may act for whom, by asking an authorizer."""

    def __init__(self, authorizer: Authorizer) -> None:
        self._authorizer: Final = authorizer
        self._last: Final[dict[str, int]] = {}

    def act_for(self, wanted: User, attributes: Attributes) -> tuple[User, str]:
        """Whom the caller of a request becomes, and the constraint under which: empty for the old mode.

        `attributes` say what the request does, as its caller. Raises Forbidden.
        """
        caller = attributes.user.name
        last = self._last.get(caller)
        order = [at for at in range(len(_MODES)) if at != last]
        if last is not None:
            order.insert(0, last)
        first: ApiError | None = None
        for at in order:
            try:
                user = self._in_mode(_MODES[at], wanted, attributes)
            except ApiError as error:
                first = first or error
                continue
            if user is not None:
                if at != last:
                    self._remember(caller, at)
                return user, f"impersonate:{_MODES[at].name}" if _MODES[at].name else ""
        assert first is not None  # noqa: S101 - the last mode is for everybody, and refuses or lets in
        raise first

    def _remember(self, caller: str, mode: int) -> None:
        if len(self._last) >= _REMEMBERED:
            del self._last[next(iter(self._last))]
        self._last[caller] = mode

    def _in_mode(self, mode: _Mode, wanted: User, attributes: Attributes) -> User | None:
        """Whom the caller becomes; None when the mode is not for this. Raises Forbidden."""
        if not mode.name:
            return _Rights(self._authorizer, attributes.user, "impersonate", constrained=False).become(wanted)
        if not mode.applies(wanted, attributes.user):
            return None
        caller = attributes.user
        anywhere = mode.name == _ASSOCIATED
        if anywhere:
            # Which node it is does not matter, so it is not told: the same right is needed for each.
            caller = msgspec.structs.replace(caller, extra={_NODE_KEYS: sorted(caller.extra)})
        verb = f"impersonate-on:{mode.name}:{attributes.verb}"
        _check(self._authorizer, msgspec.structs.replace(attributes, user=caller, verb=verb))
        rights = _Rights(self._authorizer, caller, f"impersonate:{mode.name}", constrained=True)
        return rights.become(wanted, any_name=anywhere)


class _Rights:
    """Asks for each part of a user whether a caller may take it on."""

    def __init__(self, authorizer: Authorizer, caller: User, verb: str, *, constrained: bool) -> None:
        self._authorizer: Final = authorizer
        self._caller: Final = caller
        self._verb: Final = verb
        self._constrained: Final = constrained

    def become(self, wanted: User, *, any_name: bool = False) -> User:
        """The user, with the groups that such a user is in. Raises Forbidden."""
        attributes, groups = self._name(wanted)
        _check(self._authorizer, msgspec.structs.replace(attributes, name="*") if any_name else attributes)
        if wanted.uid:
            _check(self._authorizer, self._attributes(_AUTHENTICATION, "uids", wanted.uid))
        if wanted.groups:
            self._check_groups(wanted.groups)
        if wanted.extra:
            self._check_extra(wanted.extra)
        if wanted.name == ANONYMOUS:
            groups = _with(groups, UNAUTHENTICATED)
        elif UNAUTHENTICATED not in groups:
            groups = _with(groups, AUTHENTICATED)
        return msgspec.structs.replace(wanted, groups=groups)

    def _name(self, wanted: User) -> tuple[Attributes, tuple[str, ...]]:
        group = _AUTHENTICATION if self._constrained else ""
        node = _node_name(wanted.name) if self._constrained else None
        if node is not None:
            return self._attributes(group, "nodes", node), (_NODES,)
        account = split_service_account(wanted.name)
        if account is not None:
            namespace, name = account
            attributes = msgspec.structs.replace(
                self._attributes(group, "serviceaccounts", name), namespace=namespace
            )
            return attributes, wanted.groups or service_account_groups(namespace)
        return self._attributes(group, "users", wanted.name), wanted.groups

    def _check_groups(self, groups: Sequence[str]) -> None:
        group = _AUTHENTICATION if self._constrained else ""
        if self._constrained:
            if "" in groups:
                why = "impersonating the empty string group is not allowed"
                raise refused(self._attributes(group, "groups", ""), why)
            if ADMIN_GROUP in groups:
                why = f"impersonating the {ADMIN_GROUP} group is not allowed"
                raise refused(self._attributes(group, "groups", ADMIN_GROUP), why)
            if len(groups) >= _MANY and self._may(self._attributes(group, "groups", "*")):
                return
        for name in groups:
            _check(self._authorizer, self._attributes(group, "groups", name))

    def _check_extra(self, extra: dict[str, list[str]]) -> None:
        if self._constrained:
            if why := _extra_problem(extra):
                raise refused(self._attributes(_AUTHENTICATION, "userextras", ""), why)
            if sum(map(len, extra.values())) >= _MANY and self._may(self._extra("*", "*")):
                return
        for key, values in extra.items():
            for value in values:
                _check(self._authorizer, self._extra(key, value))

    def _extra(self, key: str, value: str) -> Attributes:
        attributes = self._attributes(_AUTHENTICATION, "userextras", value)
        return msgspec.structs.replace(attributes, subresource=key)

    def _may(self, attributes: Attributes) -> bool:
        return self._authorizer.authorize(attributes).allowed

    def _attributes(self, group: str, resource: str, name: str) -> Attributes:
        return Attributes(
            user=self._caller, verb=self._verb, group=group, version="v1", resource=resource, name=name
        )


def _check(authorizer: Authorizer, attributes: Attributes) -> None:
    decision = authorizer.authorize(attributes)
    if not decision.allowed:
        raise refused(attributes, decision.reason)


def _with(groups: tuple[str, ...], group: str) -> tuple[str, ...]:
    return groups if group in groups else (*groups, group)


def _extra_problem(extra: dict[str, list[str]]) -> str:
    """What upstream does not allow of extras in the constrained modes."""
    for key, values in extra.items():
        if not key:
            return "impersonating the empty string key in extra is not allowed"
        if errors := validate_domain_prefixed_path(key, "extra.key"):
            told = [str(error) for error in errors]
            why = told[0] if len(told) == 1 else f"[{', '.join(told)}]"
            return f"impersonating an invalid key in extra is not allowed: {why}"
        if key != key.lower():
            return f'impersonating a non-lowercase key in extra is not allowed: "{key}"'
        if "" in values:
            return "impersonating the empty string value in extra is not allowed"
    return ""


def _node_name(user: str) -> str | None:
    """The node that a user is; None for other users."""
    if not user.startswith(_NODE_PREFIX):
        return None
    name = user.removeprefix(_NODE_PREFIX)
    return None if is_dns1123_subdomain(name) else name


def _only_name(wanted: User) -> bool:
    return not (wanted.uid or wanted.groups or wanted.extra)


def _is_own_node(wanted: User, caller: User) -> bool:
    """Whether somebody wants to act for the node that its own pod runs on."""
    node = _node_name(wanted.name)
    if node is None or not _only_name(wanted) or split_service_account(caller.name) is None:
        return False
    return caller.extra.get(_NODE_NAME) == [node]


def _is_node(wanted: User, _: User) -> bool:
    return _only_name(wanted) and _node_name(wanted.name) is not None


def _is_service_account(wanted: User, _: User) -> bool:
    return _only_name(wanted) and split_service_account(wanted.name) is not None


def _is_other(wanted: User, _: User) -> bool:
    return _node_name(wanted.name) is None and split_service_account(wanted.name) is None


def _is_anybody(_: User, __: User) -> bool:
    return True


_ASSOCIATED: Final = "associated-node"

_MODES: Final = (
    _Mode(_ASSOCIATED, _is_own_node),
    _Mode("arbitrary-node", _is_node),
    _Mode("serviceaccount", _is_service_account),
    _Mode("user-info", _is_other),
    _Mode("", _is_anybody),
)
"""In upstream's order; the last one is the old mode."""
