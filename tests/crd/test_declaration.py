"""What `@custom_resource` makes of a class."""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import sys
from typing import Annotated, Any

import pytest

from kubewright import (
    EMPTY,
    Client,
    Field,
    Invalid,
    ObjectMeta,
    PrinterColumn,
    Resource,
    Rule,
    Scale,
    Struct,
    custom_resource,
    rule,
)
from kubewright.crd import validate
from kubewright.crd.naming import plural_of
from kubewright.models.apiextensions_v1 import CustomResourceConversion, CustomResourceDefinition
from kubewright.testing import Cluster


class CustomPodSpec(Struct):
    replicas: Annotated[int, Field(minimum=0, maximum=100, description="Desired number of pods.")] = 1


class CustomPodStatus(Struct):
    replicas: int = 0
    selector: str = ""
    pod_names: list[str] = []


@custom_resource(
    group="zhhnzw.mock.com", version="v1", short_names=["cpod"], subresources=["status", "scale"]
)
class CustomPod(Resource):
    spec: CustomPodSpec
    status: CustomPodStatus | None = None

    def doubled(self) -> int:
        """What a class can have of its own."""
        return self.spec.replicas * 2


class GrowingSpec(Struct):
    size: Annotated[int, Field(rules=(Rule("self >= oldSelf", message="it only grows"),))] = 1
    name: Annotated[str, Field(max_length=3)] = ""


@custom_resource(group="example.com", version="v1beta1", kind="Growing", storage=False, deprecated=True)
class GrowingV1Beta1(Resource):
    spec: GrowingSpec = EMPTY


@custom_resource(
    group="example.com",
    version="v1",
    kind="Growing",
    plural="growths",
    singular="growth",
    list_kind="GrowthList",
    categories=["all"],
    scope="Cluster",
    served=False,
    columns=[
        PrinterColumn("Size", ".spec.size", format="int64", priority=1, description="d"),
        PrinterColumn("Name", ".spec.name"),
        PrinterColumn("Age", ".metadata.creationTimestamp"),
        PrinterColumn("App", ".metadata.labels.app"),
    ],
    selectable_fields=[".spec.name"],
    subresources=[Scale(spec_replicas=".spec.size", status_replicas=".status.size")],
    labels={"a": "b"},
    annotations={"c": "d"},
)
class Growing(Resource):
    spec: GrowingSpec = EMPTY
    status: GrowingSpec | None = None


def test_the_class_is_a_kind() -> None:
    assert str(CustomPod.gvk) == "zhhnzw.mock.com/v1, Kind=CustomPod"
    assert CustomPod.gvr.resource == "custompods"
    assert CustomPod.namespaced
    assert not Growing.namespaced
    assert (CustomPod.__name__, CustomPod.__qualname__, CustomPod.__module__) == (
        "CustomPod",
        "CustomPod",
        __name__,
    )
    pod = CustomPod(metadata=ObjectMeta(name="a"), spec=CustomPodSpec(replicas=3))
    assert pod.doubled() == 6
    assert CustomPod.from_json(pod.to_json()) == pod
    assert pickle.loads(pickle.dumps(pod)) == pod  # noqa: S301 - our own
    assert pod.copy() == pod


def test_its_definition() -> None:
    assert CustomPod.crd().to_dict() == {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "custompods.zhhnzw.mock.com"},
        "spec": {
            "group": "zhhnzw.mock.com",
            "names": {
                "kind": "CustomPod",
                "listKind": "CustomPodList",
                "plural": "custompods",
                "singular": "custompod",
                "shortNames": ["cpod"],
            },
            "scope": "Namespaced",
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {
                        "openAPIV3Schema": {
                            "type": "object",
                            "properties": {
                                "apiVersion": {"type": "string"},
                                "kind": {"type": "string"},
                                "metadata": {"type": "object"},
                                "spec": {
                                    "type": "object",
                                    "properties": {
                                        "replicas": {
                                            "type": "integer",
                                            "format": "int64",
                                            "minimum": 0,
                                            "maximum": 100,
                                            "default": 1,
                                            "description": "Desired number of pods.",
                                        }
                                    },
                                },
                                "status": {
                                    "type": "object",
                                    "properties": {
                                        "replicas": {"type": "integer", "format": "int64"},
                                        "selector": {"type": "string"},
                                        "podNames": {"type": "array", "items": {"type": "string"}},
                                    },
                                },
                            },
                            "required": ["spec"],
                        }
                    },
                    "subresources": {
                        "status": {},
                        "scale": {
                            "specReplicasPath": ".spec.replicas",
                            "statusReplicasPath": ".status.replicas",
                            "labelSelectorPath": ".status.selector",
                        },
                    },
                }
            ],
            "conversion": {"strategy": "None"},
        },
    }


