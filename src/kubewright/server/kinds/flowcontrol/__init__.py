"""The rules of the kinds in flowcontrol.apiserver.k8s.io: which requests share how much of the server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubewright.server.kinds.flowcontrol.flow_schema import FLOW_SCHEMA
from kubewright.server.kinds.flowcontrol.priority_level import PRIORITY_LEVEL_CONFIGURATION
from kubewright.server.kinds.kind import Kind

__all__ = ["KINDS"]

KINDS: Final[Mapping[str, Kind]] = {
    "flowschemas": FLOW_SCHEMA,
    "prioritylevelconfigurations": PRIORITY_LEVEL_CONFIGURATION,
}
