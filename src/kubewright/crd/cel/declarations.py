"""The functions of Kubernetes' CEL environment as the type checker has to know them.

One line per overload: `name(arguments) -> result`, or `target.name(arguments) -> result` for a member.
What is not here, the checker brings along: the rest of CEL's standard functions, optionals, sets, the lists
extension and comprehensions with two variables. It cannot add overloads to functions that it has, so where
Kubernetes does, the whole function is declared here, and the checker's own one is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from kubewright.crd.cel.ast import Type, parse_type, split_types
from kubewright.crd.cel.go_errors import DESCRIPTOR_PACKAGE

__all__ = ["config"]

_ALIASES: Final = {
    "Quantity": "kubernetes.Quantity",
    "URL": "kubernetes.URL",
    "IP": "net.IP",
    "CIDR": "net.CIDR",
    "Format": "kubernetes.NamedFormat",
    "Semver": "kubernetes.Semver",
    "optional": "optional_type",
    "Authorizer": "kubernetes.authorization.Authorizer",
    "PathCheck": "kubernetes.authorization.PathCheck",
    "GroupCheck": "kubernetes.authorization.GroupCheck",
    "ResourceCheck": "kubernetes.authorization.ResourceCheck",
    "Decision": "kubernetes.authorization.Decision",
}

_COMPARABLE: Final = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
_SUMMABLE: Final = ("int", "uint", "double", "duration")
_NUMBERS: Final = ("int", "uint", "double")
_ORDERED: Final = ("bool", "string", "bytes", "timestamp", "duration")

_ORDERINGS: Final = {"_<_": "less", "_<=_": "less_equals", "_>_": "greater", "_>=_": "greater_equals"}

_STRINGS: Final = """
string.charAt(int) -> string
string.indexOf(string) -> int
string.indexOf(string, int) -> int
list<A>.indexOf(A) -> int
string.lastIndexOf(string) -> int
string.lastIndexOf(string, int) -> int
list<A>.lastIndexOf(A) -> int
string.lowerAscii() -> string
string.upperAscii() -> string
string.replace(string, string) -> string
string.replace(string, string, int) -> string
string.split(string) -> list<string>
string.split(string, int) -> list<string>
string.substring(int) -> string
string.substring(int, int) -> string
string.trim() -> string
string.format(list<dyn>) -> string
strings.quote(string) -> string
list<string>.join() -> string
list<string>.join(string) -> string
string.find(string) -> string
string.findAll(string) -> list<string>
string.findAll(string, int) -> list<string>
"""

_CONVERSIONS: Final = """
string(string) -> string
string(bool) -> string
string(bytes) -> string
string(double) -> string
string(duration) -> string
string(int) -> string
string(timestamp) -> string
string(uint) -> string
string(IP) -> string
string(CIDR) -> string
"""

_KUBERNETES: Final = """
url(string) -> URL
isURL(string) -> bool
URL.getScheme() -> string
URL.getHost() -> string
URL.getHostname() -> string
URL.getPort() -> string
URL.getEscapedPath() -> string
URL.getQuery() -> map<string, list<string>>
quantity(string) -> Quantity
isQuantity(string) -> bool
sign(Quantity) -> int
Quantity.isGreaterThan(Quantity) -> bool
Quantity.isLessThan(Quantity) -> bool
Quantity.compareTo(Quantity) -> int
Quantity.asApproximateFloat() -> double
Quantity.asInteger() -> int
Quantity.isInteger() -> bool
Quantity.add(Quantity) -> Quantity
Quantity.add(int) -> Quantity
Quantity.sub(Quantity) -> Quantity
Quantity.sub(int) -> Quantity
Semver.isGreaterThan(Semver) -> bool
Semver.isLessThan(Semver) -> bool
Semver.compareTo(Semver) -> int
semver(string) -> Semver
semver(string, bool) -> Semver
isSemver(string) -> bool
isSemver(string, bool) -> bool
Semver.major() -> int
Semver.minor() -> int
Semver.patch() -> int
ip(string) -> IP
CIDR.ip() -> IP
isIP(string) -> bool
ip.isCanonical(string) -> bool
IP.family() -> int
IP.isUnspecified() -> bool
IP.isLoopback() -> bool
IP.isLinkLocalMulticast() -> bool
IP.isLinkLocalUnicast() -> bool
IP.isGlobalUnicast() -> bool
cidr(string) -> CIDR
isCIDR(string) -> bool
CIDR.containsIP(string) -> bool
CIDR.containsIP(IP) -> bool
CIDR.containsCIDR(string) -> bool
CIDR.containsCIDR(CIDR) -> bool
CIDR.prefixLength() -> int
CIDR.masked() -> CIDR
Format.validate(string) -> optional<list<string>>
format.named(string) -> optional<Format>
optional.unwrap(list<optional<A>>) -> list<A>
list<optional<A>>.unwrapOpt() -> list<A>
"""

_AUTHORIZATION: Final = """
Authorizer.path(string) -> PathCheck
PathCheck.check(string) -> Decision
Authorizer.group(string) -> GroupCheck
Authorizer.serviceAccount(string, string) -> Authorizer
GroupCheck.resource(string) -> ResourceCheck
ResourceCheck.subresource(string) -> ResourceCheck
ResourceCheck.namespace(string) -> ResourceCheck
ResourceCheck.name(string) -> ResourceCheck
ResourceCheck.fieldSelector(string) -> ResourceCheck
ResourceCheck.labelSelector(string) -> ResourceCheck
ResourceCheck.check(string) -> Decision
Decision.errored() -> bool
Decision.error() -> string
Decision.allowed() -> bool
Decision.reason() -> string
"""
"""The functions of `authorizer`, which rules do not have; they are declared there too, so that errors are
upstream's."""

