"""Objects applied to a cluster one by one, with what became of each."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from kubewright.cli.connect import is_missing_right
from kubewright.client.apply_yaml import conditions_by_type, naming
from kubewright.client.manifests import Manifest
from kubewright.machinery.errors import (
    ApiError,
    Conflict,
    Forbidden,
    NotFound,
    ParseError,
    ServerTimeout,
    ServiceUnavailable,
    Timeout,
    TooManyRequests,
    Unauthorized,
    WaitTimeout,
)
from kubewright.machinery.gvk import GroupVersionKind

if TYPE_CHECKING:
    from kubewright.cli.deployment.progress import Progress
    from kubewright.machinery.unstructured import Unstructured
    from kubewright.sync import Api, Client

__all__ = [
    "DEFINITION",
    "MANAGER",
    "Place",
    "apply_manifest",
    "await_established",
    "conflicting_fields",
    "conflicts_told",
    "pauses",
    "place_of",
    "refusal_told",
    "shown",
]

MANAGER: Final = "kubewright"
"""The field manager of both `install` and `deploy`, so that each takes up what the other applied."""

DEFINITION: Final = GroupVersionKind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")

_OTHER_SERVERS: Final = 10.0
"""Seconds until all API servers of a cluster know a definition that one serves: upstream gives them five."""

_FIRST_PAUSE: Final = 0.02
_LONGEST_PAUSE: Final = 1.0
"""Seconds between two looks at an object; doubled each time from the first to the longest."""

_UNCOMPARED: Final = frozenset({"generation", "managedFields", "resourceVersion"})
"""Members of metadata that are no part of what is applied. Owning a field is told by some of them as well, so
that the first to apply an object as it is would seem to have changed it."""

_MOST_FIELDS: Final = 5
"""How many fields of other managers a message names."""

_LONGEST: Final = 1000
"""Characters of a server's message that are told: it may quote a whole object."""

_REMEDIES: Final = [
    (re.compile(words), remedy)
    for words, remedy in (
        ("because it is being terminated", "wait until the namespace is gone"),
        ('^namespaces ".*" not found', "make the namespace, or add it to the manifests"),
        ("failed calling webhook", "have its server run, or delete the webhook's configuration"),
        ("denied the request|denied request", "change the object, or what denies it"),
        ("violates PodSecurity", "change the object, or the labels of its namespace"),
        ("exceeded quota", "have the quota raised, or make room in it"),
    )
]
"""What to do about refusals by the words that API servers have for them; the first that fits."""

R = TypeVar("R")


class Place(NamedTuple):
    """Where an object is."""

    api: Api[Unstructured]
    namespace: str
    """Empty for kinds that have none."""


def place_of(client: Client, manifest: Manifest) -> Place:
    """Where an object is, or would be: kinds that have namespaces are in the context's, unless they say one.

    Raises NotFound for kinds that the cluster does not serve.
    """
    gvk = manifest.gvk
    if not client.dynamic(gvk.api_version, gvk.kind).endpoint().namespaced:
        return Place(client.dynamic(gvk.api_version, gvk.kind), "")
    namespace = manifest.namespace or client.config.namespace
    return Place(client.dynamic(gvk.api_version, gvk.kind, namespace), namespace)


def apply_manifest(
    client: Client,
    manifest: Manifest,
    *,
    progress: Progress,
    force: bool = False,
    dry_run: bool = False,
    defined: bool = False,
) -> Unstructured:
    """Apply an object by server-side apply, tell what became of it, and give it back.

    `force` takes fields over that other managers own. `defined` says that the kind was defined a moment ago:
    API servers that do not know it yet are waited for. Raises ApiError, TransportError and ParseError, with
    words that say which object it is.
    """
    patience = _OTHER_SERVERS if defined else 0.0
    with naming(shown(manifest), refusal_told):
        place = _known(lambda: place_of(client, manifest), patience)
        present = _present(place.api, manifest.name)
        applied = _known(
            lambda: place.api.apply(manifest.data, manager=MANAGER, force=force, dry_run=dry_run), patience
        )
    progress.done(manifest.gvk, manifest.name, place.namespace, _result(present, applied))
    return applied


