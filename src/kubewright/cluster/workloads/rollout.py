"""One look at a Deployment: its ReplicaSets, found, created, scaled and cleaned up."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from kubewright.cluster.workloads.deployment_conditions import (
    CREATE_ERROR,
    FOUND,
    NEW_CREATED,
    PROGRESSING,
    condition,
    has_deadline,
    put_condition,
)
from kubewright.cluster.workloads.pod_creation import error_text, is_namespace_terminating
from kubewright.cluster.workloads.revisions import (
    DESIRED_REPLICAS,
    MAX_REPLICAS,
    REVISION,
    annotate_new,
    annotate_sizes,
    highest_revision,
    revision_of,
    size_annotation,
)
from kubewright.cluster.workloads.rolling import (
    ROLLING_UPDATE,
    Scaling,
    Share,
    Size,
    in_proportion,
    limits_of,
    new_size,
)
from kubewright.cluster.workloads.templates import (
    HASH_LABEL,
    replica_set_name,
    same_template,
    template_hash,
)
from kubewright.controllers.clock import current_time
from kubewright.controllers.conditions import find_condition
from kubewright.controllers.owners import is_controlled_by, owner_reference
from kubewright.machinery.errors import AlreadyExists, ApiError, NotFound
from kubewright.machinery.field_errors import go_quote
from kubewright.machinery.meta import ObjectMeta
from kubewright.models.apps_v1 import Deployment, ReplicaSet, ReplicaSetSpec

if TYPE_CHECKING:
    from kubewright.controllers.context import Context
    from kubewright.models.core_v1 import PodTemplateSpec

__all__ = ["Rollout", "largest_first", "size_of"]

_KEEP_ALL: Final = 2**31 - 1
"""What a revisionHistoryLimit is set to by those who want none."""


class Rollout:
    """The ReplicaSets of a Deployment, and what is done to them in one reconcile.

    The Deployment is changed in memory: its status and its annotation of the revision are written by the
    caller, at once.
    """

    def __init__(self, ctx: Context, deployment: Deployment, replica_sets: Iterable[ReplicaSet]) -> None:
        self._ctx: Final = ctx
        self.deployment: Final = deployment
        self.limits: Final = limits_of(deployment)
        self._api: Final = ctx.client.api(ReplicaSet, deployment.metadata.namespace)
        self._by_name: Final = {each.metadata.name: each for each in sorted(replica_sets, key=_age)}
        template = deployment.spec.template
        self._new = next(
            (name for name, each in self._by_name.items() if same_template(each.spec.template, template)), ""
        )

    @property
    def all(self) -> list[ReplicaSet]:
        """From the oldest to the youngest."""
        return list(self._by_name.values())

    @property
    def new(self) -> ReplicaSet | None:
        """The oldest one with the present template."""
        return self._by_name.get(self._new)

    @property
    def old(self) -> list[ReplicaSet]:
        """The others, from the oldest to the youngest."""
        return [each for each in self._by_name.values() if each.metadata.name != self._new]

    async def sync_revision(self) -> None:
        """Give the new ReplicaSet, if there is one, the highest revision, and the Deployment the same."""
        new = self.new
        if new is None:
            return
        changed = annotate_new(self.deployment, new, highest_revision(self.old) + 1)
        seconds = self.deployment.spec.min_ready_seconds
        if changed or (new.spec.min_ready_seconds or 0) != (seconds or 0):
            new.spec.min_ready_seconds = seconds or None
            new = self._by_name[self._new] = await self._api.update(new)
        self._set_revision(new.metadata.annotations.get(REVISION, ""))
        status = self.deployment.status
        if has_deadline(self.deployment) and find_condition(status.conditions, PROGRESSING) is None:
            message = f"Found new replica set {go_quote(new.metadata.name)}"
            put_condition(status, condition(PROGRESSING, "True", FOUND, message, current_time()))

    async def create_new(self) -> bool:
        """Create the ReplicaSet of the present template; False when its name belongs to another one.

        Then the count of collisions has grown, so that the next name is another.
        """
        wanted = self._wanted()
        name = wanted.metadata.name
        revision = highest_revision(self.old) + 1
        wanted.spec.replicas = new_size(self.limits, size_of(wanted), map(size_of, self.old))
        annotate_new(self.deployment, wanted, revision)
        annotate_sizes(wanted, self.limits.desired, self.limits.most)
        try:
            created = await self._api.create(wanted)
        except AlreadyExists:
            there = await self._same(name)
            if there is None:
                status = self.deployment.status
                status.collision_count = (status.collision_count or 0) + 1
                return False
            created = there
        except ApiError as error:
            self._report_failure(name, error)
            raise
        else:
            if wanted.spec.replicas:
                self._event(f"Scaled up replica set {name} from 0 to {wanted.spec.replicas}")
            if has_deadline(self.deployment):
                message = f"Created new replica set {go_quote(name)}"
                made = condition(PROGRESSING, "True", NEW_CREATED, message, current_time())
                put_condition(self.deployment.status, made)
        self._new = name
        self._by_name[name] = created
        self._set_revision(str(revision))
        return True

    async def scale(self, steps: Iterable[Scaling], *, note_sizes: bool = False) -> bool:
        """Give ReplicaSets other sizes, in this order; whether any has got one.

        With `note_sizes` also those that keep their size are told what the Deployment's is.
        """
        scaled = False
        for name, size in steps:
            replica_set = self._by_name[name]
            before = replica_set.spec.replicas or 0
            if before == size and not note_sizes:
                continue
            noted = annotate_sizes(replica_set, self.limits.desired, self.limits.most)
            if before == size and not noted:
                continue
            replica_set.spec.replicas = size
            self._by_name[name] = await self._api.update(replica_set)
            if before != size:
                direction = "up" if before < size else "down"
                self._event(f"Scaled {direction} replica set {name} from {before} to {size}")
                scaled = True
        return scaled

    async def scale_in_proportion(self) -> None:
        """Follow a change of the Deployment's size, or what becomes of a paused one."""
        active = [each for each in self.all if each.spec.replicas]
        if len(active) <= 1:
            only = active[0] if active else self.new or (self.old[-1] if self.old else None)
            if only is not None:
                await self.scale([Scaling(only.metadata.name, self.limits.desired)])
            return
        if self._is_saturated():
            await self.scale(Scaling(each.metadata.name, 0) for each in self.old if each.spec.replicas)
            return
        if self.deployment.spec.strategy.type == ROLLING_UPDATE:
            total = sum(each.spec.replicas or 0 for each in active)
            grows = self.limits.desired > 0 and self.limits.most > total
            shares = [self._share(each) for each in largest_first(active, grows=grows)]
            steps = in_proportion(self.limits, shares, self.deployment.status.replicas or 0)
            await self.scale(steps, note_sizes=True)

    async def clean_up(self) -> None:
        """Delete the oldest ReplicaSets without pods, but as many as the Deployment wants to keep."""
        limit = self.deployment.spec.revision_history_limit
        if limit is None or limit == _KEEP_ALL:
            return
        alive = [each for each in self.old if each.metadata.deletion_timestamp is None]
        surplus = len(alive) - limit
        if surplus <= 0:
            return
        for each in sorted(alive, key=lambda each: (revision_of(each) or 0, *_age(each)))[:surplus]:
            status = each.status
            observed = (status.observed_generation or 0) >= (each.metadata.generation or 0)
            if status.replicas or each.spec.replicas or not observed:
                continue
            with suppress(NotFound):
                await self._api.delete(each.metadata.name)
            del self._by_name[each.metadata.name]

    def _wanted(self) -> ReplicaSet:
        spec = self.deployment.spec
        hashed = template_hash(spec.template, self.deployment.status.collision_count)
        template = _labelled(spec.template, hashed)
        selector = spec.selector.copy()
        selector.match_labels = {**selector.match_labels, HASH_LABEL: hashed}
        metadata = ObjectMeta(
            name=replica_set_name(self.deployment.metadata.name, hashed),
            namespace=self.deployment.metadata.namespace,
            labels=dict(template.metadata.labels),
            owner_references=[owner_reference(self.deployment, controller=True, block_owner_deletion=True)],
        )
        made = ReplicaSetSpec(selector=selector, template=template, replicas=0)
        if spec.min_ready_seconds:
            made.min_ready_seconds = spec.min_ready_seconds
        return ReplicaSet(metadata=metadata, spec=made)

    async def _same(self, name: str) -> ReplicaSet | None:
        """The ReplicaSet that has the name already, if it is the one that was to be created."""
        api = self._ctx.client.uncached.api(ReplicaSet, self.deployment.metadata.namespace)
        try:
            there = await api.get(name)
        except NotFound:
            return None
        same = same_template(there.spec.template, self.deployment.spec.template)
        return there if same and is_controlled_by(there, self.deployment) else None

    def _report_failure(self, name: str, error: ApiError) -> None:
        if is_namespace_terminating(error):
            return
        message = f"Failed to create new replica set {go_quote(name)}: {error_text(error)}"
        if has_deadline(self.deployment):
            made = condition(PROGRESSING, "False", CREATE_ERROR, message, current_time())
            put_condition(self.deployment.status, made)
        self._ctx.events.warning(self.deployment, CREATE_ERROR, message)

    def _set_revision(self, revision: str) -> None:
        annotations = self.deployment.metadata.annotations
        if annotations.get(REVISION) != revision:
            annotations[REVISION] = revision

    def _event(self, message: str) -> None:
        self._ctx.events.normal(self.deployment, "ScalingReplicaSet", message)

    def _is_saturated(self) -> bool:
        """Whether the new ReplicaSet has all pods that are wanted, and they are available."""
        new, desired = self.new, self.limits.desired
        if new is None or new.spec.replicas != desired:
            return False
        return size_annotation(new, DESIRED_REPLICAS) == desired == (new.status.available_replicas or 0)

    def _share(self, replica_set: ReplicaSet) -> Share:
        most = size_annotation(replica_set, MAX_REPLICAS)
        return Share(replica_set.metadata.name, replica_set.spec.replicas or 0, most)


def size_of(replica_set: ReplicaSet) -> Size:
    """A ReplicaSet as far as its size is concerned."""
    replicas = replica_set.spec.replicas or 0
    return Size(replica_set.metadata.name, replicas, replica_set.status.available_replicas or 0)


def largest_first(replica_sets: Iterable[ReplicaSet], *, grows: bool) -> list[ReplicaSet]:
    """By size; of equal ones the younger first when the Deployment grows, else the older."""
    by_age = sorted(replica_sets, key=_age, reverse=grows)
    return sorted(by_age, key=lambda each: -(each.spec.replicas or 0))


def _labelled(template: PodTemplateSpec, hashed: str) -> PodTemplateSpec:
    copied = template.copy()
    copied.metadata.labels = {**copied.metadata.labels, HASH_LABEL: hashed}
    return copied


def _age(replica_set: ReplicaSet) -> tuple[float, str]:
    """Orders from the oldest to the youngest, and by name where that is the same."""
    created = replica_set.metadata.creation_timestamp
    return created.timestamp() if created is not None else 0.0, replica_set.metadata.name
