"""The roles and bindings that a real kube-apiserver makes at its start, as kubewright's server has them.

`python -m tests.conformance.authorization.recorded_policy` asks a real server and writes the data file of the
package anew; `test_bootstrap_policy` compares both servers with it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.conformance.client import Client

__all__ = ["RESOURCES", "observed", "recorded"]

FILE = Path(__file__).parents[3] / "src/kubewright/server/authorization/bootstrap_policy.json"
RESOURCES = ("clusterroles", "clusterrolebindings", "roles", "rolebindings")
LABEL = "kubernetes.io/bootstrapping"


def recorded() -> dict[str, Any]:
    """What was recorded, by resource."""
    found: dict[str, Any] = json.loads(FILE.read_text())
    return found


def observed(client: Client) -> dict[str, Any]:
    """What a server has made, in the form of the record: no labels and annotations that all have."""
    found = {}
    for resource in RESOURCES:
        path = f"/apis/rbac.authorization.k8s.io/v1/{resource}"
        items = client.get(path, labelSelector=f"{LABEL}=rbac-defaults").json()["items"]
        found[resource] = [_short(item) for item in items]
    return found


def _short(item: dict[str, Any]) -> dict[str, Any]:
    metadata = item["metadata"]
    assert metadata["annotations"] == {"rbac.authorization.kubernetes.io/autoupdate": "true"}
    short = {"name": metadata["name"]}
    if "namespace" in metadata:
        short["namespace"] = metadata["namespace"]
    labels = {name: value for name, value in metadata["labels"].items() if name != LABEL}
    if labels:
        short["labels"] = labels
    for field in ("aggregationRule", "rules", "roleRef", "subjects"):
        # The rules of a role that gathers others' are not its own.
        if field in item and not (field == "rules" and "aggregationRule" in item):
            short[field] = item[field]
    return short


def _written(policy: dict[str, Any]) -> str:
    """JSON with a line for each name, rule and subject, so that changes can be read."""
    resources = []
    for resource in RESOURCES:
        objects = ",\n".join(_object(obj) for obj in policy[resource])
        resources.append(f" {json.dumps(resource)}: [\n{objects}\n ]")
    return "{\n" + ",\n".join(resources) + "\n}\n"


def _object(obj: dict[str, Any]) -> str:
    fields = []
    for name, value in obj.items():
        text = json.dumps(value)
        if isinstance(value, list):
            lines = ",\n".join(f"   {json.dumps(element)}" for element in value)
            text = f"[\n{lines}\n  ]" if value else "[]"
        fields.append(f"{json.dumps(name)}: {text}")
    return "  {" + ", ".join(fields) + "}"


def _main() -> None:
    from tests.realcluster.server import RealServer

    with RealServer(fsync=False) as server:
        client = Client(server)
        FILE.write_text(_written(observed(client)))
        client.close()


if __name__ == "__main__":
    _main()
