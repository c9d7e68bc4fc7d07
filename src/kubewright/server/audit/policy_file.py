"""Audit policies as they are written: `Policy` of `audit.k8s.io/v1`, read and checked."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from kubewright.machinery import yaml
from kubewright.machinery.errors import DecodeError, KubewrightError
from kubewright.machinery.field_errors import FieldError, invalid, not_supported, required
from kubewright.machinery.names import is_dns1123_subdomain
from kubewright.server.audit.policy import LEVELS, STAGES, Decided, Policy, ResourceRule, Rule

__all__ = ["AuditPolicyInvalid", "read_policy"]

_API_VERSION: Final = "audit.k8s.io/v1"

_MAX_FILE: Final = 3 * 1024 * 1024
"""The largest policy that is read: as large as an object of the API may be."""

_log: Final = logging.getLogger("kubewright.server")


class AuditPolicyInvalid(KubewrightError):
    """An audit policy cannot be used; the message says where it is wrong."""


class _ResourcesForm(msgspec.Struct, rename="camel"):
    group: str | None = None
    resources: list[str] | None = None
    resource_names: list[str] | None = None


class _RuleForm(msgspec.Struct, rename="camel"):
    level: str | None = None
    users: list[str] | None = None
    user_groups: list[str] | None = None
    verbs: list[str] | None = None
    resources: list[_ResourcesForm] | None = None
    namespaces: list[str] | None = None
    non_resource_urls: list[str] | None = msgspec.field(name="nonResourceURLs", default=None)
    omit_stages: list[str] | None = None
    omit_managed_fields: bool | None = None


class _PolicyForm(msgspec.Struct, rename="camel"):
    api_version: str = ""
    kind: str = ""
    metadata: dict[str, Any] | None = None
    rules: list[_RuleForm] | None = None
    omit_stages: list[str] | None = None
    omit_managed_fields: bool | None = None


_INNER: Final[Mapping[tuple[type[msgspec.Struct], str], type[msgspec.Struct]]] = {
    (_PolicyForm, "rules"): _RuleForm,
    (_RuleForm, "resources"): _ResourcesForm,
}
"""The members that are lists of forms."""


def read_policy(given: str | Path | Mapping[str, object]) -> Policy:
    """The policy in a file of YAML or JSON, or in plain data.

    Fields that nobody knows are warned of and left out, as upstream does it. Raises AuditPolicyInvalid.
    """
    if isinstance(given, Mapping):
        return _policy(given, "the audit policy")
    where = f"the audit policy {given}"
    try:
        with Path(given).open("rb") as file:
            data = file.read(_MAX_FILE + 1)
    except OSError as error:
        raise AuditPolicyInvalid(f"{where} cannot be read: {error.strerror or error}") from None
    if len(data) > _MAX_FILE:
        raise AuditPolicyInvalid(f"{where} is larger than {_MAX_FILE} bytes; name a file with a Policy")
    try:
        plain = yaml.load(data)
    except DecodeError as error:
        raise AuditPolicyInvalid(f"{where} is neither YAML nor JSON: {error}") from None
    return _policy(plain, where)


def _policy(plain: object, where: str) -> Policy:
    try:
        form = msgspec.convert(plain, _PolicyForm)
    except msgspec.ValidationError as error:
        raise AuditPolicyInvalid(f"{where} is no Policy: {error}") from None
    if (form.api_version, form.kind) != (_API_VERSION, "Policy"):
        raise AuditPolicyInvalid(f"{where} must have apiVersion: {_API_VERSION} and kind: Policy")
    errors = list(_errors(form))
    if errors:
        raise AuditPolicyInvalid(f"{where} is wrong: {'; '.join(map(str, errors))}")
    if not form.rules:
        raise AuditPolicyInvalid(f"{where} has no rules; with 'rules: [{{level: Metadata}}]' all is logged")
    if unknown := list(_unknown(plain, _PolicyForm, "")):
        _log.warning("%s has fields that nobody knows, which are left out: %s", where, ", ".join(unknown))
    return Policy([_rule(each, form) for each in form.rules])


def _rule(form: _RuleForm, policy: _PolicyForm) -> Rule:
    omit = form.omit_managed_fields
    return Rule(
        decided=Decided(
            level=LEVELS.index(form.level or ""),
            omit_stages=frozenset((*(policy.omit_stages or ()), *(form.omit_stages or ()))),
            omit_managed_fields=bool(policy.omit_managed_fields) if omit is None else omit,
        ),
        users=_any_of(form.users),
        groups=_any_of(form.user_groups),
        verbs=_any_of(form.verbs),
        namespaces=_any_of(form.namespaces),
        resources=[
            ResourceRule(
                group=None if each.group == "*" else each.group or "",
                resources=frozenset(each.resources or ()),
                names=_any_of(each.resource_names),
            )
            for each in form.resources or ()
        ],
        paths=form.non_resource_urls or (),
    )


def _any_of(texts: Sequence[str] | None) -> frozenset[str] | None:
    """What a list of a rule means: an empty one is as none."""
    return frozenset(texts) if texts else None


def _errors(form: _PolicyForm) -> Iterator[FieldError]:
    yield from _stage_errors(form.omit_stages, "omitStages")
    for index, rule in enumerate(form.rules or ()):
        path = f"rules[{index}]"
        if not rule.level:
            yield required(f"{path}.level")
        elif rule.level not in LEVELS:
            yield not_supported(f"{path}.level", rule.level, LEVELS)
        urls = f"{path}.nonResourceURLs"
        yield from _url_errors(rule.non_resource_urls or (), urls)
        yield from _resource_errors(rule.resources or (), f"{path}.resources")
        yield from _stage_errors(rule.omit_stages, f"{path}.omitStages")
        if rule.non_resource_urls and (rule.resources or rule.namespaces):
            detail = "rules cannot apply to both regular resources and non-resource URLs"
            yield invalid(urls, rule.non_resource_urls, detail)


def _stage_errors(stages: Sequence[str] | None, path: str) -> Iterator[FieldError]:
    for index, stage in enumerate(stages or ()):
        if stage not in STAGES:
            yield invalid(f"{path}[{index}]", stage, f"allowed stages are {','.join(STAGES)}")


def _url_errors(urls: Sequence[str], path: str) -> Iterator[FieldError]:
    for index, url in enumerate(urls):
        if url != "*" and not url.startswith("/"):
            detail = "non-resource URL rules must begin with a '/' character"
            yield invalid(f"{path}[{index}]", url, detail)
        if "*" in url[:-1]:
            detail = "non-resource URL wildcards '*' must be the final character of the rule"
            yield invalid(f"{path}[{index}]", url, detail)


def _resource_errors(resources: Sequence[_ResourcesForm], path: str) -> Iterator[FieldError]:
    for each in resources:
        if each.group and each.group != "*" and (wrong := is_dns1123_subdomain(each.group)):
            yield invalid(f"{path}.group", each.group, ",".join(wrong))
        if each.resource_names and not each.resources:
            detail = "using resourceNames requires at least one resource"
            yield invalid(f"{path}.resourceNames", each.resource_names, detail)


def _unknown(plain: object, form: type[msgspec.Struct], path: str) -> Iterator[str]:
    """The paths of members that a form does not have."""
    if not isinstance(plain, Mapping):
        return
    known = {field.encode_name for field in msgspec.structs.fields(form)}
    for name, value in plain.items():
        if name not in known:
            yield f"{path}{name}"
        elif (inner := _INNER.get((form, name))) is not None:
            for index, each in enumerate(value or ()):
                yield from _unknown(each, inner, f"{path}{name}[{index}].")
