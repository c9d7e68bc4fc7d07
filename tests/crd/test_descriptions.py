"""Descriptions come from docstrings and texts below attributes."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from kubewright import Field, Resource, Struct, custom_resource
from kubewright.models.core_v1 import LocalObjectReference


class Base(Struct):
    inherited: int = 0
    """Of the base."""


class Spec(Base):
    """What is wanted.

    In two paragraphs.
    """

    below: int = 0
    """A text
    of two lines."""
    said: Annotated[int, Field(description="Said.")] = 0
    """Not this."""
    old: Annotated[int, Field(deprecated=True)] = 0
    older: Annotated[int, Field(deprecated=True, description="For long.")] = 0
    silent: int = 0
    reference: LocalObjectReference | None = None
    nested: Nested | None = None
    again: Nested | None = None
    """Another one."""

    def method(self) -> None:
        """No description of anything."""


class Nested(Struct):
    """Its own words."""


@custom_resource(group="example.com", version="v1")
class Thing(Resource):
    """A thing."""

    spec: Spec
    """The spec."""


def descriptions(**options: Any) -> dict[str, str]:
    schema = Thing.crd(**options).to_dict()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    found = {"": schema.get("description", ""), "spec": schema["properties"]["spec"].get("description", "")}
    members = schema["properties"]["spec"]["properties"]
    return found | {name: member.get("description", "") for name, member in members.items()}


def test_where_descriptions_come_from() -> None:
    assert descriptions() == {
        "": "A thing.",
        "spec": "The spec.",
        "inherited": "Of the base.",
        "below": "A text\nof two lines.",
        "said": "Said.",
        "old": "Deprecated.",
        "older": "For long.\n\nDeprecated.",
        "silent": "",
        "reference": "",
        "nested": "Its own words.",
        "again": "Another one.",
    }


def test_they_are_cut_at_a_word() -> None:
    found = descriptions(max_description=13)
    assert found["below"] == "A text..."
    assert found["again"] == "Another one."
    assert all(len(text) <= 13 for text in found.values())


def test_they_can_be_left_out() -> None:
    assert set(descriptions(max_description=0).values()) == {""}
    with pytest.raises(ValueError, match="give 0 for no descriptions"):
        Thing.crd(max_description=-1)


def test_classes_in_functions_have_theirs_too() -> None:
    class Local(Struct):
        size: int = 0
        """Of a local class."""

    made: Any = type(Resource)(
        "Other", (Resource,), {"__annotations__": {"spec": Local}, "__module__": __name__}
    )
    kind = custom_resource(group="example.com", version="v1")(made)
    schema = kind.crd().to_dict()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    assert schema["properties"]["spec"]["properties"]["size"]["description"] == "Of a local class."
