"""The metadata that every object carries: `meta/v1` of the Kubernetes API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

from kubewright.machinery.field import Field, field
from kubewright.machinery.struct import Struct
from kubewright.machinery.time import Time

if TYPE_CHECKING:
    from kubewright.machinery.label_selectors import Selector

__all__ = [
    "Condition",
    "FieldSelectorRequirement",
    "LabelSelector",
    "LabelSelectorRequirement",
    "ListMeta",
    "ManagedFieldsEntry",
    "ObjectMeta",
    "OwnerReference",
    "Preconditions",
    "ShardInfo",
]


_CONDITION_TYPE: Final = (
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
    r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"
)
_CONDITION_REASON: Final = r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"
"""The validation marks of upstream's metav1.Condition, which the schemas of custom resources get from it."""


class OwnerReference(Struct, map_type="atomic"):
    """Points from a dependent to its owner, in the same namespace or cluster-wide."""

    api_version: str
    kind: str
    name: str
    uid: str
    controller: bool | None = None
    """Whether this owner manages the dependent; at most one does."""
    block_owner_deletion: bool | None = None
    """Whether foreground deletion of the owner waits for the dependent."""


class ManagedFieldsEntry(Struct):
    """The fields that one manager owns at one version, kept by server-side apply."""

    manager: str = ""
    operation: str = ""
    """`Apply` or `Update`."""
    api_version: str = ""
    time: Time | None = None
    fields_type: str = ""
    """`FieldsV1`, the only one there is."""
    fields_v1: dict[str, Any] | None = field(default=None, name="fieldsV1")
    subresource: str = ""


class ObjectMeta(Struct, lazy=("annotations", "labels", "managed_fields", "owner_references")):
    """What identifies an object and what tools attach to it.

    `managed_fields` is a third of what an object weighs on the wire and few programs look at it, so it stays
    bytes until it is read; so do labels, annotations and owner references, which are half of what metadata
    weighs in memory.
    """

    name: str = ""
    generate_name: str = ""
    """A prefix; the server completes it to a unique name when `name` is empty."""
    namespace: str = ""
    self_link: str = ""
    uid: str = ""
    resource_version: str = ""
    """Changes with every write; opaque, compared for equality only."""
    generation: int | None = None
    """Changes when the desired state does."""
    creation_timestamp: Time | None = None
    deletion_timestamp: Time | None = None
    """Set when deletion was asked for; the object goes when `finalizers` is empty."""
    deletion_grace_period_seconds: int | None = None
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    owner_references: Annotated[
        list[OwnerReference],
        Field(list_type="map", map_keys=("uid",), patch_strategy=("merge",), patch_merge_key="uid"),
    ] = []
    finalizers: Annotated[list[str], Field(list_type="set", patch_strategy=("merge",))] = []
    managed_fields: Annotated[list[ManagedFieldsEntry], Field(list_type="atomic")] = []


class ShardInfo(Struct):
    """Which shard of a list this is."""

    selector: str


class ListMeta(Struct):
    """The metadata of a list."""

    self_link: str = ""
    resource_version: str = ""
    """Where to start a watch that misses nothing after this list."""
    continue_: str = field(default="", name="continue")
    """The token for the next page; empty on the last one."""
    remaining_item_count: int | None = None
    shard_info: ShardInfo | None = None


class LabelSelectorRequirement(Struct):
    """One condition on labels."""

    key: str
    operator: str
    """`In`, `NotIn`, `Exists` or `DoesNotExist`."""
    values: Annotated[list[str], Field(list_type="atomic")] = []


class LabelSelector(Struct, map_type="atomic"):
    """A query on labels, as objects hold it; all conditions must hold, and none selects everything."""

    match_labels: dict[str, str] = {}
    match_expressions: Annotated[list[LabelSelectorRequirement], Field(list_type="atomic")] = []

    def to_selector(self) -> Selector:
        """What matches labels. Raises ParseError for an unknown operator or an invalid key or value."""
        from kubewright.machinery.label_selectors import Selector  # noqa: PLC0415 - most programs need none

        return Selector.from_label_selector(self.to_dict())


class FieldSelectorRequirement(Struct):
    """One condition on fields, as authorization requests carry it."""

    key: str
    operator: str
    values: Annotated[list[str], Field(list_type="atomic")] = []


class Condition(Struct):
    """One aspect of an object's present state."""

    type: Annotated[str, Field(max_length=316, pattern=_CONDITION_TYPE)]
    status: Annotated[str, Field(extra={"enum": ["True", "False", "Unknown"]})]
    """`True`, `False` or `Unknown`."""
    last_transition_time: Time | None
    reason: Annotated[str, Field(min_length=1, max_length=1024, pattern=_CONDITION_REASON)]
    message: Annotated[str, Field(max_length=32768)]
    observed_generation: Annotated[int, Field(minimum=0)] | None = None


class Preconditions(Struct):
    """What must hold for a delete to be carried out."""

    uid: str = ""
    resource_version: str = ""
