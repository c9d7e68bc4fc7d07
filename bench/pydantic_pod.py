"""The peer that people use today for typed data: a pydantic model of the same pods."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

__all__ = ["decode_with_pydantic"]


class Model(BaseModel):
    """camelCase on the wire, unknown fields kept."""

    model_config = ConfigDict(alias_generator=to_camel, extra="allow")


class OwnerReference(Model):
    api_version: str
    kind: str
    name: str
    uid: str
    controller: bool | None = None
    block_owner_deletion: bool | None = None


class ObjectMeta(Model):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    creation_timestamp: datetime | None = None
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    owner_references: list[OwnerReference] = []
    managed_fields: list[dict[str, Any]] = []


class EnvVar(Model):
    name: str
    value: str = ""
    value_from: dict[str, Any] | None = None


class Container(Model):
    name: str
    image: str = ""
    ports: list[dict[str, Any]] = []
    env: list[EnvVar] = []
    resources: dict[str, dict[str, str]] = {}
    volume_mounts: list[dict[str, Any]] = []
    liveness_probe: dict[str, Any] | None = None
    readiness_probe: dict[str, Any] | None = None


class PodSpec(Model):
    containers: list[Container]
    volumes: list[dict[str, Any]] = []
    node_name: str = ""
    tolerations: list[dict[str, Any]] = []


class PodCondition(Model):
    type: str
    status: str
    last_transition_time: datetime | None = None


class PodStatus(Model):
    phase: str = ""
    conditions: list[PodCondition] = []
    container_statuses: list[dict[str, Any]] = []


class Pod(Model):
    metadata: ObjectMeta
    spec: PodSpec
    status: PodStatus


class PodList(Model):
    items: list[Pod]


def decode_with_pydantic(encoded: bytes) -> PodList:
    """The list, validated."""
    return PodList.model_validate_json(encoded)
