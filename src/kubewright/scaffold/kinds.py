"""What becomes of a project's record when a kind or webhooks are asked for; asking again changes nothing."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final, get_args

import msgspec

from kubewright.crd.naming import plural_of
from kubewright.machinery.errors import quoted
from kubewright.machinery.names import is_dns1123_subdomain
from kubewright.scaffold.errors import ScaffoldError, WrongName
from kubewright.scaffold.names import (
    check_domain,
    check_group,
    check_kind,
    check_package,
    check_plural,
    check_project_name,
    check_version,
)
from kubewright.scaffold.record import ProjectRecord, ScaffoldedKind, WebhookPart
from kubewright.scaffold.render_kinds import Kind, kinds_of
from kubewright.scaffold.wheel import check_wheel_name

__all__ = ["check_record", "with_kind", "with_webhooks"]

_PARTS: Final[tuple[WebhookPart, ...]] = get_args(WebhookPart)
"""In the order in which a record has them, whatever the order in which they were asked for."""


def with_kind(
    record: ProjectRecord,
    *,
    group: str,
    version: str,
    kind: str,
    plural: str | None = None,
    namespaced: bool | None = None,
    controller: bool | None = None,
) -> ProjectRecord:
    """The record with a version of a kind.

    What is None is as the kind has it already; a new one has the plural of English, lies in namespaces and
    has a controller. Raises WrongName, and ScaffoldError for what contradicts the kinds that there are.
    """
    check_group(group, record.domain)
    check_version(version)
    check_kind(kind)
    if plural is not None:
        check_plural(plural)
    versions = [each for each in record.kinds if (each.group, each.kind) == (group, kind)]
    if not versions:
        return _checked(
            record,
            ScaffoldedKind(
                group=group,
                version=version,
                kind=kind,
                plural=plural or plural_of(kind),
                namespaced=namespaced is not False,
                controller=controller is not False,
            ),
        )
    first = versions[0]
    _same_for_all_versions(first, plural, namespaced)
    has_controller = any(each.controller for each in versions)
    if controller is False and has_controller:
        raise ScaffoldError(
            f"{kind} has a controller already, which no command takes away; leave out --no-controller"
        )
    wanted = has_controller if controller is None else controller
    for known in versions:
        if known.version == version:
            return _replaced(
                record, known, msgspec.structs.replace(known, controller=known.controller or wanted)
            )
    added = msgspec.structs.replace(first, version=version, controller=wanted, webhooks=())
    return _checked(record, added)


def with_webhooks(
    record: ProjectRecord, *, group: str, version: str, kind: str, parts: Collection[WebhookPart]
) -> ProjectRecord:
    """The record with webhooks for a version of a kind, beside those that it has. Raises ScaffoldError."""
    check_group(group, record.domain)
    check_version(version)
    check_kind(kind)
    if not parts:
        raise WrongName("say what the webhooks are for: give --defaulting, --validation or --conversion")
    versions = [each for each in record.kinds if (each.group, each.kind) == (group, kind)]
    create = f"kubewright create api --group {group or repr('')} --kind {kind} --version"
    for known in versions:
        if known.version == version:
            break
    else:
        raise ScaffoldError(f"the project has no {kind} of version {version}; run `{create} {version}` first")
    if "conversion" in parts and len(versions) == 1:
        raise ScaffoldError(
            f"{kind} has one version, and nothing to convert to; run `{create} {_next(version)}` first"
        )
    others = (each for each in record.kinds if each.kind == kind and each.group != group)
    if "conversion" in parts and any("conversion" in each.webhooks for each in others):
        raise ScaffoldError(
            f"objects of the kind {kind} of another group are converted already, and one module would have "
            f"both by that name; make the kind anew by another one, such as Custom{kind}"
        )
    webhooks = tuple(part for part in _PARTS if part in parts or part in known.webhooks)
    return _replaced(record, known, msgspec.structs.replace(known, webhooks=webhooks))


def check_record(record: ProjectRecord) -> None:
    """Raises ScaffoldError for a record that no command has written; files are named after what is in it."""
    check_project_name(record.name)
    check_package(record.package)
    check_domain(record.domain)
    check_wheel_name(record.wheel)
    known = msgspec.structs.replace(record, kinds=())
    for each in record.kinds:
        check_group(each.group, record.domain)
        check_version(each.version)
        check_kind(each.kind)
        check_plural(each.plural)
        known = _checked(known, each)


def _checked(record: ProjectRecord, added: ScaffoldedKind) -> ProjectRecord:
    """The record with one more version of a kind, unless others are in its way."""
    for each in record.kinds:
        if (each.group, each.kind) == (added.group, added.kind):
            _same_for_all_versions(each, added.plural, added.namespaced)
            if each.version == added.version:
                raise ScaffoldError(f"{each.kind} of version {each.version} is there twice; take one away")
        elif each.group == added.group and each.kind.lower() == added.kind.lower():
            raise ScaffoldError(
                f"the group has a kind {each.kind} already, which differs in capitals only; "
                f"give --kind {each.kind}"
            )
        elif each.group == added.group and each.plural == added.plural:
            raise ScaffoldError(
                f"{each.kind} has the plural {each.plural} already; give another --plural for {added.kind}"
            )
    definition = f"{added.plural}.{record.api_group(added)}"
    if is_dns1123_subdomain(definition):
        raise WrongName(
            f"{quoted(definition)} is too long for the name of a definition; give a shorter --group"
        )
    wider = msgspec.structs.replace(record, kinds=(*record.kinds, added))
    files = [(each.module, _plain(each.group)) for each in kinds_of(wider) if each.name == added.kind]
    if len({module for module, _ in files}) != len(files) or len({group for _, group in files}) != len(files):
        raise ScaffoldError(
            f"another group has a kind {added.kind} already, and its files would have the same names; "
            f"take another --kind, such as Custom{added.kind}"
        )
    _refuse_same_names(added, wider)
    return wider


def _refuse_same_names(added: ScaffoldedKind, wider: ProjectRecord) -> None:
    """Raises ScaffoldError where what is named after a kind and its group is named after another kind too."""
    kinds = kinds_of(wider)
    modules = {each.module: each for each in kinds}
    aliases: dict[str, Kind] = {}
    for each in kinds:
        # The tests of conversions are called after the module, as those of a kind are.
        other = aliases.setdefault(each.alias, each)
        if other is each:
            other = modules.get(f"{each.module}_conversion", each)
        if other is not each:
            raise ScaffoldError(
                f"the files of {each.name} of {each.group} and of {other.name} of {other.group} would have "
                f"the same names; take another --kind, such as Custom{added.kind}"
            )


def _same_for_all_versions(first: ScaffoldedKind, plural: str | None, namespaced: bool | None) -> None:
    if plural is not None and plural != first.plural:
        raise ScaffoldError(
            f"{first.kind} has the plural {first.plural} in all its versions; leave out --plural {plural}"
        )
    if namespaced is not None and namespaced != first.namespaced:
        has, remedy = ("lies in namespaces", "leave out --cluster-scoped")
        if not first.namespaced:
            has, remedy = ("is cluster-scoped", "leave out --namespaced")
        raise ScaffoldError(f"{first.kind} {has} in all its versions; {remedy}")


def _plain(group: str) -> str:
    """A group as files are named after it, with nothing but letters, digits and dashes."""
    return group.replace(".", "-")


def _replaced(record: ProjectRecord, old: ScaffoldedKind, new: ScaffoldedKind) -> ProjectRecord:
    return msgspec.structs.replace(record, kinds=tuple(new if each == old else each for each in record.kinds))


def _next(version: str) -> str:
    """A version to create beside another."""
    number = re.findall("[0-9]+", version)[0]
    return f"v{number}" if version != f"v{number}" else f"v{int(number) + 1}"
