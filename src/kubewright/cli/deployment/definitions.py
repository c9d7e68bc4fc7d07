"""Definitions applied to a cluster, unless they would harm what it has; and deleted with their objects."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from kubewright.cli.deployment.applying import (
    DEFINITION,
    apply_manifest,
    await_established,
    pauses,
    refusal_told,
)
from kubewright.cli.deployment.definition_changes import (
    Harm,
    find_definition,
    find_harm,
    harm_told,
    objects_of,
)
from kubewright.client.apply_yaml import naming
from kubewright.machinery.errors import KubewrightError, NotFound, ParseError, TransportError, WaitTimeout
from kubewright.machinery.printable import printable

if TYPE_CHECKING:
    from kubewright.cli.deployment.progress import Progress
    from kubewright.client.manifests import Manifest
    from kubewright.models.apiextensions_v1 import CustomResourceDefinition
    from kubewright.sync import Client

__all__ = [
    "apply_definitions",
    "confirm_loss",
    "delete_definitions",
    "lost_objects",
    "present_definitions",
    "refuse_harm",
]

_MOST_HOLDERS: Final = 3
"""How many objects a sentence names that hold a definition."""

_FIRST_WORD: Final = 3.0
"""Seconds after which a deletion that takes long is explained."""


class _Holder(NamedTuple):
    """An object that is still there because of its finalizers."""

    name: str
    namespace: str
    finalizers: list[str]

    def __str__(self) -> str:
        place = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{place} ({', '.join(self.finalizers)})"


def present_definitions(client: Client, names: Iterable[str]) -> dict[str, CustomResourceDefinition]:
    """Those of these definitions that a cluster has, by name."""
    found = {name: find_definition(client, name) for name in names}
    return {name: each for name, each in found.items() if each is not None}


def refuse_harm(
    client: Client, manifests: Sequence[Manifest], *, progress: Progress, force: bool = False
) -> None:
    """End the command when definitions would harm what the cluster has; the changes are told first.

    `force` goes on where the server would let it; what that overrides is told as notes.
    """
    present = present_definitions(client, (each.name for each in manifests))
    harms = [
        harm
        for each in manifests
        if each.name in present and (harm := _find_harm(client, present[each.name], each, force=force))
    ]
    if not harms:
        return
    lines = [line for harm in harms for line in harm.lines]
    progress.details["changes"] = lines
    forced = force and not any(harm.refused for harm in harms)
    for line in lines:
        if forced:
            progress.note(f"forced: {line}")
        else:
            progress.say(line)
    if not forced:
        raise click.ClickException(harm_told(harms))


def _find_harm(client: Client, present: CustomResourceDefinition, manifest: Manifest, *, force: bool) -> Harm:
    try:
        return find_harm(client, present, manifest.data)
    except ParseError as error:
        if not force:
            raise
        return Harm(objects=[f"{manifest.name}: it cannot be compared with the cluster's: {error}"])


def apply_definitions(
    client: Client,
    manifests: Sequence[Manifest],
    *,
    progress: Progress,
    force: bool = False,
    dry_run: bool = False,
    timeout: float,
) -> None:
    """Apply definitions, and wait until their objects are served; `force` is that of `apply_manifest`.

    One that is being deleted is waited for, and made anew. Raises ApiError, TransportError, ParseError and
    WaitTimeout.
    """
    for each in manifests:
        present = find_definition(client, each.name)
        if present is not None and present.metadata.deletion_timestamp is not None and not dry_run:
            progress.say(f"{each.name} is being deleted; waiting until it is gone")
            _await_gone(client, [present], progress=progress, timeout=timeout)
        apply_manifest(client, each, progress=progress, force=force, dry_run=dry_run)
    if not dry_run:
        for each in manifests:
            await_established(client, each.name, timeout=timeout)


def lost_objects(client: Client, definitions: Iterable[CustomResourceDefinition]) -> list[str]:
    """What goes away with definitions: how many objects of which kind, for those that have some."""
    return [text for each in definitions if (text := _objects_told(client, each))]


def confirm_loss(lost: Sequence[str], *, yes: bool, progress: Progress) -> None:
    """Have a person agree to the loss of something, if there is any; without a terminal `yes` has to.

    Raises ClickException when there is nobody to ask, and when the answer is no.
    """
    if not lost:
        return
    progress.details["lost"] = list(lost)
    sentence = f"{' and '.join(lost)} will be deleted as well"
    if yes:
        progress.say(sentence)
    elif not _is_terminal():
        raise click.ClickException(f"{sentence}; give --yes if that is meant")
    elif not click.confirm(printable(f"{sentence}. Go on?"), err=True):
        raise click.ClickException("nothing was deleted")


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def delete_definitions(
    client: Client,
    names: Sequence[str],
    *,
    progress: Progress,
    timeout: float,
    remedy: str,
) -> None:
    """Delete definitions and with them their objects, and wait until they are gone; those not there are told.

    When objects are held by finalizers, WaitTimeout says which, with the `remedy`. Raises ApiError and
    TransportError.
    """
    present = present_definitions(client, names)
    api = client.dynamic(DEFINITION.api_version, DEFINITION.kind)
    for name in names:
        if name in present:
            with suppress(NotFound), naming(f"{DEFINITION.kind} {name}", refusal_told):
                api.delete(name)
        else:
            progress.done(DEFINITION, name, "", "not found")
    _await_gone(client, list(present.values()), progress=progress, timeout=timeout, remedy=remedy, tell=True)


def _await_gone(
    client: Client,
    definitions: Sequence[CustomResourceDefinition],
    *,
    progress: Progress,
    timeout: float,
    remedy: str = "run the operator with `kubewright run`",
    tell: bool = False,
) -> None:
    """Wait until these very definitions are gone, and say what holds them; `tell` of each that is gone."""
    left = list(definitions)
    told = ""
    for since in pauses(timeout):
        there = [each for each in left if _is_there(client, each)]
        for each in left if tell else ():
            if not any(each is other for other in there):
                progress.done(DEFINITION, each.metadata.name, "", "deleted")
        left = there
        if not left:
            return
        if since >= _FIRST_WORD:
            held = _held(client, left)
            if held and held != told:
                progress.say(f"waiting: {held}")
                told = held
    held = _held(client, left) or f"{_names(left)} is still there"
    raise WaitTimeout(f"{held} after {timeout:g} seconds; {remedy}{_patch(client, left)}")


def _is_there(client: Client, definition: CustomResourceDefinition) -> bool:
    found = find_definition(client, definition.metadata.name)
    return found is not None and found.metadata.uid == definition.metadata.uid


def _names(definitions: Iterable[CustomResourceDefinition]) -> str:
    return ", ".join(each.metadata.name for each in definitions)


def _held(client: Client, definitions: Iterable[CustomResourceDefinition]) -> str:
    """Which objects hold definitions by which finalizers; empty when none can be seen."""
    told: list[str] = []
    for definition in definitions:
        holders = _holders(client, definition)
        if holders:
            listed = ", ".join(map(str, holders[:_MOST_HOLDERS]))
            more = f" and {len(holders) - _MOST_HOLDERS} more" if len(holders) > _MOST_HOLDERS else ""
            told.append(f"{definition.metadata.name} is held by the finalizers of {listed}{more}")
    return "; ".join(told)


def _patch(client: Client, definitions: Iterable[CustomResourceDefinition]) -> str:
    """The command that lets the first object go for which nobody will do its finalizers' work."""
    for definition in definitions:
        for name, namespace, _ in _holders(client, definition)[:1]:
            place = f" -n {namespace}" if namespace else ""
            body = """'{"metadata":{"finalizers":null}}'"""
            return (
                f", or give up what the finalizers are for: kubectl patch {definition.metadata.name} "
                f"{name}{place} --type=merge -p {body}"
            )
    return ""


def _holders(client: Client, definition: CustomResourceDefinition) -> list[_Holder]:
    try:
        api = objects_of(client, definition)
        return [
            _Holder(each.metadata.name, each.metadata.namespace, list(each.metadata.finalizers))
            for each in (api.list() if api is not None else ())
            if each.metadata.finalizers
        ]
    except TransportError:
        raise
    except KubewrightError:
        return []  # they are no longer served, or there is no right to look


def _objects_told(client: Client, definition: CustomResourceDefinition) -> str:
    """How many objects there are of a definition, in words; empty for none."""
    kind = definition.spec.names.kind
    try:
        api = objects_of(client, definition)
        if api is None:
            return f"all objects of {kind}, which no version serves,"
        page = next(iter(api.list().pages()))
    except TransportError:
        raise
    except KubewrightError as error:
        return f"all objects of {kind}, which cannot be counted ({' '.join(str(error).split())}),"
    count = len(page.items) + (page.remaining or 0)
    if not count:
        return ""
    least = "at least " if page.continue_ and page.remaining is None else ""
    return f"{least}{count} {'object' if count == 1 else 'objects'} of {kind}"
