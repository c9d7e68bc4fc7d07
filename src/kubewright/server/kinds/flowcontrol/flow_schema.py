"""The rules of FlowSchemas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kubewright.machinery.field_errors import FieldError, forbidden, invalid, not_supported, required
from kubewright.machinery.names import name_is_dns_label, name_is_dns_subdomain
from kubewright.server.kinds.fields import clear_status, keep_status
from kubewright.server.kinds.flowcontrol.status import STATUS, validate_status
from kubewright.server.kinds.kind import Errors, Kind, Object, same_spec_generation

__all__ = ["FLOW_SCHEMA"]

_PRECEDENCE: Final = 1000
"""Upstream's FlowSchemaDefaultMatchingPrecedence."""

_LAST: Final = 10000
"""Upstream's FlowSchemaMaxMatchingPrecedence."""

_METHODS: Final = ("ByNamespace", "ByUser")
_KINDS: Final = {"Group": "group", "ServiceAccount": "serviceAccount", "User": "user"}
_VERBS: Final = (
    "create",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "proxy",
    "update",
    "watch",
)
_EVERYTHING: Final = {
    "resourceRules": [
        {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "clusterScope": True, "namespaces": ["*"]}
    ],
    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
}


def _groups(*names: str) -> list[Object]:
    return [{"kind": "Group", "group": {"name": name}} for name in names]


_MANDATORY: Final = {
    "exempt": {
        "priorityLevelConfiguration": {"name": "exempt"},
        "matchingPrecedence": 1,
        "rules": [{"subjects": _groups("system:masters"), **_EVERYTHING}],
    },
    "catch-all": {
        "priorityLevelConfiguration": {"name": "catch-all"},
        "matchingPrecedence": _LAST,
        "distinguisherMethod": {"type": "ByUser"},
        "rules": [{"subjects": _groups("system:unauthenticated", "system:authenticated"), **_EVERYTHING}],
    },
}
"""The schemas that every server has, with the specs that they must have."""


def _default(obj: Object) -> None:
    spec = obj.setdefault("spec", {})
    if not spec.get("matchingPrecedence"):
        spec["matchingPrecedence"] = _PRECEDENCE


def _validate(obj: Object) -> Errors:
    spec, name = obj.get("spec") or {}, (obj.get("metadata") or {}).get("name") or ""
    errors = _validate_spec(spec, name)
    if name in _MANDATORY and spec != _MANDATORY[name]:
        detail = f"spec of '{name}' must equal the fixed value"
        errors.append(invalid("spec", _spec_as_go(spec), detail))
    return errors + validate_status(obj)


def _validate_update(obj: Object, old: Object) -> Errors:
    return _validate(obj)


def _validate_spec(spec: Object, name: str) -> Errors:
    errors: Errors = []
    path, precedence = "spec.matchingPrecedence", spec.get("matchingPrecedence") or 0
    if precedence <= 0:
        errors.append(invalid(path, precedence, "must be a positive value"))
    if precedence > _LAST:
        errors.append(invalid(path, precedence, f"must not be greater than {_LAST}"))
    if precedence == 1 and name != "exempt":
        detail = "only the schema named 'exempt' may have matchingPrecedence 1"
        errors.append(invalid(path, precedence, detail))
    method = spec.get("distinguisherMethod")
    if method is not None and method.get("type") not in _METHODS:
        shown = {"Type": method.get("type") or ""}
        errors.append(not_supported("spec.distinguisherMethod.type", shown, _METHODS))
    path, level = "spec.priorityLevelConfiguration.name", _level(spec)
    if not level:
        errors.append(required(path, "must reference a priority level"))
    else:
        errors += [invalid(path, level, message) for message in name_is_dns_subdomain(level)]
    for index, rule in enumerate(spec.get("rules") or ()):
        errors += _validate_rule(rule, f"spec.rules[{index}]")
    return errors


def _level(spec: Object) -> str:
    name: str = (spec.get("priorityLevelConfiguration") or {}).get("name") or ""
    return name


def _validate_rule(rule: Object, path: str) -> Errors:
    errors: Errors = []
    subjects = rule.get("subjects") or ()
    resources, others = rule.get("resourceRules") or (), rule.get("nonResourceRules") or ()
    for index, subject in enumerate(subjects):
        errors += _validate_subject(subject, f"{path}.subjects[{index}]")
    if not subjects:
        errors.append(required(f"{path}.subjects", "subjects must contain at least one value"))
    if not resources and not others:
        detail = "at least one of resourceRules and nonResourceRules has to be non-empty"
        errors.append(required(path, detail))
    for index, each in enumerate(resources):
        errors += _validate_resources(each, f"{path}.resourceRules[{index}]")
    for index, each in enumerate(others):
        errors += _validate_urls(each, f"{path}.nonResourceRules[{index}]")
    return errors


def _validate_subject(subject: Object, path: str) -> Errors:
    kind = subject.get("kind") or ""
    field = _KINDS.get(kind)
    if field is None:
        return [not_supported(f"{path}.kind", kind, tuple(_KINDS))]
    given, place = subject.get(field), f"{path}.{field}"
    errors: Errors = []
    if given is None:
        errors.append(required(place, f"{field} is required when subject kind is '{kind}'"))
    elif kind == "ServiceAccount":
        errors += _validate_account(given, place)
    elif not given.get("name"):
        errors.append(required(f"{place}.name"))
    # In the order in which upstream forbids them.
    for other_kind, other in (("ServiceAccount", "serviceAccount"), ("User", "user"), ("Group", "group")):
        if other != field and subject.get(other) is not None:
            detail = f"{other} is forbidden when subject kind is not '{other_kind}'"
            errors.append(forbidden(f"{path}.{other}", detail))
    return errors


