"""Applying many objects from YAML, each after those that it needs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

from kubewright.client.manifests import Manifest, in_install_order, read_manifests
from kubewright.machinery.errors import (
    ApiError,
    Conflict,
    EncodeError,
    NotFound,
    ParseError,
    RequestTimeout,
    TransportError,
)
from kubewright.machinery.gvk import GroupKind, GroupVersionKind
from kubewright.machinery.unstructured import Unstructured

if TYPE_CHECKING:
    from kubewright.client.client import Client

__all__ = ["apply_yaml", "conditions_by_type", "definitions_served", "naming"]

_DEFINITION: Final = GroupKind("apiextensions.k8s.io", "CustomResourceDefinition")

_PATIENCE: Final = 60.0
"""Seconds until definitions must be served: they are within one, or five where several API servers share a
cluster."""

_OTHER_SERVERS: Final = 10.0
"""Seconds in which all API servers of a cluster must know of a definition that one serves: each hears of it
within one, and upstream gives them five."""

_FIRST_PAUSE: Final = 0.02
_LONGEST_PAUSE: Final = 1.0
"""Seconds between two looks at a definition; doubled each time from the first to the longest."""


async def apply_yaml(
    client: Client,
    source: str | bytes | PathLike[str],
    *,
    manager: str = "kubewright",
    namespace: str | None = None,
    force: bool = False,
    dry_run: bool = False,
) -> list[Unstructured]:
    """Apply all objects of a YAML text, file or folder, and return them in the order they were applied.

    Everything is read before anything is applied. Namespaces come first, then definitions of custom
    resources, which are served when this goes on, then other kinds in Helm's order and custom resources last;
    objects of one kind keep their order. Behind several API servers, those that do not know of a definition
    yet are given some seconds. Objects that do not say their namespace are put into `namespace`,
    or that of the configuration; `manager`, `force` and `dry_run` are those of `Api.apply`. A dry run defines
    nothing, so that custom resources are refused in it whose definitions are not there yet.

    Raises ParseError for what is no manifest, and the error of the first object that is refused, ApiError or
    TransportError, with words that say which it is; those before it stay applied.
    """
    manifests = in_install_order(await asyncio.to_thread(read_manifests, source))
    applied: list[Unstructured] = []
    awaited: list[tuple[Manifest, Unstructured]] = []
    defined: set[GroupVersionKind] = set()
    for manifest in manifests:
        if manifest.gvk.group_kind != _DEFINITION and awaited:
            await definitions_served(client, awaited)
            awaited = []
        api = client.dynamic(manifest.gvk.api_version, manifest.gvk.kind, manifest.namespace or namespace)
        apply = partial(api.apply, manifest.data, manager=manager, force=force, dry_run=dry_run)
        with naming(str(manifest), _told):
            result = await (_applied_once_known(apply) if manifest.gvk in defined else apply())
        applied.append(result)
        if manifest.gvk.group_kind == _DEFINITION and not dry_run:
            awaited.append((manifest, result))
            defined.update(_served_kinds(result))
    if awaited:
        await definitions_served(client, awaited)
    return applied


async def definitions_served(
    client: Client, definitions: Sequence[tuple[Manifest, Unstructured]], *, within: float = _PATIENCE
) -> None:
    """Wait until custom resources that were just defined are served and known to discovery.

    Raises ParseError when a definition cannot come into force, because its names are taken, and
    RequestTimeout when it does not `within` so many seconds.
    """
    wanted: set[GroupVersionKind] = set()
    for manifest, definition in definitions:
        # Together with those before it: another API server may answer now, which does not know them.
        wanted.update(_served_kinds(definition))
        with naming(str(manifest), _told):
            try:
                async with asyncio.timeout(within):
                    await _established(client, manifest, definition)
                    await _discovered(client, wanted)
            except TimeoutError:
                raise RequestTimeout(f"it is not served after {within:g} seconds") from None


async def _established(client: Client, manifest: Manifest, definition: Unstructured) -> None:
    api = client.dynamic(manifest.gvk.api_version, manifest.gvk.kind)
    pause = _FIRST_PAUSE
    while True:
        conditions = conditions_by_type(definition)
        if conditions.get("Established", ("", ""))[0] == "True":
            return
        status, message = conditions.get("NamesAccepted", ("", ""))
        if status == "False":
            raise ParseError(f"its names are not accepted: {message}")
        await asyncio.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)
        definition = await api.get(manifest.name)


async def _discovered(client: Client, wanted: set[GroupVersionKind]) -> None:
    pause = _FIRST_PAUSE
    while True:
        served = await client.discovery.refresh()
        if wanted <= {resource.gvk for resource in served.resources()}:
            return
        await asyncio.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


async def _applied_once_known(apply: Callable[[], Awaitable[Unstructured]]) -> Unstructured:
    """Applies an object of a kind that was just defined, also through a server that has yet to hear of it."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + _OTHER_SERVERS
    pause = _FIRST_PAUSE
    while True:
        try:
            return await apply()
        except NotFound as error:
            # One that knows the kind says what is missing: the namespace.
            if (error.status.details is not None and error.status.details.kind) or loop.time() >= deadline:
                raise
        await asyncio.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


def conditions_by_type(definition: Unstructured) -> dict[str, tuple[str, str]]:
    """Status and message of each condition of a definition."""
    status = definition.get("status")
    listed = status.get("conditions") if isinstance(status, Mapping) else None
    return {
        str(each.get("type")): (str(each.get("status")), str(each.get("message")))
        for each in listed or ()
        if isinstance(each, Mapping)
    }


def _served_kinds(definition: Unstructured) -> list[GroupVersionKind]:
    spec: Any = definition["spec"]
    return [
        GroupVersionKind(spec["group"], version["name"], spec["names"]["kind"])
        for version in spec["versions"]
        if version.get("served")
    ]


@contextmanager
def naming(shown: str, told: Callable[[ApiError], str]) -> Iterator[None]:
    """Errors get words that say of which object they are; `told` is what an ApiError says of it."""
    try:
        yield
    except ApiError as error:
        status = error.status.copy()
        status.message = f"{shown}: {told(error)}"
        raise type(error)(status) from error
    except TransportError as error:
        raise type(error)(f"{shown}: {error}", was_sent=error.was_sent) from error
    except (ParseError, EncodeError) as error:
        raise type(error)(f"{shown}: {error}") from error


def _told(error: ApiError) -> str:
    remedy = "; force=True takes the fields of other managers over" if isinstance(error, Conflict) else ""
    return f"{error.status.message}{remedy}"
