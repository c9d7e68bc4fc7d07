"""The definitions that types make are accepted, and what is made of them works."""

from __future__ import annotations

import pytest

from kubewright.models.core_v1 import Container, PodSpec, PodTemplateSpec
from tests.conformance.client import Client, Response
from tests.conformance.custom_types.kinds import (
    GROUP,
    GadgetV1,
    GadgetV1Beta1,
    Sample,
    Spec,
    Templated,
    TemplateSpec,
)
from tests.conformance.namespaces import Namespace, unique


@pytest.mark.parametrize("plural", ["samples", "templateds", "gadgets"])
def test_a_definition_is_accepted_without_warnings(installed: dict[str, Response], plural: str) -> None:
    answer = installed[plural]
    assert answer.status == 201
    assert answer.warnings == []


@pytest.mark.usefixtures("installed")
def test_the_server_keeps_the_definition_as_it_was_sent(client: Client) -> None:
    for kind in (Sample, Templated, GadgetV1):
        sent = kind.crd().to_dict()
        got = client.get(
            f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{sent['metadata']['name']}"
        )
        assert got.json()["spec"] == sent["spec"]


@pytest.mark.usefixtures("installed")
def test_defaults_are_the_same_on_both_sides(client: Client, namespace: Namespace) -> None:
    here = Sample(spec=Spec())
    here.metadata.name = unique("sample")
    answer = client.post(namespace.path("samples", Sample.gvk.api_version), here.to_dict())
    assert answer.status == 201, answer.text
    made = answer.json()["spec"]
    assert made == {
        "low": 1,
        "high": 10,
        "replicas": 1,
        "size": "small",
        "color": "red",
        "limits": {"seconds": 30, "forever": False, "ratio": 0.5},
        "nested": {"limits": {"seconds": 30, "forever": False, "ratio": 0.5}},
        "zero": 0,
        "words": ["a", "b"],
    }
    assert Sample.from_json(answer.body).spec == Spec()


@pytest.mark.usefixtures("installed")
def test_a_pod_template_goes_in_and_comes_back(client: Client) -> None:
    pod = PodSpec(containers=[Container(name="a", image="b", ports=[])])
    here = Templated(spec=TemplateSpec(template=PodTemplateSpec(spec=pod)))
    here.metadata.name = unique("templated")
    here.spec.template.metadata.labels["app"] = "a"
    body = here.to_dict()
    body["spec"]["template"]["metadata"]["creationTimestamp"] = None
    body["spec"]["template"]["spec"]["containers"][0]["ports"] = [{"containerPort": 80}]
    answer = client.post(f"/apis/{Templated.gvk.api_version}/templateds", body)
    assert answer.status == 201, answer.text
    assert answer.warnings == []
    made = Templated.from_json(answer.body).spec.template
    assert made.metadata.labels == {"app": "a"}
    assert made.spec.containers[0].ports[0].protocol == "TCP"
    assert answer.json()["spec"]["template"]["spec"]["containers"][0]["ports"][0]["protocol"] == "TCP"


@pytest.mark.usefixtures("installed")
def test_versions_are_served_and_the_deprecated_one_warns(client: Client, namespace: Namespace) -> None:
    name = unique("gadget")
    body = {
        "apiVersion": GadgetV1Beta1.gvk.api_version,
        "kind": "Gadget",
        "metadata": {"name": name},
        "spec": {"color": "red"},
    }
    answer = client.post(namespace.path("gadgets", GadgetV1Beta1.gvk.api_version), body)
    assert answer.status == 201, answer.text
    assert answer.warnings == ["gadgets of v1beta1 go away"]
    read = client.get(f"{namespace.path('gadgets', GadgetV1.gvk.api_version)}/{name}")
    assert GadgetV1.from_json(read.body).spec.size == 3
    assert read.warnings == []


@pytest.mark.usefixtures("installed")
def test_the_scale_subresource_and_selectable_fields_work(client: Client, namespace: Namespace) -> None:
    path = namespace.path("samples", f"{GROUP}/v1")
    name = unique("sample")
    body = {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Sample",
        "metadata": {"name": name},
        "spec": {"size": "large"},
    }
    assert client.post(path, body).status == 201
    scale = client.get(f"{path}/{name}/scale").json()
    assert scale["spec"] == {"replicas": 1}
    found = client.get(path, fieldSelector="spec.size=large").json()["items"]
    assert [each["metadata"]["name"] for each in found] == [name]
