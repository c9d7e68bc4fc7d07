"""Kinds that have everything a declaration can say."""

from __future__ import annotations

import enum
from typing import Annotated, Any, Literal

from kubewright import (
    EMPTY,
    Condition,
    Duration,
    Field,
    Int32,
    IntOrString,
    MicroTime,
    PrinterColumn,
    Quantity,
    Resource,
    Rule,
    Scale,
    Struct,
    Time,
    Unstructured,
    custom_resource,
    field,
    rule,
)
from kubewright.models.core_v1 import ConfigMap, PodTemplateSpec, ResourceRequirements

GROUP = "types.kubewright.example.com"


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Port(Struct):
    """Where it listens."""

    name: str
    port: Annotated[Int32, Field(minimum=1, maximum=65535)]
    protocol: str = "TCP"


class Alias(Struct):
    name: str = ""
    hosts: list[str] = []


class Http(Struct, tag="http", tag_field="type"):
    path: str
    port: int = 80


class Tcp(Struct, tag="tcp", tag_field="type"):
    address: str
    port: int = 80


@rule("self.seconds > 0 || self.forever", message="it must last")
class Limits(Struct):
    seconds: int = 30
    forever: Annotated[bool, Field(default=False)] = False
    ratio: float = 0.5


class Nested(Struct):
    limits: Limits = EMPTY


class Key(Struct, map_type="atomic"):
    name: str


@rule("!has(self.grid) || self.grid.all(row, row.size() == 2)", message="rows have two cells")
@rule("!has(self.matrix) || self.matrix.all(name, self.matrix[name].size() == 1)", message="one each")
@rule("self.low <= self.high", message="low must not exceed high", field_path=".low")
class Spec(Struct):
    """What is wanted."""

    low: int = 1
    high: int = 10
    replicas: Annotated[Int32, Field(minimum=0, maximum=100)] = 1
    open_range: (
        Annotated[int, Field(minimum=0, maximum=10, exclusive_minimum=True, exclusive_maximum=True)] | None
    ) = None
    step: Annotated[int, Field(multiple_of=5)] | None = None
    wide: int | None = None
    ratio: Annotated[float, Field(minimum=0.5)] | None = None
    title: Annotated[str, Field(min_length=2, max_length=4)] | None = None
    word: Annotated[str, Field(pattern="^[a-z]+$")] | None = None
    address: Annotated[str, Field(format="ipv4")] | None = None
    at: Time | None = None
    precise: MicroTime | None = None
    period: Duration | None = None
    memory: Quantity | None = None
    limit: IntOrString | None = None
    data: bytes = b""
    size: Literal["small", "large"] = "small"
    level: Literal[1, 2] | None = None
    color: Color = Color.RED
    tags: Annotated[list[Annotated[str, Field(max_length=3)]], Field(min_items=1, max_items=2)] | None = None
    unique: set[str] = set()
    distinct: Annotated[list[int], Field(unique_items=True)] = []
    keys: Annotated[list[Key], Field(list_type="set")] = []
    ports: Annotated[list[Port], Field(list_type="map", map_keys=("port", "protocol"), max_items=8)] = []
    aliases: Annotated[list[Alias], Field(list_type="map", map_keys=("name",))] = []
    labels: Annotated[dict[str, str], Field(min_properties=1, max_properties=2)] | None = None
    gaps: list[str | None] = []
    grid: Annotated[list[Annotated[list[str], Field(max_items=9)]], Field(max_items=9)] | None = None
    matrix: Annotated[dict[str, Annotated[list[int], Field(max_items=9)]], Field(max_properties=9)] = {}
    maybe: Annotated[str | None, Field(nullable=True)] = None
    probe: Http | Tcp | None = None
    limits: Limits = EMPTY
    nested: Nested = EMPTY
    anything: Any = None
    free: dict[str, Any] = {}
    few: Annotated[Alias, Field(max_properties=1)] | None = None
    loose: Annotated[Alias, Field(preserve_unknown_fields=True)] | None = None
    object: Unstructured | None = None
    config: ConfigMap | None = None
    resources: ResourceRequirements | None = None
    region: Annotated[str, Field(immutable=True)] | None = None
    zero: Annotated[int, Field(default=0)] = 0
    words: list[str] = field(default_factory=lambda: ["a", "b"])
    growing: (
        Annotated[
            int,
            Field(rules=(Rule("self >= oldSelf", message="it only grows", reason="FieldValueForbidden"),)),
        ]
        | None
    ) = None
    old: Annotated[str, Field(deprecated=True, example="x", title="Old")] = ""


class Status(Struct):
    replicas: int = 0
    selector: str = ""
    conditions: Annotated[list[Condition], Field(list_type="map", map_keys=("type",))] = []


@custom_resource(
    group=GROUP,
    version="v1",
    short_names=["smp"],
    categories=["all", "samples"],
    subresources=["status", "scale"],
    columns=[
        PrinterColumn("Replicas", ".spec.replicas", description="How many there shall be."),
        PrinterColumn("Size", ".spec.size", priority=1),
        PrinterColumn("Ready", '.status.conditions[?(@.type=="Ready")].status'),
        PrinterColumn("Age", ".metadata.creationTimestamp"),
    ],
    selectable_fields=[".spec.size", ".spec.replicas"],
)
class Sample(Resource):
    """A sample of all there is."""

    spec: Spec
    status: Status | None = None


class TemplateSpec(Struct):
    template: PodTemplateSpec


@custom_resource(group=GROUP, version="v1", scope="Cluster")
class Templated(Resource):
    spec: TemplateSpec


class GadgetV1Spec(Struct):
    size: int = 3


class GadgetV1Beta1Spec(Struct):
    size: int = 3
    color: str = ""


@custom_resource(
    group=GROUP,
    version="v1beta1",
    kind="Gadget",
    storage=False,
    deprecated="gadgets of v1beta1 go away",
    subresources=[Scale(spec_replicas=".spec.size", status_replicas=".status.size"), "status"],
)
class GadgetV1Beta1(Resource):
    spec: GadgetV1Beta1Spec = EMPTY
    status: GadgetV1Spec | None = None


@custom_resource(group=GROUP, version="v1", kind="Gadget", versions=[GadgetV1Beta1])
class GadgetV1(Resource):
    spec: GadgetV1Spec = EMPTY


KINDS: list[type[Resource]] = [Sample, Templated, GadgetV1]
