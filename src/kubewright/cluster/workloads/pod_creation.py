"""Pods after a template, created in batches that grow while all goes well."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from kubewright.controllers.owners import owner_reference
from kubewright.machinery.errors import ApiError, KubewrightError
from kubewright.machinery.meta import ObjectMeta
from kubewright.models.core_v1 import Pod

if TYPE_CHECKING:
    from kubewright.client.api import Api
    from kubewright.controllers.events import EventRecorder
    from kubewright.machinery.resource import Resource
    from kubewright.models.core_v1 import PodTemplateSpec

__all__ = [
    "Created",
    "answered",
    "create_pods",
    "error_text",
    "is_namespace_terminating",
    "pod_from_template",
]

A = TypeVar("A")
T = TypeVar("T")

_FIRST_BATCH: Final = 1
"""Upstream's: when the first pod fails, all of them are likely to, and no others are tried."""

_AT_ONCE: Final = 8
"""Requests that one controller has under way: more would not be answered sooner by a server in the same event
loop, and would make others wait for theirs."""

_LONGEST_NAME: Final = 253
"""Of a pod, and so of what its name is generated from."""


class Created(NamedTuple):
    """What came of creating pods."""

    pods: list[Pod]
    error: KubewrightError | None
    """Why it went no further; None also when the namespace is being deleted, where nothing can be done."""


def pod_from_template(owner: Resource, template: PodTemplateSpec) -> Pod:
    """The pod that a controller creates, again and again: its name is generated."""
    said = template.metadata
    prefix = f"{owner.metadata.name}-"
    metadata = ObjectMeta(
        generate_name=prefix if len(prefix) <= _LONGEST_NAME else owner.metadata.name,
        owner_references=[owner_reference(owner, controller=True, block_owner_deletion=True)],
    )
    if said.labels:
        metadata.labels = dict(said.labels)
    if said.annotations:
        metadata.annotations = dict(said.annotations)
    if said.finalizers:
        metadata.finalizers = list(said.finalizers)
    return Pod(metadata=metadata, spec=template.spec)


async def create_pods(
    pods: Api[Pod], owner: Resource, template: PodTemplateSpec, count: int, events: EventRecorder
) -> Created:
    """Create `count` pods, and record an event about the owner for each.

    The first batch is one pod, and each that succeeds is followed by one of twice the size. When one pod
    of a batch fails, the rest of the batch is still created, and no further batch is begun.
    """
    pod = pod_from_template(owner, template)
    created: list[Pod] = []
    size = min(_FIRST_BATCH, count)
    while size:
        answers = await answered(lambda _: pods.create(pod), range(size))
        made = [each for each in answers if isinstance(each, Pod)]
        for each in made:
            events.normal(owner, "SuccessfulCreate", f"Created pod: {each.metadata.name}")
        created += made
        failures = [each for each in answers if isinstance(each, BaseException)]
        if failures:
            return Created(created, _reported(failures, owner, events))
        size = min(2 * size, count - len(created))
    return Created(created, None)


async def answered(ask: Callable[[T], Awaitable[A]], items: Sequence[T]) -> list[A | BaseException]:
    """What a request for each of some items returned or raised, a few of them at once."""
    found: list[A | BaseException] = []
    for start in range(0, len(items), _AT_ONCE):
        few = items[start : start + _AT_ONCE]
        found += await asyncio.gather(*(ask(item) for item in few), return_exceptions=True)
    return found


def error_text(error: KubewrightError) -> str:
    """What the server said, as Go's errors print it."""
    return error.status.message if isinstance(error, ApiError) and error.status.message else str(error)


def is_namespace_terminating(error: BaseException) -> bool:
    """Whether something could not be created because its namespace is being deleted."""
    if not isinstance(error, ApiError) or error.status.details is None:
        return False
    return any(cause.reason == "NamespaceTerminating" for cause in error.status.details.causes)


def _reported(
    failures: list[BaseException], owner: Resource, events: EventRecorder
) -> KubewrightError | None:
    found: list[KubewrightError] = []
    for failure in failures:
        if not isinstance(failure, KubewrightError):
            raise failure
        if not is_namespace_terminating(failure):
            events.warning(owner, "FailedCreate", f"Error creating: {error_text(failure)}")
            found.append(failure)
    return found[0] if found else None
