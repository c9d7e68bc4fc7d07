"""The kind CustomPod, `custompods.zhhnzw.mock.com`."""

from __future__ import annotations

from typing import Annotated

from kubewright import EMPTY, Condition, Field, PrinterColumn, Resource, Struct, custom_resource, rule


class CustomPodSpec(Struct):
    """What is wanted."""

    replicas: Annotated[int, Field(minimum=0, maximum=100)] = 1
    """Desired number of pods."""


class CustomPodStatus(Struct):
    """What there is."""

    replicas: int = 0
    """How many pods there are."""
    ready_replicas: int = 0
    """How many of them are ready."""
    pod_names: list[str] = []
    """Their names, sorted."""
    selector: str = ""
    """What selects them, as a text, for autoscalers."""
    observed_generation: int = 0
    """The generation of the spec that this is about."""
    conditions: list[Condition] = []


@custom_resource(
    group="zhhnzw.mock.com",
    version="v1",
    short_names=["cpod"],
    subresources=["status", "scale"],
    columns=[
        PrinterColumn("Desired", ".spec.replicas"),
        PrinterColumn("Current", ".status.replicas"),
        PrinterColumn("Ready", ".status.readyReplicas"),
        PrinterColumn("Age", ".metadata.creationTimestamp"),
    ],
)
# Its pods have the name as the value of a label.
@rule("self.metadata.name.size() <= 63", message="the name must have at most 63 characters")
class CustomPod(Resource):
    """So many pods, all alike."""

    spec: CustomPodSpec = EMPTY
    status: CustomPodStatus | None = None
