"""A tour of what kubewright has for objects: `python -m examples.tour`. It needs no cluster."""

from __future__ import annotations

from datetime import UTC, datetime
from time import perf_counter
from typing import Any

from kubewright import Conflict, DecodeError, NotFound, Quantity, Status, Unstructured
from kubewright.machinery.apply import ApplyConflict, FieldManager
from kubewright.machinery.errors import error_from_status
from kubewright.machinery.patch import apply_strategic_patch, make_strategic_patch
from kubewright.machinery.paths import ResourcePath
from kubewright.machinery.selectors import parse_label_selector
from kubewright.machinery.typed_schema import schema_of
from kubewright.models.apps_v1 import Deployment
from kubewright.models.core_v1 import Pod, PodList

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: main
        image: shop/web:1.0
        resources: {requests: {cpu: 250m, memory: 0.5Gi}}
      - name: proxy
        image: envoy:1.31
        resources: {requests: {cpu: 100m, memory: 64Mi}}
      aFieldOfTomorrow: {kept: true}
"""


def main() -> None:
    """Walk through the foundation, one idea after the other."""
    deployment = typed_objects()
    quantities(deployment)
    lists()
    selectors_and_paths()
    patches(deployment)
    apply()
    errors()
    print("\nNext: a cluster in the process and a client of it, examples/first_steps.py.\n")


def title(text: str) -> None:
    """A heading."""
    print(f"\n== {text}")


def typed_objects() -> Deployment:
    """Read YAML into a typed object, change it, write it; what the type does not know stays."""
    title("typed objects that lose nothing")
    deployment = Deployment.from_yaml(DEPLOYMENT)
    for container in deployment.spec.template.spec.containers:
        print(f"{deployment.key} runs {container.image}")
    deployment.spec.template.spec.containers[0].image = "shop/web:1.1"
    template = deployment.to_dict()["spec"]["template"]["spec"]
    print(f"written back: {template['containers'][0]['image']}, and still {template['aFieldOfTomorrow']}")
    return deployment


def quantities(deployment: Deployment) -> None:
    """Sum what the containers ask for, exactly."""
    title("quantities")
    requests = [container.resources.requests for container in deployment.spec.template.spec.containers]
    for resource in ("cpu", "memory"):
        total = sum((request[resource] for request in requests), Quantity(0))
        print(f"{resource}: {' + '.join(request[resource].text for request in requests)} = {total}")


def lists() -> None:
    """Decode a list without decoding its items."""
    title("lazy lists")
    pod = Deployment.from_yaml(DEPLOYMENT).spec.template.to_dict()
    del pod["spec"]["aFieldOfTomorrow"]
    encoded = PodList(items=[Pod.from_dict(pod) for _ in range(5000)]).to_json()
    start = perf_counter()
    pods = PodList.from_json(encoded)
    decoded = perf_counter()
    images = {container.image for pod in pods for container in pod.spec.containers}
    read = perf_counter()
    print(
        f"{len(pods)} pods, {len(encoded) / 1e6:.1f} MB: decoded in {(decoded - start) * 1e3:.0f} ms,",
        end=" ",
    )
    print(f"every spec read in another {(read - decoded) * 1e3:.0f} ms: {', '.join(sorted(images))}")


def selectors_and_paths() -> None:
    """Match labels, and say where objects live."""
    title("selectors and paths")
    selector = parse_label_selector("app in (web, api), !canary")
    for labels in ({"app": "web"}, {"app": "web", "canary": "yes"}):
        print(f"{selector} {'matches' if selector.matches(labels) else 'does not match'} {labels}")
    print(ResourcePath.of(Deployment.gvr, namespace="shop", name="web", subresource="scale").path())


def patches(deployment: Deployment) -> None:
    """Make a patch from two objects, and apply it."""
    title("patches")
    changed = deployment.copy()
    changed.spec.template.spec.containers[1].image = "envoy:1.32"
    schema = schema_of(Deployment)
    patch = make_strategic_patch(deployment.to_dict(), changed.to_dict(), schema)
    print(f"strategic merge patch: {patch['spec']['template']['spec']['containers']}")
    applied = apply_strategic_patch(deployment.to_dict(), patch, schema)
    print(f"applied, it gives the same object: {applied == changed.to_dict()}")


def apply() -> None:
    """Let two managers apply the same field."""
    title("server-side apply: who owns a field")
    deployments = FieldManager(schema_of(Deployment), api_version="apps/v1", kind="Deployment")
    now = datetime.now(UTC)

    def configured(replicas: int) -> dict[str, Any]:
        meta = {"name": "web", "namespace": "shop"}
        return {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": meta,
            "spec": {"replicas": replicas},
        }

    live = deployments.apply(None, configured(2), manager="team", now=now)
    try:
        deployments.apply(live, configured(5), manager="autoscaler", now=now)
    except ApplyConflict as conflict:
        print(conflict)
    live = deployments.apply(live, configured(5), manager="autoscaler", now=now, force=True)
    print(f"taken over by force: {live['spec']['replicas']} replicas")


def errors() -> None:
    """What goes wrong says where, and what the server answers is an exception by its reason."""
    title("errors")
    try:
        Quantity("1.2.3")
    except ValueError as error:
        print(error)
    pod = Pod.from_yaml(
        "metadata: {name: web}\nspec: {containers: [{name: c, ports: [{containerPort: http}]}]}"
    )
    try:
        print(pod.spec.containers)
    except DecodeError as error:
        print(error)
    status = Status(reason="NotFound", code=404, message='pods "web-0" not found')
    try:
        raise error_from_status(status)
    except Conflict:
        print("not this one")
    except NotFound as error:
        print(f"NotFound: {error}")
    widget = Unstructured.from_yaml(
        "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {size: 3}"
    )
    print(f"a kind nobody has typed: {widget} of size {widget['spec']['size']}")


if __name__ == "__main__":
    main()