def await_established(client: Client, name: str, *, timeout: float) -> None:
    """Wait until the objects of a definition are served.

    Raises ParseError when the names of its kind are taken, and WaitTimeout.
    """
    api = client.dynamic(DEFINITION.api_version, DEFINITION.kind)
    for _ in pauses(timeout):
        conditions = conditions_by_type(api.get(name))
        if conditions.get("Established", ("", ""))[0] == "True":
            return
        status, message = conditions.get("NamesAccepted", ("", ""))
        if status == "False":
            raise ParseError(
                f"{name} cannot be served: {message}; give the kind other names, or delete what has them"
            )
    raise WaitTimeout(f"{name} is not served after {timeout:g} seconds; look at its conditions with kubectl")


def pauses(timeout: float) -> Iterator[float]:
    """A look now, and others at growing distances until the time is over; each says the seconds since."""
    started = time.monotonic()
    pause = _FIRST_PAUSE
    while True:
        since = time.monotonic() - started
        yield since
        if since >= timeout:
            return
        time.sleep(min(pause, max(timeout - since, 0.0)))
        pause = min(2 * pause, _LONGEST_PAUSE)


def shown(manifest: Manifest) -> str:
    """An object in words."""
    place = f" in {manifest.namespace}" if manifest.namespace else ""
    return f"{manifest.gvk.kind} {manifest.name}{place}"


def _present(api: Api[Unstructured], name: str) -> Unstructured | None:
    try:
        return api.get(name)
    except NotFound:
        return None


def _result(present: Unstructured | None, applied: Unstructured) -> str:
    if present is None:
        return "created"
    return "unchanged" if _compared(present) == _compared(applied) else "configured"


def _compared(obj: Unstructured) -> dict[str, Any]:
    data = obj.to_dict()
    metadata = {name: value for name, value in data["metadata"].items() if name not in _UNCOMPARED}
    return {**data, "metadata": metadata, "status": None}


def _known(ask: Callable[[], R], patience: float) -> R:
    """Ask again, as long as there is patience, while the answer is that there is no such resource."""
    failed: NotFound | None = None
    for _ in pauses(patience):
        try:
            return ask()
        except NotFound as error:
            # One that knows the kind says what is missing.
            if error.status.details is not None and error.status.details.kind == "namespaces":
                raise
            failed = error
    assert failed is not None  # noqa: S101 - there was one look at least
    raise failed


def _cut(message: str) -> str:
    return message if len(message) <= _LONGEST else f"{message[:_LONGEST]}..."


def conflicting_fields(error: ApiError) -> list[tuple[str, str]]:
    """The fields of other managers that an apply would have changed, each with the manager in words."""
    details = error.status.details
    causes = (details.causes if details is not None else None) or ()
    return [
        (each.field, each.message.removeprefix("conflict with "))
        for each in causes
        if each.reason == "FieldManagerConflict"
    ]


def conflicts_told(fields: Sequence[tuple[str, str]]) -> str:
    """Fields of other managers in words."""
    names = list(dict.fromkeys(field for field, _ in fields))
    more = f" and {len(names) - _MOST_FIELDS} more" if len(names) > _MOST_FIELDS else ""
    managers = ", ".join(dict.fromkeys(manager for _, manager in fields))
    return f"{', '.join(names[:_MOST_FIELDS])}{more} belong to {managers}"


def refusal_told(error: ApiError) -> str:
    """What the server says of an object, and what to do about it."""
    fields = conflicting_fields(error)
    if isinstance(error, Conflict) and fields:
        return f"{conflicts_told(fields)}; give --force-conflicts to install or deploy, to take them over"
    message = _cut((error.status.message or "the server gave no message").rstrip("."))
    if isinstance(error, Unauthorized) or (isinstance(error, Forbidden) and is_missing_right(error)):
        return message  # has its remedy where the connection is made
    if isinstance(error, ServerTimeout | ServiceUnavailable | Timeout | TooManyRequests):
        return f"{message}; give the command again in a while, which goes on from there"
    remedy = next((remedy for words, remedy in _REMEDIES if words.search(message)), "correct it")
    return f"{message}; {remedy}, and give the command again, which goes on from there"
