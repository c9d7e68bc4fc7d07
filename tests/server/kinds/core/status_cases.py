"""Cases of updates of objects that have a status already, with the answers of a real kube-apiserver.

    python -m tests.server.kinds.core.status_cases URL TOKEN

records the answers.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from tests.server.kinds.cases.core_persistentvolume import CSI, volume
from tests.server.kinds.cases.core_persistentvolumeclaim import ACS, claim, requests
from tests.server.kinds.cases.core_service import balancer, ingress, service
from tests.server.kinds.harness import Case, Json, _path, _send, _told

ANSWERS = Path(__file__).with_name("status_answers.json")
TIME = "2024-01-01T00:00:00Z"
BOUND: Json = {"phase": "Bound", "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}


def bound(**fields: Any) -> Json:
    """A claim that is bound, with more fields of its status."""
    return claim(status={**BOUND, **fields}, volumeName="v")


def with_status(obj: Json, **status: Any) -> Json:
    return {**obj, "status": status}


CURRENT = {"currentVolumeAttributesClassName": "a"}
WITH_CLASS = claim(status={**BOUND, **CURRENT}, volumeName="v", **{ACS: "a"})
OLD_VOLUME = with_status(volume(), phase="Available", lastPhaseTransitionTime=TIME)
OLD_BALANCER = service(status=ingress(ip="1.2.3.4", ipMode="VIP"), **balancer())

# `old` is created, and its status is then written by the status subresource.
CASES = [
    Case("bound claim grows", claim(volumeName="v", resources=requests("2Gi")), bound()),
    Case("bound claim grows and changes", claim(volumeName="w", resources=requests("2Gi")), bound()),
    Case("bound claim shrinks", claim(volumeName="v", resources=requests("1Mi")), bound()),
    Case(
        "grown claim shrinks",
        claim(volumeName="v", resources=requests("2Gi")),
        claim(status=BOUND, volumeName="v", resources=requests("3Gi")),
    ),
    Case(
        "grown claim shrinks too far",
        claim(volumeName="v", resources=requests("1Gi")),
        claim(status=BOUND, volumeName="v", resources=requests("3Gi")),
    ),
    Case("bound claim keeps its status", claim(status={"phase": "Lost"}, volumeName="v"), bound()),
    Case("bound claim gets a class", claim(volumeName="v", **{ACS: "a"}), bound()),
    Case("bound claim changes its class", claim(volumeName="v", **{ACS: "b"}), WITH_CLASS),
    Case("bound claim empties its class", claim(volumeName="v", **{ACS: ""}), WITH_CLASS),
    Case("bound claim loses its class", claim(volumeName="v"), WITH_CLASS),
    Case(
        "bound claim with limits",
        claim(volumeName="v", resources={**requests("2Gi"), "limits": {"storage": "3Gi"}}),
        bound(),
    ),
    Case("claim status again", claim(status={"phase": "Lost"}), bound(), "status"),
    Case("volume keeps its status", with_status(volume(), phase="Failed"), OLD_VOLUME),
    Case("volume keeps its phase", with_status(volume(), phase="Available"), OLD_VOLUME, "status"),
    Case(
        "volume keeps its phase and tells a time",
        with_status(volume(), phase="Available", lastPhaseTransitionTime="2025-01-01T00:00:00Z"),
        OLD_VOLUME,
        "status",
    ),
    Case(
        "volume changes its phase",
        with_status(volume(source={"csi": CSI}), phase="Bound"),
        OLD_VOLUME,
        "status",
    ),
    Case(
        "volume changes its phase with the same time",
        with_status(volume(), phase="Bound", lastPhaseTransitionTime=TIME),
        OLD_VOLUME,
        "status",
    ),
    Case(
        "volume changes its phase with a time",
        with_status(volume(), phase="Bound", lastPhaseTransitionTime="2025-01-01T00:00:00Z"),
        OLD_VOLUME,
        "status",
    ),
    Case(
        "volume has any phase",
        with_status(volume(), phase="x", message="m", reason="r"),
        OLD_VOLUME,
        "status",
    ),
    Case("balancer keeps its status", service(**balancer()), OLD_BALANCER),
    Case("balancer becomes a node port", service(**balancer(type="NodePort")), OLD_BALANCER),
    Case("balancer loses its status", service(**balancer()), OLD_BALANCER, "status"),
]


def without_now(told: Json) -> Json:
    """The answer with times of the recording replaced by that of the harness."""
    text = re.sub(
        r'("lastPhaseTransitionTime": )"(?!2024|2025)[^"]*"', r'\1"2026-01-01T00:00:00Z"', json.dumps(told)
    )
    replaced: Json = json.loads(text)
    return replaced


def record(server: str, token: str) -> None:
    """Ask the real server all cases and write down what it says."""
    found = {case.name: without_now(_asked(case, server, token)) for case in CASES}
    ANSWERS.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")


def _asked(case: Case, server: str, token: str) -> Json:
    assert case.old is not None
    url = _path(case.obj, server)
    name = case.obj["metadata"]["name"]
    code, old, _ = _send("POST", url, token, case.old)
    assert code == 201, old
    try:
        code, old, _ = _send("PUT", f"{url}/{name}/status", token, {**old, "status": case.old["status"]})
        assert code == 200, old
        version = {"resourceVersion": old["metadata"]["resourceVersion"]}
        changed = {**case.obj, "metadata": {**case.obj["metadata"], **version}}
        tail = f"/{case.subresource}" if case.subresource else ""
        return _told(_send("PUT", f"{url}/{name}{tail}?dryRun=All", token, changed))
    finally:
        _send("DELETE", f"{url}/{name}", token)


if __name__ == "__main__":
    record(*sys.argv[1:3])