def test_all_options_are_in_the_definition() -> None:
    crd = Growing.crd()
    assert crd.metadata.labels == {"a": "b"}
    assert crd.metadata.annotations == {"c": "d"}
    assert crd.spec.to_dict()["names"] == {
        "kind": "Growing",
        "listKind": "GrowthList",
        "plural": "growths",
        "singular": "growth",
        "categories": ["all"],
    }
    assert crd.spec.scope == "Cluster"
    version = crd.spec.versions[0].to_dict()
    assert version["served"] is False
    assert version["additionalPrinterColumns"] == [
        {
            "name": "Size",
            "type": "integer",
            "format": "int64",
            "jsonPath": ".spec.size",
            "priority": 1,
            "description": "d",
        },
        {"name": "Name", "type": "string", "jsonPath": ".spec.name"},
        {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
        {"name": "App", "type": "string", "jsonPath": ".metadata.labels.app"},
    ]
    assert version["selectableFields"] == [{"jsonPath": ".spec.name"}]
    assert version["subresources"] == {
        "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}
    }


def test_several_versions() -> None:
    @custom_resource(group="example.com", version="v1", kind="Growing", versions=[GrowingV1Beta1])
    class GrowingV1(Resource):
        spec: GrowingSpec = EMPTY

    versions = GrowingV1.crd().to_dict()["spec"]["versions"]
    assert [(each["name"], each["storage"], each.get("deprecated")) for each in versions] == [
        ("v1", True, None),
        ("v1beta1", False, True),
    ]


def test_conversion_is_said_when_the_definition_is_asked_for() -> None:
    conversion = CustomResourceConversion.from_dict(
        {
            "strategy": "Webhook",
            "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://a"}},
        }
    )
    assert Growing.crd(conversion=conversion).spec.conversion == conversion


@pytest.mark.parametrize(
    ("kind", "plural"),
    [
        ("CustomPod", "custompods"),
        ("Proxy", "proxies"),
        ("Gateway", "gateways"),
        ("Ingress", "ingresses"),
        ("Status", "statuses"),
        ("Box", "boxes"),
        ("Patch", "patches"),
        ("Analysis", "analyses"),
        ("Settings", "settings"),
        ("Endpoints", "endpoints"),
        ("Metadata", "metadata"),
    ],
)
def test_plurals(kind: str, plural: str) -> None:
    assert plural_of(kind) == plural


def test_the_verdict_is_the_servers() -> None:
    good = CustomPod(metadata=ObjectMeta(name="a"), spec=CustomPodSpec(replicas=100))
    validate(good)
    with pytest.raises(Invalid) as caught:
        validate(CustomPod(metadata=ObjectMeta(name="a"), spec=CustomPodSpec(replicas=101)))
    assert caught.value.status.message == (
        'CustomPod.zhhnzw.mock.com "a" is invalid: spec.replicas: Invalid value: 101: spec.replicas in body '
        "should be less than or equal to 100"
    )
    assert caught.value.status.details is not None
    assert [each.field for each in caught.value.status.details.causes] == ["spec.replicas"]
    # The object is as it was: defaults count, but are not filled in.
    bare = CustomPod(spec=CustomPodSpec())
    validate(bare)
    assert bare.to_dict()["spec"] == {}


def test_the_verdict_of_an_update_sees_the_old_object() -> None:
    old, new = Growing(spec=GrowingSpec(size=2)), Growing(spec=GrowingSpec(size=1))
    validate(new)
    validate(old, old=new)
    with pytest.raises(Invalid, match="it only grows"):
        validate(new, old=old)
    # What was wrong before and did not change is let pass.
    long = Growing(spec=GrowingSpec(name="long"))
    validate(Growing(spec=GrowingSpec(name="long", size=2)), old=long)
    with pytest.raises(Invalid, match="may not be more than 3 bytes"):
        validate(long)


