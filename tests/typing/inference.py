"""What a type checker must see. Not run: `test_typing.py` gives this file to mypy in strict mode."""

from __future__ import annotations

from datetime import datetime
from typing import Generic, Literal, TypeVar, assert_type

from kubewright import IntOrString, ObjectMeta, Quantity, Resource, Unstructured
from kubewright.machinery.scheme import Scheme
from kubewright.machinery.selectors import Selector, parse_label_selector
from kubewright.machinery.watch import WatchDecoder, WatchEvent
from kubewright.models.apps_v1 import Deployment
from kubewright.models.core_v1 import Container, Pod, PodList, PodSpec

K = TypeVar("K", bound=Resource)


class Api(Generic[K]):
    """The shape of the client's `Api[K]`, which infers its kind from a type."""

    def __init__(self, kind: type[K]) -> None:
        self.kind = kind

    def get(self, name: str) -> K:
        return self.kind.from_json(name)


pods = Api(Pod)
assert_type(pods, Api[Pod])
pod = pods.get("web-0")
assert_type(pod, Pod)
assert_type(pod.metadata, ObjectMeta)
assert_type(pod.metadata.labels, dict[str, str])
assert_type(pod.metadata.creation_timestamp, datetime | None)
assert_type(pod.spec, PodSpec)
assert_type(pod.spec.containers[0], Container)
assert_type(pod.spec.containers[0].image, str)
assert_type(pod.spec.containers[0].resources.limits, dict[str, Quantity])
assert_type(pod.spec.containers[0].image_pull_policy, Literal["", "Always", "IfNotPresent", "Never"])
assert_type(pod.copy(), Pod)
assert_type(Pod.from_yaml(""), Pod)

assert_type(PodList.from_json(b""), PodList)
for item in PodList.from_json(b""):
    assert_type(item, Pod)

replicas = Deployment.from_json(b"").spec.replicas
assert_type(replicas, int | None)
assert_type(Pod(spec=PodSpec(containers=[Container(name="c")])), Pod)
assert_type(WatchDecoder(Pod).decode(b""), WatchEvent[Pod])
assert_type(WatchDecoder(Pod).decode(b"").object.status.pod_ip, str)
assert_type(WatchDecoder(Unstructured).decode(b"").object, Unstructured)
assert_type(parse_label_selector("a=b"), Selector)
assert_type(Scheme().register(Pod), type[Pod])
assert_type(Quantity("1") + Quantity("2"), Quantity)

port: IntOrString = "http"
port = 80

Container()  # type: ignore[call-arg]
Container(name="c", image=3)  # type: ignore[arg-type]
Container(name="c", imagePullPolicy="Always")  # type: ignore[call-arg]
Container(name="c", image_pull_policy="Allways")  # type: ignore[arg-type]
_ = pod.spec.container  # type: ignore[attr-defined]
