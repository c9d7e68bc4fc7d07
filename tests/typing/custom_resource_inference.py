"""What a type checker must see of custom resources. Not run: `test_typing.py` gives it to mypy."""

from __future__ import annotations

from typing import Annotated, assert_type

from kubewright import (
    EMPTY,
    Api,
    Client,
    Field,
    Int32,
    PrinterColumn,
    Resource,
    Rule,
    Scale,
    Struct,
    custom_resource,
    rule,
)
from kubewright.crd import validate
from kubewright.models.apiextensions_v1 import CustomResourceDefinition


@rule("self.replicas > 0", message="some")
class Spec(Struct):
    replicas: Annotated[Int32, Field(minimum=0, rules=(Rule("self != 3"),))] = 1


@custom_resource(
    group="example.com",
    version="v1",
    subresources=["status", Scale(spec_replicas=".spec.replicas")],
    columns=[PrinterColumn("Replicas", ".spec.replicas")],
)
class Widget(Resource):
    spec: Spec
    status: Spec = EMPTY


async def declared(client: Client) -> None:
    widget = Widget(spec=Spec(replicas=3))
    assert_type(widget, Widget)
    assert_type(widget.spec.replicas, int)
    assert_type(Widget.crd(), CustomResourceDefinition)
    assert_type(client.api(Widget), Api[Widget])
    assert_type(await client.api(Widget).get("a"), Widget)
    validate(widget, old=widget)
    validate(Spec())  # type: ignore[arg-type]
    Widget()  # type: ignore[call-arg]
    Spec(replicas="many")  # type: ignore[arg-type]
    Field(minimun=3)  # type: ignore[call-arg]
    Field(max_length="long")  # type: ignore[arg-type]
    custom_resource(group="example.com")  # type: ignore[call-arg]


@custom_resource(group="example.com", version="v1")
class NoResource(Struct):  # type: ignore[type-var]
    """Not a whole object."""