def test_types_that_were_not_checked_when_set_are_seen() -> None:
    wrong: Any = CustomPodSpec(replicas="many")  # type: ignore[arg-type]
    with pytest.raises(Invalid, match="must be of type integer"):
        validate(CustomPod(spec=wrong))


def test_the_scale_paths_must_lead_to_numbers_that_fit() -> None:
    with pytest.raises(Invalid, match="should be a non-negative integer"):
        validate(Growing(spec=GrowingSpec(size=-1)))


class NamedSpec(Struct):
    name: Annotated[str, Field(max_length=20)] = "a"


@custom_resource(group="example.com", version="v1")
@rule("self.metadata.name.startsWith(self.spec.name)", message="it is named after its spec")
class Named(Resource):
    spec: NamedSpec


def test_rules_on_the_whole_object_see_its_name() -> None:
    validate(Named(metadata=ObjectMeta(name="abc"), spec=NamedSpec()))
    with pytest.raises(Invalid, match="it is named after its spec"):
        validate(Named(metadata=ObjectMeta(name="xyz"), spec=NamedSpec()))


def test_a_kind_with_rules_works_without_what_compiles_them() -> None:
    program = """
import sys

sys.modules["cel_expr_python"] = None
from kubewright import Resource, custom_resource, rule
from kubewright.codegen.manifests import definitions_of_project
from kubewright.crd import validate
from kubewright.crd.cel import CelUnavailableError
from kubewright.machinery.errors import DeclarationError


@custom_resource(group="example.com", version="v1")
@rule("this is not CEL")
class Thing(Resource):
    pass


thing = Thing.from_dict({"metadata": {"name": "a"}})
assert "this is not CEL" in Thing.crd().to_yaml()
for call, error in (
    (lambda: validate(thing), CelUnavailableError),
    (lambda: definitions_of_project([Thing]), DeclarationError),
):
    try:
        call()
    except error as raised:
        assert "pip install 'kubewright[cel]'" in str(raised), raised
    else:
        raise SystemExit(f"no {error}")
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_client_creates_and_lists_it_on_a_server() -> None:
    async def main() -> None:
        async with Cluster(controllers="none") as cluster, Client(cluster.config) as client:
            definitions = client.api(CustomResourceDefinition)
            await definitions.create(CustomPod.crd())
            await definitions.wait_for("custompods.zhhnzw.mock.com", _is_served, timeout=60)
            pods = client.api(CustomPod, "default")
            made = await pods.create(CustomPod(metadata=ObjectMeta(name="a"), spec=CustomPodSpec()))
            assert type(made) is CustomPod
            assert made.to_dict()["spec"] == {"replicas": 1}
            assert [each.metadata.name async for each in pods.list()] == ["a"]
            with pytest.raises(Invalid, match="less than or equal to 100"):
                await pods.create(CustomPod(metadata=ObjectMeta(name="b"), spec=CustomPodSpec(replicas=101)))

    asyncio.run(main())


def _is_served(definition: CustomResourceDefinition) -> bool:
    conditions = definition.status.conditions
    return any(each.type == "Established" and each.status == "True" for each in conditions)


def test_kinds_without_rules_need_no_cel() -> None:
    program = (
        "import sys; from tests.crd.test_declaration import *\n"
        "modules = [name for name in sys.modules if name.startswith(('cel_expr', 'google.protobuf'))]\n"
        "assert modules, 'Growing has a rule'\n"
    )
    bare = (
        "import sys; from kubewright import *\nfrom kubewright import Resource, Struct, custom_resource\n"
        "from kubewright.crd import validate\n"
        "class Spec(Struct):\n    size: int = 1\n"
        "@custom_resource(group='example.com', version='v1')\nclass Thing(Resource):\n    spec: Spec\n"
        "Thing.crd(); validate(Thing(spec=Spec()))\n"
        "assert not [name for name in sys.modules if 'cel' in name.split('.')], 'CEL is there'\n"
    )
    for code in (program, bare):
        subprocess.run([sys.executable, "-c", code], check=True)
