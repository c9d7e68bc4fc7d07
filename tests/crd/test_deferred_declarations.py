"""What generated modules need of `@custom_resource`: checks put off, versions elsewhere, other keywords."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Annotated, Any

import pytest

from kubewright import (
    DeclarationError,
    Field,
    ObjectMeta,
    PrinterColumn,
    Resource,
    Struct,
    custom_resource,
    field,
    rule,
)
from tests.cel import needs_cel


class Spec(Struct):
    name: str = ""


@rule("self.name ==")
class Wrong(Struct):
    name: str = ""


def declared(**options: Any) -> type[Resource]:
    @custom_resource(group="example.com", version="v1", **options)
    class Thing(Resource):
        spec: Spec | None = None

    return Thing


def schema_of(cls: type[Resource]) -> dict[str, Any]:
    (version,) = cls.crd(max_description=0).to_dict()["spec"]["versions"]
    found: dict[str, Any] = version["schema"]["openAPIV3Schema"]
    return found


@needs_cel
def test_a_rule_that_does_not_compile_is_met_later() -> None:
    def wrong(*, deferred: bool) -> type[Resource]:
        @custom_resource(group="example.com", version="v1", deferred=deferred)
        class Thing(Resource):
            spec: Wrong | None = None

        return Thing

    with pytest.raises(DeclarationError):
        wrong(deferred=False)
    assert wrong(deferred=True).gvr.resource == "things"


def test_columns_may_lead_anywhere_only_where_a_server_took_them() -> None:
    columns = [PrinterColumn("Gone", ".spec.gone", type="string")]
    with pytest.raises(DeclarationError, match="gone"):
        declared(columns=columns)
    (version,) = declared(columns=columns, deferred=True).crd().to_dict()["spec"]["versions"]
    assert version["additionalPrinterColumns"] == [
        {"name": "Gone", "type": "string", "jsonPath": ".spec.gone"}
    ]


def test_a_subresource_needs_its_field_only_where_it_is_declared_by_hand() -> None:
    with pytest.raises(DeclarationError, match="status"):
        declared(subresources=["status"])
    (version,) = declared(subresources=["status"], deferred=True).crd().to_dict()["spec"]["versions"]
    assert version["subresources"] == {"status": {}}


def test_another_version_is_imported_when_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    @custom_resource(group="example.com", version="v1beta1", storage=False)
    class Thing(Resource):
        spec: Spec | None = None

    place = f"{__name__.rpartition('.')[0]}.made_for_a_test"
    stored = declared(versions=[".made_for_a_test:Thing"], deferred=True)
    with pytest.raises(DeclarationError, match=r"cannot be imported.*write \.module:Class"):
        stored.crd()
    module = ModuleType(place)
    module.Thing = Thing  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, place, module)
    assert [each.name for each in stored.crd().spec.versions] == ["v1", "v1beta1"]


def test_keywords_are_taken_word_for_word() -> None:
    @custom_resource(group="example.com", version="v1", extra={"minProperties": 1})
    class Thing(Resource):
        metadata: Annotated[
            ObjectMeta, Field(extra={"properties": {"name": {"type": "string", "maxLength": 9}}})
        ] = field(default_factory=ObjectMeta)
        spec: Annotated[Spec | None, Field(extra={"oneOf": [{"required": ["name"]}]})] = None

    schema = schema_of(Thing)
    assert schema["minProperties"] == 1
    assert schema["properties"]["metadata"]["properties"] == {"name": {"type": "string", "maxLength": 9}}
    assert schema["properties"]["spec"]["oneOf"] == [{"required": ["name"]}]