def _validate_account(account: Object, path: str) -> Errors:
    errors: Errors = []
    name, namespace = account.get("name") or "", account.get("namespace") or ""
    if not name:
        errors.append(required(f"{path}.name"))
    elif name != "*":
        errors += [invalid(f"{path}.name", name, message) for message in name_is_dns_subdomain(name)]
    if not namespace:
        errors.append(required(f"{path}.namespace", "must specify namespace for service account"))
    else:
        messages = name_is_dns_label(namespace)
        errors += [invalid(f"{path}.namespace", namespace, message) for message in messages]
    return errors


def _validate_verbs(verbs: Sequence[str], path: str) -> Errors:
    if not verbs:
        return [required(path, "verbs must contain at least one value")]
    if "*" in verbs:
        return _alone(verbs, path, "verbs")
    return [] if set(verbs) <= set(_VERBS) else [not_supported(path, verbs, _VERBS)]


def _alone(values: Sequence[str], path: str, what: str) -> Errors:
    if len(values) < 2 or "*" not in values:
        return []
    return [invalid(path, values, f"if '*' is present, must not specify other {what}")]


def _validate_resources(rule: Object, path: str) -> Errors:
    errors = _validate_verbs(rule.get("verbs") or (), f"{path}.verbs")
    for field, one, many in (
        ("apiGroups", "api group", "api groups"),
        ("resources", "resource", "resources"),
    ):
        values = rule.get(field) or ()
        if not values:
            errors.append(required(f"{path}.{field}", f"resource rules must supply at least one {one}"))
        errors += _alone(values, f"{path}.{field}", many)
    namespaces = rule.get("namespaces") or ()
    if not namespaces and not rule.get("clusterScope"):
        detail = "resource rules that are not cluster scoped must supply at least one namespace"
        errors.append(required(f"{path}.namespaces", detail))
    elif "*" in namespaces:
        errors += _alone(namespaces, f"{path}.namespaces", "namespaces")
    else:
        told = "each member of this list must be '*' or a DNS-1123 label; "
        for index, namespace in enumerate(namespaces):
            for message in name_is_dns_label(namespace):
                errors.append(invalid(f"{path}.namespaces[{index}]", namespace, told + message))
    return errors


def _validate_urls(rule: Object, path: str) -> Errors:
    errors = _validate_verbs(rule.get("verbs") or (), f"{path}.verbs")
    urls, place = rule.get("nonResourceURLs") or (), f"{path}.nonResourceURLs"
    if not urls:
        errors.append(required(place, "nonResourceURLs must contain at least one value"))
    elif "*" in urls:
        errors += _alone(urls, place, "non-resource URLs")
    else:
        for index, url in enumerate(urls):
            wrong = _url_error(url, f"{place}[{index}]")
            if wrong is not None:
                errors.append(wrong)
    return errors


def _url_error(url: str, path: str) -> FieldError | None:
    if not url:
        return invalid(path, url, "must not be empty")
    if url == "/":
        return None
    if not url.startswith("/"):
        return invalid(path, url, "must start with slash")
    if " " in url:
        return invalid(path, url, "must not contain white-space")
    if "//" in url:
        return invalid(path, url, "must not contain double slash")
    if url.count("*") > 1 or ("*" in url and not url.endswith("/*")):
        return invalid(path, url, "wildcard can only do suffix matching")
    return None


def _spec_as_go(spec: Object) -> Object:
    method, rules = spec.get("distinguisherMethod"), spec.get("rules")
    return {
        "PriorityLevelConfiguration": {"Name": _level(spec)},
        "MatchingPrecedence": spec.get("matchingPrecedence") or 0,
        "DistinguisherMethod": None if method is None else {"Type": method.get("type") or ""},
        "Rules": None if not rules else [_rule_as_go(rule) for rule in rules],
    }


def _rule_as_go(rule: Object) -> Object:
    resources, others = rule.get("resourceRules") or (), rule.get("nonResourceRules") or ()
    return {
        "Subjects": [_subject_as_go(subject) for subject in rule.get("subjects") or ()] or None,
        "ResourceRules": [
            {
                "Verbs": each.get("verbs") or None,
                "APIGroups": each.get("apiGroups") or None,
                "Resources": each.get("resources") or None,
                "ClusterScope": bool(each.get("clusterScope")),
                "Namespaces": each.get("namespaces") or None,
            }
            for each in resources
        ]
        or None,
        "NonResourceRules": [
            {"Verbs": each.get("verbs") or None, "NonResourceURLs": each.get("nonResourceURLs") or None}
            for each in others
        ]
        or None,
    }


def _subject_as_go(subject: Object) -> Object:
    shown: Object = {"Kind": subject.get("kind") or ""}
    for field in ("user", "group"):
        given = subject.get(field)
        shown[field.capitalize()] = None if given is None else {"Name": given.get("name") or ""}
    account = subject.get("serviceAccount")
    shown["ServiceAccount"] = None
    if account is not None:
        shown["ServiceAccount"] = {
            "Namespace": account.get("namespace") or "",
            "Name": account.get("name") or "",
        }
    return shown


FLOW_SCHEMA: Final = Kind(
    default=_default,
    prepare_create=clear_status,
    prepare_update=keep_status,
    validate=_validate,
    validate_update=_validate_update,
    generation=same_spec_generation,
    subresources={"status": STATUS},
)