_FORMATS: Final = [
    "dns1123Label",
    "dns1123Subdomain",
    "dns1035Label",
    "qualifiedName",
    "dns1123LabelPrefix",
    "dns1123SubdomainPrefix",
    "dns1035LabelPrefix",
    "labelValue",
    "uri",
    "uuid",
    "byte",
    "date",
    "datetime",
]


def _lists() -> list[str]:
    lines = [f"list<{kind}>.isSorted() -> bool" for kind in _COMPARABLE]
    lines += [f"list<{kind}>.{name}() -> {kind}" for name in ("max", "min") for kind in _COMPARABLE]
    return lines + [f"list<{kind}>.sum() -> {kind}" for kind in _SUMMABLE]


def _orderings() -> list[str]:
    pairs = [(kind, kind) for kind in _ORDERED]
    pairs += [(one, other) for one in _NUMBERS for other in _NUMBERS]
    return [f"{name}({one}, {other}) -> bool" for name in _ORDERINGS for one, other in pairs]


_LINE: Final = re.compile(r"(.+?)\((.*)\) -> (.+)").fullmatch
_NAMESPACES: Final = frozenset({"strings", "ip", "format", "optional", "jsonpatch"})


def _overload(line: str) -> tuple[str, dict[str, Any]]:
    match = _LINE(line)
    if match is None:
        raise ValueError(f"{line} declares no function")
    name, args, result = match.groups()
    overload: dict[str, Any] = {"id": line, "return": _type(parse_type(result))}
    if args:
        overload["args"] = [_type(parse_type(arg)) for arg in split_types(args)]
    target, dot, member = name.rpartition(".")
    if dot and target not in _NAMESPACES:
        overload["target"] = _type(parse_type(target))
        name = member
    return name, overload


def _type(kind: Type) -> dict[str, Any]:
    if len(kind.name) == 1:
        return {"type_name": kind.name, "is_type_param": True}
    made: dict[str, Any] = {"type_name": _ALIASES.get(kind.name, kind.name)}
    if kind.params:
        made["params"] = [_type(param) for param in kind.params]
    return made


def config(*, patches: bool = False) -> Mapping[str, object]:
    """The checker's configuration for Kubernetes 1.36; with `patches`, that of expressions that make patches.

    These can name messages, which are looked for among those that are declared with the environment.
    """
    lines = [*_STRINGS.split("\n"), *_CONVERSIONS.split("\n"), *_KUBERNETES.split("\n")]
    lines += _AUTHORIZATION.split("\n")
    if patches:
        lines.append("jsonpatch.escapeKey(string) -> string")
    lines += [*_lists(), *_orderings(), *(f"format.{name}() -> Format" for name in _FORMATS)]
    functions: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        if line:
            name, overload = _overload(line)
            functions.setdefault(name, []).append(overload)
    container = {"container": DESCRIPTOR_PACKAGE} if patches else {}
    return {
        **container,
        "extensions": [
            {"name": "optional"},
            {"name": "sets"},
            {"name": "lists", "version": 2},
            {"name": "two-var-comprehensions"},
        ],
        "stdlib": {"exclude_functions": [{"name": name} for name in (*_ORDERINGS, "string")]},
        "functions": [{"name": name, "overloads": overloads} for name, overloads in functions.items()],
    }
